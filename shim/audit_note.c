/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the auditor decided: one JSON line to GANGWAY_LOG (ARCHITECTURE.md, 'The log'), and
 * with GANGWAY_EXPLAIN=1 one line of text to stderr.
 */
#include "audit.h"

#include <unistd.h>
#include "audit_line.h"
#include "audit_system.h"

static const char *const outcome_name[] = {
	[GW_AUDIT_FACADE] = "facade",
	[GW_AUDIT_PYTHON] = "python",
	[GW_AUDIT_MISSING] = "missing",
	[GW_AUDIT_PARTNER] = "partner",
	[GW_AUDIT_NEWEST] = "newest",
	[GW_AUDIT_REFUSED] = "refused",
};

static void log_line(enum gw_audit_outcome outcome, const char *name, const char *path,
		     const char *why)
{
	static struct gw_audit_line line;

	line.length = 0;
	gw_audit_add(&line, "{\"type\":\"search\",\"pid\":");
	gw_audit_add_number(&line, (unsigned long)gw_sys_getpid());
	gw_audit_add(&line, ",\"name\":");
	gw_audit_add_json(&line, name);
	gw_audit_add(&line, ",\"outcome\":\"");
	gw_audit_add(&line, outcome_name[outcome]);
	gw_audit_add(&line, "\"");
	if (path) {
		gw_audit_add(&line, ",\"path\":");
		gw_audit_add_json(&line, path);
	}
	if (why) {
		gw_audit_add(&line, ",\"why\":");
		gw_audit_add_json(&line, why);
	}
	gw_audit_add(&line, "}\n");
	gw_audit_append(gw_audit_settings.log, &line);
}

static void explain(enum gw_audit_outcome outcome, const char *name, const char *path,
		    const char *why)
{
	static const char *const verb[] = {
		[GW_AUDIT_FACADE] = " is nowhere here; the facade answers: ",
		[GW_AUDIT_PYTHON] =
			" is nowhere that the loader looks; taken from the Python paths: ",
		[GW_AUDIT_MISSING] = " was not found",
		[GW_AUDIT_PARTNER] = " is taken from beside its partner: ",
		[GW_AUDIT_NEWEST] = " is taken from where its newest copy is: ",
		[GW_AUDIT_REFUSED] = " was refused",
	};
	static struct gw_audit_line line;

	line.length = 0;
	gw_audit_add(&line, "gangway: ");
	gw_audit_add(&line, name);
	gw_audit_add(&line, verb[outcome]);
	gw_audit_add(&line, path ? path : "");
	if (why) {
		gw_audit_add(&line, " (");
		gw_audit_add(&line, why);
		gw_audit_add(&line, ")");
	}
	gw_audit_add(&line, "\n");
	gw_audit_write(STDERR_FILENO, &line);
}

void gw_audit_note(enum gw_audit_outcome outcome, const char *name, const char *path,
		   const char *why)
{
	if ((!*gw_audit_settings.log && !gw_audit_settings.explain) ||
	    gw_audit_told_before(outcome, name, path))
		return;
	if (*gw_audit_settings.log)
		log_line(outcome, name, path, why);
	if (gw_audit_settings.explain)
		explain(outcome, name, path, why);
}
