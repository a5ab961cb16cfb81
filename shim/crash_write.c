/* SPDX-License-Identifier: Apache-2.0 */
/* See crash_write.h. */
#include "crash_write.h"

#include "crash_memory.h"
#include "crash_stack.h"
#include "finding.h"
#include "objects.h"
#include "process.h"

static char text[2048], json[24576];
static struct gw_line line, all;
struct gw_line *const gw_crash_line = &line;

void gw_crash_line_start(void)
{
	gw_line_start(gw_crash_line, text, sizeof(text));
	gw_line_text(gw_crash_line, "gangway:   ");
}

void gw_crash_line_end(void)
{
	const size_t mark = sizeof("gangway:   ") - 1;

	if (all.length + 2 * gw_crash_line->length < sizeof(json) - 8) {	/* a list that is cut would not parse */
		if (all.length)
			gw_line_char(&all, ',');
		gw_line_string(&all, gw_crash_line->text + mark, gw_crash_line->length - mark);
	}
	gw_crash_line->text[gw_crash_line->length++] = '\n';
	gw_finding_write(gw_crash_line->text, gw_crash_line->length);
}

void gw_crash_line_object(const struct gw_object *object)
{
	gw_line_text(gw_crash_line, object && object->identity ? *gw_crash_text(object->path) ? gw_crash_text(object->path) : gw_process_program() : "?");
}

void gw_crash_line_place(uintptr_t address)
{
	const struct gw_object *object = gw_crash_object_at(address);

	if (object) {
		gw_crash_line_object(object);
		gw_line_char(gw_crash_line, '+');
		address -= object->image.base ? object->image.base : object->low;
	}
	gw_line_hex(gw_crash_line, address);
}

void gw_crash_write_begin(const char *severity, const char *code, const char *headline, const char *remedy)
{
	gw_line_start(&line, text, sizeof(text));
	gw_line_text(&line, "gangway: ");
	gw_line_text(&line, severity);
	gw_line_char(&line, ' ');
	gw_line_text(&line, code);
	gw_line_text(&line, ": ");
	gw_line_text(&line, headline);
	gw_line_text(&line, "; ");
	gw_line_text(&line, remedy);
	line.text[line.length++] = '\n';
	gw_finding_write(line.text, line.length);
	gw_line_start(&all, json, sizeof(json));
}

const char *gw_crash_write_list(void)
{
	all.text[all.length] = 0;
	return json;
}
