/* SPDX-License-Identifier: Apache-2.0 */
/* The report for a terminal: a reading of its JSON (report.h). */
#include "report.h"

#include <string.h>

#define ROWS 15		/* of a table: the costliest */
#define PROCESSES 12

static double number(const json_t *object, const char *member)
{
	return json_number_value(json_object_get(object, member));
}

/* NS as people say it. */
static const char *time_text(double ns, char room[32])
{
	static const struct {
		double size;
		const char *unit;
	} units[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (ns >= units[i].size) {
			snprintf(room, 32, "%.*f %s", ns / units[i].size < 10 ? 2 : ns / units[i].size < 100 ? 1 : 0, ns / units[i].size, units[i].unit);
			return room;
		}
	snprintf(room, 32, "%.0f ns", ns);
	return room;
}

static void title(FILE *out, bool color, const char *text, const json_t *array, size_t shown)
{
	size_t all = json_array_size(array);

	fprintf(out, "\n%s%s%s", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
	if (all > shown)
		fprintf(out, " (the first %zu of %zu)", shown, all);
	fputc('\n', out);
}

static void print_head(FILE *out, const json_t *report)
{
	const json_t *totals = json_object_get(report, "totals");
	double first = number(totals, "first_ns"), last = number(totals, "last_ns"), calls = number(totals, "calls");
	char room[32];

	fprintf(out, "%.0f process%s, %.0f calls, %.0f failed, %.0f recorded one by one", number(totals, "processes"), number(totals, "processes") == 1 ? "" : "es",
		calls, number(totals, "failures"), number(totals, "records"));
	if (last > first)
		fprintf(out, ", in %s", time_text(last - first, room));
	if (number(totals, "dropped") > 0)
		fprintf(out, "; %.0f not recorded", number(totals, "dropped"));
	if (number(totals, "overwritten") > 0)
		fprintf(out, "; %.0f overwritten by newer ones", number(totals, "overwritten"));
	fputc('\n', out);
}

static void print_processes(FILE *out, const json_t *report, bool color)
{
	json_t *array = json_object_get(report, "processes"), *one;
	size_t i;
	char room[32];

	title(out, color, "Processes", array, PROCESSES);
	fprintf(out, "    %-20s %5s %8s %-20s %12s %9s %10s  %s\n", "host", "rank", "pid", "program", "calls", "failed", "in calls", "ended");
	json_array_foreach(array, i, one)
	{
		char rank[24] = "-";

		if (i >= PROCESSES)
			break;
		if (json_object_get(one, "rank"))
			snprintf(rank, sizeof(rank), "%.0f", number(one, "rank"));
		fprintf(out, "    %-20s %5s %8.0f %-20.20s %12.0f %9.0f %10s  %s\n", gw_trace_text(one, "host", "?"), rank, number(one, "pid"),
			gw_trace_text(one, "program", "?"), number(one, "calls"), number(one, "failures"), time_text(number(one, "busy_ns"), room),
			!strcmp(gw_trace_text(one, "stopped", ""), "running") ? "running, or killed" : gw_trace_text(one, "stopped", ""));
	}
}

static void print_functions(FILE *out, const json_t *report, bool color)
{
	json_t *array = json_object_get(report, "functions"), *one;
	size_t i;

	title(out, color, "Functions", array, ROWS);
	fprintf(out, "    %-44s %12s %9s %10s %10s %10s %10s\n", "function", "calls", "failed", "time", "median", "99%", "longest");
	json_array_foreach(array, i, one)
	{
		char total[32], half[32] = "-", most[32] = "-", longest[32] = "-";

		if (i >= ROWS)
			break;
		if (json_object_get(one, "p50_ns")) {
			time_text(number(one, "p50_ns"), half);
			time_text(number(one, "p99_ns"), most);
		}
		if (json_object_get(one, "longest_ns"))
			time_text(number(one, "longest_ns"), longest);
		fprintf(out, "    %-44s %12.0f %9.0f %10s %10s %10s %10s\n", gw_trace_text(one, "function", "?"), number(one, "calls"), number(one, "failures"),
			time_text(number(one, "ns"), total), half, most, longest);
	}
}

static void print_shapes(FILE *out, const json_t *report, bool color)
{
	json_t *array = json_object_get(report, "shapes"), *one;
	size_t i;

	if (!json_array_size(array))
		return;
	title(out, color, "Shapes", array, ROWS);
	fprintf(out, "    %-48s %-28s %10s %10s %10s %9s %8s\n", "shape", "function", "calls", "host time", "GPU time", "TFLOP/s", "of peak");
	json_array_foreach(array, i, one)
	{
		char host[32], gpu[32] = "-", rate[32] = "-", peak[32] = "-";

		if (i >= ROWS)
			break;
		if (json_object_get(one, "gpu_ns"))
			time_text(number(one, "gpu_ns"), gpu);
		if (json_object_get(one, "tflops"))
			snprintf(rate, sizeof(rate), "%.1f", number(one, "tflops"));
		if (json_object_get(one, "of_peak"))
			snprintf(peak, sizeof(peak), "%.1f%%", 100 * number(one, "of_peak"));
		fprintf(out, "    %-48s %-28s %10.0f %10s %10s %9s %8s\n", gw_trace_text(one, "text", "?"), gw_trace_text(one, "function", "?"), number(one, "calls"),
			time_text(number(one, "ns"), host), gpu, rate, peak);
	}
}

/* A table of calls and time, with up to two columns of words. */
static void print_table(FILE *out, const json_t *report, bool color, const char *member, const char *name, const char *first, const char *second)
{
	json_t *array = json_object_get(report, member), *one;
	size_t i;
	char room[32];

	if (!json_array_size(array))
		return;
	title(out, color, name, array, ROWS);
	json_array_foreach(array, i, one)
	{
		if (i >= ROWS)
			break;
		fprintf(out, "    %12.0f times %10s  %s%s%s\n", number(one, "calls"), time_text(number(one, "ns"), room), gw_trace_text(one, first, "others"),
			second ? "  " : "", second ? gw_trace_text(one, second, "") : "");
	}
}

static void print_libraries(FILE *out, const json_t *report, bool color)
{
	json_t *array = json_object_get(report, "libraries"), *one;
	size_t i;

	if (!json_array_size(array))
		return;
	title(out, color, "Libraries", array, ROWS);
	json_array_foreach(array, i, one)
		if (i < ROWS)
			fprintf(out, "    %-10s %-12s %s  (%.0f process%s)\n", gw_trace_text(one, "family", "?"), gw_trace_text(one, "release", "?"),
				gw_trace_text(one, "path", "?"), number(one, "processes"), number(one, "processes") == 1 ? "" : "es");
}

static void print_findings(FILE *out, const json_t *report, bool color, const char *member, const char *name)
{
	json_t *array = json_object_get(report, member), *one;
	size_t i;

	if (!json_array_size(array))
		return;
	title(out, color, name, array, json_array_size(array));
	json_array_foreach(array, i, one)
		fprintf(out, "    %s %s: %s; %s\n", gw_trace_text(one, "code", "?"), gw_trace_text(one, "severity", "?"), gw_trace_text(one, "text", ""),
			gw_trace_text(one, "remedy", ""));
}

void gw_report_text(FILE *out, const json_t *report, bool color)
{
	print_head(out, report);
	print_processes(out, report, color);
	print_functions(out, report, color);
	print_shapes(out, report, color);
	print_table(out, report, color, "failures", "Failures, and what they took", "function", "status");
	print_table(out, report, color, "redirects", "Redirects", "text", NULL);
	print_table(out, report, color, "sequences", "Sequences that one call would do", "sequence", "shape");
	print_table(out, report, color, "decisions", "Algorithms", "shape", "algorithm");
	print_table(out, report, color, "callers", "Callers", "caller", "function");
	print_libraries(out, report, color);
	print_findings(out, report, color, "findings", "Findings in the programs");
	print_findings(out, report, color, "advice", "What this report found");
}
