/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report finds by itself: traces that are damaged or incomplete, sequences that one fused call would have replaced, products that were
 * offered too little workspace. What they are likely to gain is from measurements (abi/sequences, abi/workspaces), never from here.
 */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "gw_findings.h"

#define MOST_CASES 64
#define MOST_OFFERS 8
#define NEAR 3.0	/* octaves of m, n and k together that a measured product may be away */
#define LEAST_GAIN 0.05
#define MOST_TOLD 20	/* of one kind: the costliest; the report's own tables have all */

struct cases {
	double offers[MOST_OFFERS];
	int offer_count;
	struct { char type[16], trans[8]; double m, n, k, us[MOST_OFFERS]; } list[MOST_CASES];
	int count;
};

static json_t *tell(json_t *report, enum gw_finding which, const char *format, ...) __attribute__((format(printf, 3, 4)));
static json_t *tell(json_t *report, enum gw_finding which, const char *format, ...)
{
	va_list arguments;
	json_t *advice;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	advice = json_pack("{s:s,s:s,s:s,s:s}", "code", gw_finding_code(which), "severity", gw_finding_severity(which), "text", text ? text : "", "remedy",
			   gw_finding_remedy(which));
	json_array_append_new(json_object_get(report, "advice"), advice);
	free(text);
	return advice;
}

static int load(struct cases *cases)
{
	char *path = gw_data_path("workspaces"), line[512];
	FILE *file = path ? fopen(path, "re") : NULL;
	unsigned number = 0;
	int result = 0;

	memset(cases, 0, sizeof(*cases));
	if (!file) {
		gw_complain("%s: %s", path ? path : "share/gangway/workspaces", strerror(path ? errno : ENOENT));
		free(path);
		return -1;
	}
	while (!result && fgets(line, sizeof(line), file)) {
		int read = 0, more, i = 0;

		number++;
		if (*line == '#' || *line == '\n')
			continue;
		if (!strncmp(line, "offer ", 6)) {
			for (read = 6; cases->offer_count < MOST_OFFERS && sscanf(line + read, "%lf%n", &cases->offers[cases->offer_count], &more) == 1; read += more)
				cases->offer_count++;
		} else if (cases->count < MOST_CASES &&
			   sscanf(line, "product %15s %lf %lf %lf %7s%n", cases->list[cases->count].type, &cases->list[cases->count].m, &cases->list[cases->count].n,
				  &cases->list[cases->count].k, cases->list[cases->count].trans, &read) == 5) {
			for (; i < cases->offer_count && sscanf(line + read, "%lf%n", &cases->list[cases->count].us[i], &more) == 1; read += more)
				i++;
			result = i == cases->offer_count ? 0 : -1;
			cases->count++;
		} else {
			result = -1;
		}
		if (result)
			gw_complain("%s:%u: expected `offer BYTES…`, or `product TYPE M N K TRANS US…` with a time for each offer", path, number);
	}
	fclose(file);
	free(path);
	return result;
}

static double octaves(double a, double b)
{
	double ratio = a > b ? a / b : b / a, count = 0;

	if (!(a > 0) || !(b > 0))
		return 2 * NEAR;
	for (; ratio >= 2; ratio /= 2)
		count++;
	return count + ratio - 1;	/* within a twelfth of the logarithm */
}

static void advise_workspace(json_t *report, const struct cases *cases, json_t *shape)
{
	double workspace = json_number_value(json_object_get(shape, "workspace")), m = json_number_value(json_object_get(shape, "m"));
	double n = json_number_value(json_object_get(shape, "n")), k = json_number_value(json_object_get(shape, "k")), nearest = NEAR, gain, time;
	const char *kind = gw_trace_text(shape, "kind", "");
	char type[16] = "";
	int best = -1, offer = -1, last = cases->offer_count - 1;
	json_t *advice;

	gw_report_type(shape, type);
	if (!json_is_number(json_object_get(shape, "workspace")) || (strcmp(kind, "matmul") != 0 && strcmp(kind, "gemm") != 0) || last < 1 ||
	    workspace >= cases->offers[last] || strstr(gw_trace_text(shape, "function", ""), "Heuristic"))
		return;
	for (int i = 0; i < cases->count; i++) {
		double away = octaves(m, cases->list[i].m) + octaves(n, cases->list[i].n) + octaves(k, cases->list[i].k);

		if (!strcasecmp(type, cases->list[i].type) && away < nearest) {
			nearest = away;
			best = i;
		}
	}
	for (int i = 0; i <= last && cases->offers[i] <= workspace; i++)
		offer = i;
	if (best < 0 || offer < 0)
		return;
	gain = 1 - cases->list[best].us[last] / cases->list[best].us[offer];
	if (gain < LEAST_GAIN)
		return;
	time = json_number_value(json_object_get(shape, json_object_get(shape, "gpu_ns") ? "gpu_ns" : "ns"));
	advice = tell(report, GW_FINDING_WORKSPACE_SMALL,
		      "%s was offered %.0f bytes of workspace, %lld times; with %.0f, %s %.0fx%.0fx%.0f %s took %.0f%% less time on an H200",
		      gw_trace_text(shape, "text", ""), workspace, (long long)json_integer_value(json_object_get(shape, "calls")), cases->offers[last],
		      cases->list[best].type, cases->list[best].m, cases->list[best].n, cases->list[best].k, cases->list[best].trans, gain * 100);
	json_object_set_new(advice, "gain", json_real(gain));
	if (json_object_get(shape, "gpu_ns"))
		json_object_set_new(advice, "gain_ns", json_integer((json_int_t)(time * gain)));
}

static void advise_sequences(json_t *report)
{
	json_t *sequence;
	size_t i;

	json_array_foreach(json_object_get(report, "sequences"), i, sequence)
	{
		double gain = json_number_value(json_object_get(sequence, "gain"));
		const char *shape = gw_trace_text(sequence, "shape", "");
		char likely[80] = "its gain was not measured";
		json_t *advice;

		if (i >= MOST_TOLD)
			break;
		if (gain > 0)
			snprintf(likely, sizeof(likely), "fused it took %.0f%% less time where it was measured", gain * 100);
		advice = tell(report, GW_FINDING_SEQUENCE_FUSIBLE, "%s on one buffer%s%s, %lld times: %s does it in one call; %s", gw_trace_text(sequence, "sequence", ""),
			      *shape ? ", " : "", shape, (long long)json_integer_value(json_object_get(sequence, "calls")), gw_trace_text(sequence, "fused", ""), likely);
		if (json_object_get(sequence, "gain_ns"))
			json_object_set(advice, "gain_ns", json_object_get(sequence, "gain_ns"));
	}
}

/* A row a file that is damaged: how often, and where first. The report's problems have each place. */
static void advise_damage(json_t *report)
{
	json_t *problems = json_object_get(report, "problems"), *problem;
	size_t i;

	for (i = 0; i < json_array_size(problems);) {
		const char *file = gw_trace_text(json_array_get(problems, i), "file", "");
		const json_t *first = NULL, *unread = NULL;
		size_t damages = 0, end = i;

		while (end < json_array_size(problems) && !strcmp(gw_trace_text(json_array_get(problems, end), "file", ""), file)) {
			problem = json_array_get(problems, end++);
			if (!strcmp(gw_trace_text(problem, "kind", ""), "unread"))
				unread = problem;
			else if (!strcmp(gw_trace_text(problem, "kind", ""), "damage")) {
				first = first ? first : problem;
				damages++;
			}
		}
		if (unread)
			tell(report, GW_FINDING_TRACE_UNREADABLE, "%s %s", file, gw_trace_text(unread, "text", ""));
		if (first)
			tell(report, GW_FINDING_TRACE_DAMAGED, "%s is damaged in %zu places%s, the first at offset %lld: %s", file, damages,
			     damages >= GW_TRACE_PROBLEMS_KEPT ? " or more" : "", (long long)json_integer_value(json_object_get(first, "offset")),
			     gw_trace_text(first, "text", ""));
		i = end;
	}
}

static void advise_processes(json_t *report)
{
	json_t *process;
	size_t i, told = 0;

	json_array_foreach(json_object_get(report, "processes"), i, process)
	{
		long long dropped = json_integer_value(json_object_get(process, "dropped")), code = json_integer_value(json_object_get(process, "stop_errno"));
		const char *stopped = gw_trace_text(process, "stopped", "");

		if (!dropped || told++ >= MOST_TOLD)
			continue;
		tell(report, GW_FINDING_TRACE_INCOMPLETE, "%s lacks %lld calls: %s%s%s", gw_trace_text(process, "file", ""), dropped,
		     !strcmp(stopped, "space") ? "there was no room for more" : !strcmp(stopped, "limit") ? "the file had its size" : "no block was to be had",
		     code ? ", " : "", code ? strerror((int)code) : "");
	}
}

void gw_report_advise(json_t *report, struct gw_model *model)
{
	struct cases cases;
	json_t *shape;
	size_t i, before;

	(void)model;
	advise_damage(report);
	advise_processes(report);
	advise_sequences(report);
	if (load(&cases))
		return;
	before = json_array_size(json_object_get(report, "advice"));
	json_array_foreach(json_object_get(report, "shapes"), i, shape)
		if (json_array_size(json_object_get(report, "advice")) < before + MOST_TOLD)
			advise_workspace(report, &cases, shape);
}
