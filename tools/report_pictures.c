/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of the web page: the time line, and callers as a flame graph (report_html.h). */
#include "report_html.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "out.h"
#include "report.h"

#define WIDE 1200.0	/* units of the picture */
#define HIGH 220.0
#define LEFT 56.0
#define LEAST_PART 0.0008	/* of the flame graph's width: what is narrower is left out */
#define MOST_DEPTH 60
#define ROW 23		/* pixels */

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* A round step that cuts SPAN into about five. */
static double round_step(double span)
{
	double unit = 1e-9, times;

	while (span / 5 / unit >= 10)
		unit *= 10;
	times = span / 5 / unit;
	return unit * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static double sum_at(json_t *busy, size_t i)
{
	double sum = 0;
	const char *name;
	json_t *values;

	json_object_foreach(busy, name, values)
		sum += json_number_value(json_array_get(values, i));
	return sum;
}

static void print_axes(FILE *out, double most, double span)
{
	double step = round_step(most), along = round_step(span / 1e9);
	char room[40];

	for (double y = 0; y <= most * 1.001; y += step) {
		double at = HIGH - y / most * (HIGH - 20);

		if (step >= 1)
			gw_html_count(y, room);
		else
			snprintf(room, sizeof(room), "%.3g", y);
		fprintf(out, "<line x1=%.0f x2=%.0f y1=%.1f y2=%.1f stroke=\"var(--line)\"/><text x=%.0f y=%.1f text-anchor=end>%s</text>", LEFT, WIDE, at, at, LEFT - 8,
			at + 4, room);
	}
	for (double x = 0; x < span / 1e9; x += along) {
		double at = LEFT + x * 1e9 / span * (WIDE - LEFT);

		if (at < WIDE - 40)
			fprintf(out, "<text x=%.1f y=%.0f>%s</text>", at, HIGH + 18, x > 0 ? gw_html_time(x * 1e9, room) : "0");
	}
}

void gw_html_line(FILE *out, const json_t *report)
{
	const json_t *line = json_object_get(report, "timeline");
	json_t *busy = json_object_get(line, "busy_ns"), *values, *failures = json_object_get(line, "failures");
	size_t count = json_array_size(json_object_get(line, "calls"));
	double step = gw_html_number(line, "step_ns"), most = 0, width;
	const char *name;

	if (!count || !json_object_size(busy))
		return;
	for (size_t i = 0; i < count; i++)
		most = larger(most, sum_at(busy, i) / step);
	if (!(most > 0))
		return;
	width = (WIDE - LEFT) / (double)count;
	fputs("<section id=timeline><h2>Time line</h2>"
	      "<p class=soft>How many threads were in calls at a time, by family, since the first call. Red: calls failed.</p>\n", out);
	fprintf(out, "<div class=scroll tabindex=0 role=region aria-label=\"Time line\">"
		"<svg viewBox=\"0 0 %.0f %.0f\" role=img aria-label=\"Threads in calls over time, at most %.3g\" "
		"style=\"min-width:560px\">", WIDE, HIGH + 26, most);
	print_axes(out, most, step * (double)count);
	for (size_t i = 0; i < count; i++) {
		double from = HIGH, x = LEFT + width * (double)i;

		json_object_foreach(busy, name, values)
		{
			double high = json_number_value(json_array_get(values, i)) / step / most * (HIGH - 20);

			if (high < 0.05)
				continue;
			fprintf(out, "<rect x=%.2f y=%.2f width=%.2f height=%.2f fill=\"var(--%s)\"/>", x, from - high, larger(width - (width > 4 ? 1 : 0), 0.5), high, name);
			from -= high;
		}
		if (json_integer_value(json_array_get(failures, i)) > 0)
			fprintf(out, "<rect x=%.2f y=%.2f width=%.2f height=4 fill=\"var(--fail)\"/>", x, HIGH + 1, larger(width, 1));
	}
	fputs("</svg></div><ul class=legend>", out);
	json_object_foreach(busy, name, values)
		fprintf(out, "<li><i style=\"background:var(--%s)\"></i>%s</li>", name, name);
	fputs("<li><i style=\"background:var(--fail)\"></i>failures</li></ul></section>\n", out);
}

struct frame {
	char *name;
	double weight, self;
	struct frame *children;
	UT_hash_handle hh;
};

static struct frame *child(struct frame *parent, const char *name)
{
	struct frame *frame;

	HASH_FIND_STR(parent->children, name, frame);
	if (frame)
		return frame;
	frame = calloc(1, sizeof(*frame));
	if (!frame || !(frame->name = strdup(name))) {
		free(frame);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, parent->children, frame->name, strlen(frame->name), frame);
	return frame;
}

static void finish(struct frame *frame)
{
	struct frame *one, *next;

	HASH_ITER(hh, frame->children, one, next)
	{
		HASH_DEL(frame->children, one);
		finish(one);
		free(one->name);
		free(one);
	}
}

/* PROGRAM, its frames from the outermost, FUNCTION. */
static void add(struct frame *root, const json_t *row, bool stacks)
{
	double weight = gw_html_number(row, "ns");
	struct frame *at = child(root, gw_trace_text(row, "program", "?"));
	json_t *frame;
	size_t i;

	root->weight += weight;
	if (at)
		at->weight += weight;
	if (stacks) {
		json_array_foreach(json_object_get(row, "frames"), i, frame)
			if (at && i < MOST_DEPTH && (at = child(at, json_string_value(frame))))
				at->weight += weight;
	} else if (at && (at = child(at, gw_trace_text(row, "caller", "?")))) {
		at->weight += weight;
	}
	if (at && (at = child(at, gw_trace_text(row, "function", "?"))))
		at->weight += weight;
}

static int by_weight(struct frame *a, struct frame *b)
{
	return a->weight < b->weight ? 1 : a->weight > b->weight ? -1 : strcmp(a->name, b->name);
}

static unsigned depth_of(const struct frame *frame, double all)
{
	unsigned deepest = 0;

	for (const struct frame *one = frame->children; one; one = one->hh.next) {
		unsigned depth = one->weight / all >= LEAST_PART ? 1 + depth_of(one, all) : 0;

		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

static void print_frames(FILE *out, struct frame *frame, double left, double all, unsigned depth)
{
	HASH_SORT(frame->children, by_weight);
	for (struct frame *one = frame->children; one; one = one->hh.next) {
		double width = 100 * one->weight / all;
		unsigned hue = 0;
		char room[32];

		if (one->weight / all < LEAST_PART)
			continue;
		for (const char *c = one->name; *c; c++)
			hue = hue * 31 + (unsigned char)*c;
		fprintf(out, "<button type=button data-x=\"%.4f\" data-w=\"%.4f\" data-d=%u "
			"style=\"left:%.4f%%;width:%.4f%%;top:%upx;background:var(--f%u)\" title=\"", left, width,
			depth, left, width, depth * ROW, hue % 4);
		gw_out_html(out, one->name);
		fprintf(out, ": %s, %.1f%%\">", gw_html_time(one->weight, room), width);
		gw_out_html(out, one->name);
		fputs("</button>", out);
		print_frames(out, one, left, all, depth + 1);
		left += width;
	}
}

void gw_html_flame(FILE *out, const json_t *report)
{
	json_t *stacks = json_object_get(report, "stacks"), *rows = json_array_size(stacks) ? stacks : json_object_get(report, "callers"), *row;
	struct frame root = {0};
	size_t i;

	json_array_foreach(rows, i, row)
		add(&root, row, rows == stacks);
	if (root.weight > 0) {
		fprintf(out, "<section id=flame><h2>%s</h2><p class=soft>%s Width is time in calls. Choose a frame to enlarge it, Escape to see all again.</p>"
			"<div class=flame role=group aria-label=\"Flame graph\" style=\"height:%upx\">",
			rows == stacks ? "Call stacks" : "Callers at a glance", rows == stacks ? "From the program down to the call." : "Program, caller, function.",
			depth_of(&root, root.weight) * ROW);
		print_frames(out, &root, 0, root.weight, 0);
		fputs("</div><div id=where aria-live=polite></div></section>\n", out);
	}
	finish(&root);
}
