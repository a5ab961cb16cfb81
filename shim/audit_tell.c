/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor's findings: to the log, to stderr unless GANGWAY_QUIET, and to the file of findings; each once. */
#include "audit_line.h"

#include <string.h>
#include <unistd.h>
#include "audit_system.h"

#define FINDINGS 0x100u /* apart from the outcomes, which told_before remembers, too */

void gw_audit_tell(enum gw_finding which, const char *subject, const char *text, const char *remedy)
{
	const char *code = gw_finding_code(which), *severity = gw_finding_severity(which);
	static struct gw_audit_line line;

	if (gw_audit_told_before(FINDINGS + (unsigned)which, subject, NULL))
		return;
	if (!remedy)
		remedy = gw_finding_remedy(which);
	if (*gw_audit_settings.log) {
		line.length = 0;
		gw_audit_add(&line, "{\"type\":\"finding\",\"pid\":");
		gw_audit_add_number(&line, (unsigned long)gw_sys_getpid());
		gw_audit_add(&line, ",\"code\":");
		gw_audit_add_json(&line, code);
		gw_audit_add(&line, ",\"severity\":");
		gw_audit_add_json(&line, severity);
		gw_audit_add(&line, ",\"text\":");
		gw_audit_add_json(&line, text);
		gw_audit_add(&line, ",\"remedy\":");
		gw_audit_add_json(&line, remedy);
		gw_audit_add(&line, "}\n");
		gw_audit_append(gw_audit_settings.log, &line);
	}
	line.length = 0;
	gw_audit_add(&line, "gangway: ");
	gw_audit_add(&line, severity);
	gw_audit_add(&line, " ");
	gw_audit_add(&line, code);
	gw_audit_add(&line, ": ");
	gw_audit_add(&line, text);
	gw_audit_add(&line, "; ");
	gw_audit_add(&line, remedy);
	gw_audit_add(&line, "\n");
	if (!gw_audit_settings.quiet)
		gw_audit_write(STDERR_FILENO, &line);
	gw_audit_append(gw_audit_settings.findings, &line);
}

/* What the facade would forward to, and where that was looked for. */
static void describe_no_target(struct gw_audit_line *text, const struct gw_audit_facade *facade)
{
	const char *own = gw_audit_setting(facade->setting);

	text->length = 0;
	gw_audit_add(text, facade->soname);
	gw_audit_add(text, " was not found; its facade cannot stand in, because ");
	for (unsigned i = 0; facade->targets[i]; i++) {
		gw_audit_add(text, i ? (facade->targets[i + 1] ? ", " : " nor ") : "");
		gw_audit_add(text, facade->targets[i]);
	}
	if (*own) {
		gw_audit_add(text, " is not in ");
		gw_audit_add(text, own);
		gw_audit_add(text, ", where ");
		gw_audit_add(text, facade->setting);
		gw_audit_add(text, " says to look");
	} else {
		gw_audit_add(text, " is not installed where gangway looks");
	}
}

void gw_audit_tell_no_target(const struct gw_audit_facade *facade)
{
	static struct gw_audit_line text;

	describe_no_target(&text, facade);
	gw_audit_tell(GW_FINDING_SEARCH_NO_TARGET, facade->soname, gw_audit_line_text(&text), NULL);
}
