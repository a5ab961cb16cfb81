/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the auditor decided: one JSON line to GANGWAY_LOG (ARCHITECTURE.md, 'The log'), and
 * with GANGWAY_EXPLAIN=1 one line of text to stderr; and the auditor's one finding. Each line is one write. The log is opened for
 * each line: there are few, and a program may close every descriptor that it does not know.
 */
#include "audit.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "audit_system.h"
#include "gw_findings.h"

struct line {
	size_t length;
	char text[3 * GW_AUDIT_PATH];
};

static const char *const outcome_name[] = {
	[GW_AUDIT_FACADE] = "facade",
	[GW_AUDIT_PYTHON] = "python",
	[GW_AUDIT_MISSING] = "missing",
};

static void add(struct line *line, const char *text)
{
	size_t length = strlen(text), room = sizeof line->text - line->length;

	if (length > room)
		length = room;
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

static void add_json(struct line *line, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	add(line, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char out[7] = {*text};

		if (c == '"' || c == '\\')
			memcpy(out, (char[]){'\\', *text, 0}, 3);
		else if (c < 0x20)
			memcpy(out,
			       (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], 0}, 7);
		add(line, out);
	}
	add(line, "\"");
}

static void add_number(struct line *line, unsigned long value)
{
	char digits[24];
	char *at = digits + sizeof digits - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	add(line, at);
}

static void write_line(int file, struct line *line)
{
	if (line->length == sizeof line->text)
		line->text[line->length - 1] = '\n';
	if (gw_sys_write(file, line->text, line->length) < 0)
		return; /* nobody to tell: the program goes on without this line */
}

static void append_to(const char *path, struct line *line)
{
	int file = *path ? (int)gw_sys_open(path,
					    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
					    0666)
			 : -1;

	if (file < 0)
		return;
	write_line(file, line);
	gw_sys_close(file);
}

static void log_line(enum gw_audit_outcome outcome, const char *name, const char *path,
		     const char *why)
{
	static struct line line;

	line.length = 0;
	add(&line, "{\"type\":\"search\",\"pid\":");
	add_number(&line, (unsigned long)gw_sys_getpid());
	add(&line, ",\"name\":");
	add_json(&line, name);
	add(&line, ",\"outcome\":\"");
	add(&line, outcome_name[outcome]);
	add(&line, "\"");
	if (path) {
		add(&line, ",\"path\":");
		add_json(&line, path);
	}
	if (why) {
		add(&line, ",\"why\":");
		add_json(&line, why);
	}
	add(&line, "}\n");
	append_to(gw_audit_settings.log, &line);
}

static void explain(enum gw_audit_outcome outcome, const char *name, const char *path,
		    const char *why)
{
	static const char *const verb[] = {
		[GW_AUDIT_FACADE] = " is nowhere here; the facade answers: ",
		[GW_AUDIT_PYTHON] =
			" is nowhere that the loader looks; taken from the Python paths: ",
		[GW_AUDIT_MISSING] = " was not found",
	};
	static struct line line;

	line.length = 0;
	add(&line, "gangway: ");
	add(&line, name);
	add(&line, verb[outcome]);
	add(&line, path ? path : "");
	if (why) {
		add(&line, " (");
		add(&line, why);
		add(&line, ")");
	}
	add(&line, "\n");
	write_line(STDERR_FILENO, &line);
}

/* Programs probe for the same name again and again: each outcome is told once. When the table is
 * full, every time. */
static bool told_before(enum gw_audit_outcome outcome, const char *name, const char *path)
{
	static uint64_t told[1024];
	static unsigned count;
	const unsigned room = sizeof told / sizeof *told;
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + outcome;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	for (; path && *path; path++)
		hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	hash |= 1; /* 0 is an empty place */
	for (unsigned i = (unsigned)(hash >> 20) % room; told[i] != hash; i = (i + 1) % room)
		if (!told[i]) {
			if (count < room / 2) {
				told[i] = hash;
				count++;
			}
			return false;
		}
	return true;
}

/* What the facade would forward to, and where that was looked for. */
static void describe_no_target(struct line *text, const struct gw_audit_facade *facade)
{
	const char *own = gw_audit_setting(facade->setting);

	text->length = 0;
	add(text, facade->soname);
	add(text, " was not found; its facade cannot stand in, because ");
	for (unsigned i = 0; facade->targets[i]; i++) {
		add(text, i ? (facade->targets[i + 1] ? ", " : " nor ") : "");
		add(text, facade->targets[i]);
	}
	if (*own) {
		add(text, " is not in ");
		add(text, own);
		add(text, ", where ");
		add(text, facade->setting);
		add(text, " says to look");
	} else {
		add(text, " is not installed where gangway looks");
	}
	text->text[text->length < sizeof text->text ? text->length : text->length - 1] = '\0';
}

void gw_audit_tell_no_target(const struct gw_audit_facade *facade)
{
	const char *code = gw_finding_code(GW_FINDING_SEARCH_NO_TARGET);
	const char *severity = gw_finding_severity(GW_FINDING_SEARCH_NO_TARGET);
	const char *remedy = gw_finding_remedy(GW_FINDING_SEARCH_NO_TARGET);
	static struct line text, line;

	if (told_before(GW_AUDIT_MISSING, facade->soname, code))
		return;
	describe_no_target(&text, facade);
	if (*gw_audit_settings.log) {
		line.length = 0;
		add(&line, "{\"type\":\"finding\",\"pid\":");
		add_number(&line, (unsigned long)gw_sys_getpid());
		add(&line, ",\"code\":");
		add_json(&line, code);
		add(&line, ",\"severity\":");
		add_json(&line, severity);
		add(&line, ",\"text\":");
		add_json(&line, text.text);
		add(&line, ",\"remedy\":");
		add_json(&line, remedy);
		add(&line, "}\n");
		append_to(gw_audit_settings.log, &line);
	}
	line.length = 0;
	add(&line, "gangway: ");
	add(&line, severity);
	add(&line, " ");
	add(&line, code);
	add(&line, ": ");
	add(&line, text.text);
	add(&line, "; ");
	add(&line, remedy);
	add(&line, "\n");
	if (!gw_audit_settings.quiet)
		write_line(STDERR_FILENO, &line);
	append_to(gw_audit_settings.findings, &line);
}

void gw_audit_note(enum gw_audit_outcome outcome, const char *name, const char *path,
		   const char *why)
{
	if ((!*gw_audit_settings.log && !gw_audit_settings.explain) ||
	    told_before(outcome, name, path))
		return;
	if (*gw_audit_settings.log)
		log_line(outcome, name, path, why);
	if (gw_audit_settings.explain)
		explain(outcome, name, path, why);
}
