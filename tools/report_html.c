/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as one self-contained web page: a reading of its JSON. All that it says is in the page's HTML; its script only sorts, filters and
 * zooms. How it looks: report.html beside this file.
 */
#include "report_html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd.h"
#include "out.h"
#include "report.h"

#define ROWS 100		/* of a table */
#define MARK "<!--BODY-->"

const char *gw_html_time(double ns, char room[32])
{
	static const struct {
		double size;
		const char *unit;
	} units[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i].size) {
			snprintf(room, 32, "%.*f %s", ns / units[i].size < 10 ? 2 : ns / units[i].size < 100 ? 1 : 0, ns / units[i].size, units[i].unit);
			return room;
		}
	snprintf(room, 32, "%.0f ns", ns);
	return room;
}

const char *gw_html_count(double value, char room[40])
{
	char digits[32];
	size_t length, at = 0;

	snprintf(digits, sizeof(digits), "%.0f", value);
	length = strlen(digits);
	for (size_t i = 0; i < length && at < 38; i++) {
		room[at++] = digits[i];
		if ((length - i - 1) % 3 == 0 && i + 1 < length && digits[i] != '-')
			room[at++] = ',';
	}
	room[at] = '\0';
	return room;
}

double gw_html_number(const json_t *object, const char *member)
{
	return json_number_value(json_object_get(object, member));
}

enum kind { WORD, COUNT, TIME, SHARE, RATE, BAR, MONO };

struct column {
	const char *title, *member;
	enum kind kind;
	bool always;	/* also where no row has it */
};

struct table {
	const char *member, *id, *title, *caption;
	struct column columns[12];
};

static const struct table tables[] = {
	{"functions", "functions", "Functions", "By time in calls, host clock. Median and 99% are of recorded calls.", {
		{"Function", "function", WORD, true}, {"Family", "family", WORD, true}, {"Calls", "calls", COUNT, true}, {"Failed", "failures", COUNT, true},
		{"Time", "ns", TIME, true}, {"Share", "ns", BAR, true}, {"Median", "p50_ns", TIME}, {"99%", "p99_ns", TIME}, {"Longest", "longest_ns", TIME},
		{"GPU time", "gpu_ns", TIME}}},
	{"shapes", "shapes", "Shapes",
	 "What was computed. A rate needs time on the device, which is recorded when asked for; host time says only how long the call took to return.", {
		{"Shape", "text", WORD, true}, {"Function", "function", WORD, true}, {"Calls", "calls", COUNT, true}, {"Failed", "failures", COUNT, true},
		{"Host time", "ns", TIME, true}, {"GPU time", "gpu_ns", TIME}, {"TFLOP/s", "tflops", RATE}, {"Of peak", "of_peak", SHARE},
		{"Workspace, bytes", "workspace", COUNT}, {"Share of host time", "ns", BAR, true}}},
	{"failures", "failures", "Failures and fallbacks",
	 "Calls that did not succeed, as their callers saw it, and the time they took: what was tried before something else was.", {
		{"Function", "function", WORD, true}, {"Status", "status", MONO, true}, {"Calls", "calls", COUNT, true}, {"Time lost", "ns", TIME, true},
		{"Share", "ns", BAR, true}}},
	{"redirects", "redirects", "Redirects", "Calls that gangway made in place of the program's own.", {
		{"Redirect", "text", WORD, true}, {"Calls", "calls", COUNT, true}, {"Failed", "failures", COUNT, true}, {"Time", "ns", TIME, true}, {"Gain", "gain", SHARE}}},
	{"sequences", "sequences", "Sequences that one call would do",
	 "Calls on one buffer, one after another. Gains are those of the measurement that is named, on its own shapes.", {
		{"Sequence", "sequence", WORD, true}, {"Shape", "shape", WORD, true}, {"In one call", "fused", MONO, true}, {"Times", "calls", COUNT, true},
		{"Time", "ns", TIME, true}, {"Likely gain", "gain_ns", TIME}, {"Measured", "source", WORD, true}}},
	{"decisions", "decisions", "Heuristic decisions", "Which algorithm each product was done with, and the workspace that it was offered.", {
		{"Shape", "shape", WORD, true}, {"Algorithm", "algorithm", MONO, true}, {"Function", "function", WORD, true}, {"Workspace, bytes", "workspace", COUNT},
		{"Calls", "calls", COUNT, true}, {"Failed", "failures", COUNT, true}, {"Host time", "ns", TIME, true}, {"GPU time", "gpu_ns", TIME}}},
	{"searches", "searches", "Searches", "For a faster algorithm, by gangway.", {
		{"Search", "text", WORD, true}, {"Process", "pid", COUNT, true}}},
	{"callers", "callers", "Callers", "Where calls came from: file and offset.", {
		{"Caller", "caller", MONO, true}, {"Program", "program", WORD, true}, {"Function", "function", WORD, true}, {"Calls", "calls", COUNT, true},
		{"Failed", "failures", COUNT, true}, {"Time", "ns", TIME, true}, {"Share", "ns", BAR, true}}},
	{"libraries", "libraries", "Libraries", "That were mapped.", {
		{"Path", "path", MONO, true}, {"Family", "family", WORD, true}, {"Release", "release", WORD, true}, {"Build-id", "build_id", MONO},
		{"Processes", "processes", COUNT, true}}},
	{"processes", "processes", "Processes", "By host, rank and start.", {
		{"Program", "program", WORD, true}, {"Host", "host", WORD, true}, {"Rank", "rank", COUNT}, {"pid", "pid", COUNT, true}, {"Calls", "calls", COUNT, true},
		{"Failed", "failures", COUNT, true}, {"Threads", "threads", COUNT, true}, {"In calls", "busy_ns", TIME, true}, {"Not recorded", "dropped", COUNT, true},
		{"Overwritten", "overwritten", COUNT}, {"Ended", "stopped", WORD, true}}},
	{"problems", "problems", "Damage", "Places of files that could not be read, and what else is to be known.", {
		{"File", "file", MONO, true}, {"Offset", "offset", COUNT, true}, {"Kind", "kind", WORD, true}, {"What", "text", WORD, true}}},
};

static bool has(const json_t *array, const char *member)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)array, i, one)
		if (json_object_get(one, member))
			return true;
	return false;
}

static void print_cell(FILE *out, const json_t *row, const struct column *column, double most, bool first)
{
	const json_t *value = json_object_get(row, column->member);
	double number = json_number_value(value);
	char room[40];

	if (column->kind == BAR) {
		fprintf(out, "<td class=bar><span><i style=\"width:%.1f%%\"></i></span></td>", most > 0 ? 100 * number / most : 0);
	} else if (column->kind == WORD || column->kind == MONO) {
		fputs(first ? "<th scope=row" : "<td", out);
		fprintf(out, "%s>", column->kind == MONO ? " class=mono" : "");
		gw_out_html(out, json_is_string(value) ? json_string_value(value) : "");
		fputs(first ? "</th>" : "</td>", out);
	} else if (!json_is_number(value)) {
		fputs("<td class=\"n soft\" data-v=-1>\xe2\x80\x93</td>", out);
	} else {
		fprintf(out, "<td class=n data-v=\"%.15g\">", number);
		if (column->kind == TIME)
			fputs(gw_html_time(number, room), out);
		else if (column->kind == SHARE)
			fprintf(out, "%.1f%%", 100 * number);
		else if (column->kind == RATE)
			fprintf(out, "%.1f", number);
		else if (!strcmp(column->member, "pid") || !strcmp(column->member, "rank"))
			fprintf(out, "%.0f", number);
		else
			fputs(gw_html_count(number, room), out);
		fputs("</td>", out);
	}
}

static void print_table(FILE *out, const json_t *report, const struct table *table)
{
	json_t *array = json_object_get(report, table->member), *row;
	double most = 0;
	size_t i;

	if (!json_array_size(array))
		return;
	json_array_foreach(array, i, row)
		if (gw_html_number(row, "ns") > most)
			most = gw_html_number(row, "ns");
	fprintf(out, "<section id=%s><h2 id=%s-title>%s</h2><p class=soft>%s", table->id, table->id, table->title, table->caption);
	if (json_array_size(array) > ROWS)
		fprintf(out, " The first %d of %zu; --format json has all.", ROWS, json_array_size(array));
	fprintf(out, "</p><div class=scroll tabindex=0 role=region aria-labelledby=%s-title>"
		"<table data-sort aria-labelledby=%s-title><thead><tr>", table->id, table->id);
	for (const struct column *c = table->columns; c->title; c++)
		if (c->always || has(array, c->member))
			fprintf(out, "<th scope=col%s%s>%s</th>", c->kind == WORD || c->kind == MONO || c->kind == BAR ? "" : " class=n",
				c->kind == BAR ? " data-fixed" : "", c->title);
	fputs("</tr></thead><tbody>\n", out);
	json_array_foreach(array, i, row)
	{
		if (i >= ROWS)
			break;
		fputs("<tr>", out);
		for (const struct column *c = table->columns; c->title; c++)
			if (c->always || has(array, c->member))
				print_cell(out, row, c, most, c == table->columns);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div></section>\n", out);
}

static void card(FILE *out, const char *id, const char *value, const char *name, bool bad)
{
	fprintf(out, "<div class=\"card%s\"><b id=%s>%s</b><span>%s</span></div>\n", bad ? " bad" : "", id, value, name);
}

static void print_cards(FILE *out, const json_t *report)
{
	const json_t *totals = json_object_get(report, "totals");
	double failures = gw_html_number(totals, "failures"), dropped = gw_html_number(totals, "dropped"), damaged = gw_html_number(totals, "damaged_places");
	char room[40];

	fputs("<div class=cards>\n", out);
	card(out, "total-processes", gw_html_count(gw_html_number(totals, "processes"), room), "processes", false);
	card(out, "total-calls", gw_html_count(gw_html_number(totals, "calls"), room), "calls", false);
	card(out, "total-records", gw_html_count(gw_html_number(totals, "records"), room), "recorded one by one", false);
	card(out, "total-failures", gw_html_count(failures, room), "failed", failures > 0);
	card(out, "total-time", gw_html_time(gw_html_number(totals, "ns"), room), "in calls, all threads", false);
	if (json_object_get(totals, "gpu_ns"))
		card(out, "total-gpu", gw_html_time(gw_html_number(totals, "gpu_ns"), room), "on the device", false);
	if (dropped > 0)
		card(out, "total-dropped", gw_html_count(dropped, room), "not recorded", true);
	if (damaged > 0)
		card(out, "total-damaged", gw_html_count(damaged, room), "damaged places", true);
	fputs("</div>\n", out);
}

static void print_findings(FILE *out, const json_t *report)
{
	static const char *const members[] = {"advice", "findings"}, *const titles[] = {"What this report found", "Findings in the programs"};
	json_t *one;
	size_t i;
	char room[40];

	for (unsigned l = 0; l < 2; l++) {
		json_t *array = json_object_get(report, members[l]);

		if (!json_array_size(array))
			continue;
		fprintf(out, "<section id=%s><h2>%s</h2><ul class=findings>\n", members[l], titles[l]);
		json_array_foreach(array, i, one)
		{
			const char *severity = gw_trace_text(one, "severity", "note");

			fprintf(out, "<li class=\"%s\"><div><b>", !strcmp(severity, "error") ? "error" : !strcmp(severity, "warning") ? "warning" : "note");
			gw_out_html(out, gw_trace_text(one, "code", ""));
			fputs("</b><br><span class=pill>", out);
			gw_out_html(out, severity);
			fputs("</span></div><div class=what>", out);
			gw_out_html(out, gw_trace_text(one, "text", ""));
			if (gw_html_number(one, "times") > 1)
				fprintf(out, " <span class=soft>(%s times)</span>", gw_html_count(gw_html_number(one, "times"), room));
			if (gw_html_number(one, "gain_ns") > 0)
				fprintf(out, " <b>about %s</b> could be saved.", gw_html_time(gw_html_number(one, "gain_ns"), room));
			fputs("<br><span class=soft>Remedy: ", out);
			gw_out_html(out, gw_trace_text(one, "remedy", ""));
			fputs("</span></div></li>\n", out);
		}
		fputs("</ul></section>\n", out);
	}
}

static void print_top(FILE *out, const json_t *report)
{
	const json_t *totals = json_object_get(report, "totals"), *processes = json_object_get(report, "processes"), *first = json_array_get(processes, 0);
	time_t start = (time_t)(gw_html_number(totals, "first_ns") / 1e9);
	char when[64] = "", room[32];
	struct tm parts;

	fputs("<header><h1>", out);
	gw_out_html(out, gw_trace_text(first, "program", "gangway"));
	fputs("</h1><p class=soft>", out);
	if (json_array_size(processes) == 1) {
		gw_out_html(out, gw_trace_text(first, "host", "?"));
		fprintf(out, ", process %.0f", gw_html_number(first, "pid"));
	} else {
		fprintf(out, "%zu processes", json_array_size(processes));
	}
	if (start && gmtime_r(&start, &parts) && strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &parts))
		fprintf(out, ", from %s, %s", when, gw_html_time(gw_html_number(totals, "last_ns") - gw_html_number(totals, "first_ns"), room));
	if (json_object_get(report, "peak")) {
		fputs(". Peak of ", out);
		gw_out_html(out, gw_trace_text(json_object_get(report, "peak"), "device", ""));
		fputs(": ", out);
		gw_out_html(out, gw_trace_text(json_object_get(report, "peak"), "source", ""));
	}
	fputs("</p></header>\n<nav aria-label=\"Sections\"><div>", out);
	fputs(json_array_size(json_object_get(report, "advice")) ? "<a href=#advice>Found</a>" : "", out);
	fputs("<a href=#timeline>Time line</a>", out);
	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		if (json_array_size(json_object_get(report, tables[t].member)))
			fprintf(out, "<a href=#%s>%c%s</a>", tables[t].id, tables[t].id[0] & ~0x20, tables[t].id + 1);
	fputs("<label>Filter tables <input id=filter type=search></label></div></nav>\n", out);
}

static void print_body(FILE *out, const json_t *report)
{
	print_top(out, report);
	fputs("<main>\n", out);
	print_cards(out, report);
	print_findings(out, report);
	gw_html_line(out, report);
	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++) {
		if (!strcmp(tables[t].member, "callers"))
			gw_html_flame(out, report);
		print_table(out, report, &tables[t]);
	}
	fprintf(out, "</main><footer>gangway %s. Times are of the host's clock unless they are called GPU time.</footer>\n", GW_VERSION);
}

int gw_report_html(FILE *out, const json_t *report)
{
	char *path = gw_data_path("report.html"), *text = NULL, *mark;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t size = 0;
	ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1;

	mark = length > 0 ? strstr(text, MARK) : NULL;
	if (!mark) {
		gw_complain("%s: %s", path ? path : "share/gangway/report.html", file ? "is not the page that it should be" : strerror(path ? errno : ENOENT));
	} else {
		fwrite(text, 1, (size_t)(mark - text), out);
		print_body(out, report);
		fputs(mark + strlen(MARK), out);
	}
	if (file)
		fclose(file);
	free(text);
	free(path);
	return mark ? 0 : -1;
}
