/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway top`: what running processes do now, from the traces that they write: rates, failures, time by function and shape. */
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "option.h"
#include "report.h"

enum { OPTION_ONCE = 256, OPTION_INTERVAL, OPTION_JSON, OPTION_ALL };

static const struct option options[] = {
	{"once", no_argument, NULL, OPTION_ONCE}, {"interval", required_argument, NULL, OPTION_INTERVAL}, {"json", no_argument, NULL, OPTION_JSON},
	{"all", no_argument, NULL, OPTION_ALL}, {"help", no_argument, NULL, 'h'}, {0},
};

static const char help[] =
	"Usage: gangway top [OPTION]… PID|TRACE|DIRECTORY…\n"
	"Shows what running processes do, from the traces that they write, again and again. Of a PID: the traces that it has mapped.\n\n"
	"  --interval SECONDS   how often; 2\n"
	"  --once               one interval, then end\n"
	"  --all                traces of processes that have ended, too\n"
	"  --json               a JSON object each time, on one line\n\n"
	"Exit status: 0 fine, 2 wrong usage, 3 could not do it (nothing runs).\n";

struct top {
	double interval;
	bool once, json, all;
};

/* Traces that the process PID has mapped. false: none, or it may not be looked at. */
static bool find_mapped(const char *pid, struct gw_trace_paths *paths)
{
	char name[64], line[PATH_MAX + 128];
	FILE *maps;
	size_t before = paths->count;

	snprintf(name, sizeof(name), "/proc/%s/maps", pid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/'), **larger;
		size_t length;

		line[strcspn(line, "\n")] = '\0';
		length = path ? strlen(path) : 0;
		if (length < sizeof(GW_TRACE_SUFFIX) || strcmp(path + length - strlen(GW_TRACE_SUFFIX), GW_TRACE_SUFFIX) != 0 ||
		    (paths->count > before && !strcmp(paths->paths[paths->count - 1], path)))
			continue;
		larger = realloc(paths->paths, (paths->count + 1) * sizeof(*larger));
		if (!larger)
			break;
		paths->paths = larger;
		paths->paths[paths->count] = strdup(path);
		paths->count += paths->paths[paths->count] != NULL;
	}
	if (maps)
		fclose(maps);
	return paths->count > before;
}

static bool is_pid(const char *text)
{
	struct stat info;

	return *text && !text[strspn(text, "0123456789")] && stat(text, &info) != 0;
}

/* Does the process that writes this trace still run? A pid may be another's by now: a trace that has ended says so itself. */
static bool is_live(const char *path)
{
	struct gw_trace_file file;
	char why[200];
	bool live;

	if (gw_trace_open(&file, path, why, sizeof(why)))
		return false;
	live = file.head.stopped != GW_TRACE_STOP_END && (kill((pid_t)file.head.pid, 0) == 0 || errno == EPERM);
	gw_trace_close(&file);
	return live;
}

static int find(const struct top *top, char **arguments, size_t count, struct gw_trace_paths *paths)
{
	memset(paths, 0, sizeof(*paths));
	for (size_t i = 0; i < count; i++) {
		struct gw_trace_paths more;
		char **larger;

		if (is_pid(arguments[i])) {
			if (!find_mapped(arguments[i], paths)) {
				gw_complain("process %s has no trace mapped, does not run, or is another user's", arguments[i]);
				return -1;
			}
			continue;
		}
		if (gw_trace_paths_find(&more, &arguments[i], 1)) {
			gw_trace_paths_finish(&more);
			return -1;
		}
		larger = realloc(paths->paths, (paths->count + more.count) * sizeof(*larger));
		if (larger) {
			paths->paths = larger;
			for (size_t m = 0; m < more.count; m++)
				if (top->all || is_live(more.paths[m])) {
					larger[paths->count++] = more.paths[m];
					more.paths[m] = NULL;
				}
		}
		gw_trace_paths_finish(&more);
	}
	return 0;
}

/* The report of what was called since FROM (INT64_MIN: of everything). NULL after a complaint. */
static json_t *look(const struct gw_trace_paths *paths, int64_t from)
{
	struct gw_report_choice choice = {.from = from, .to = INT64_MAX, .quiet = true};
	struct gw_model model;
	json_t *report = NULL;

	if (gw_model_init(&model) == 0 && gw_report_scan(&model, paths, &choice) == 0)
		report = gw_report_json(&model, NULL);
	gw_model_finish(&model);
	return report;
}

static json_t *row_of(const json_t *report, const char *function)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "functions"), i, row)
		if (!strcmp(gw_trace_text(row, "function", ""), function))
			return row;
	return NULL;
}

static double number(const json_t *row, const char *member)
{
	return json_number_value(json_object_get(row, member));
}

static double grown(const json_t *row, const json_t *old, const char *member)
{
	double more = number(row, member) - number(old, member);

	return more > 0 ? more : 0;
}

static int by_time(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	double left = number(x, "busy"), right = number(y, "busy");

	if (left == right) {
		left = number(x, "calls_per_second");
		right = number(y, "calls_per_second");
	}
	return (left < right) - (left > right);
}

/* What happened between two looks, a second. */
static json_t *rates(const json_t *before, const json_t *now, const json_t *window, double seconds)
{
	json_t *functions = json_array(), *shapes = json_array(), *row, **list;
	size_t i, count;

	json_array_foreach(json_object_get(now, "functions"), i, row)
	{
		const json_t *old = row_of(before, gw_trace_text(row, "function", ""));
		double calls = number(row, "calls") - number(old, "calls");

		if (calls > 0)
			json_array_append_new(functions, json_pack("{s:s,s:s,s:f,s:f,s:f,s:I}", "function", gw_trace_text(row, "function", ""), "family",
								   gw_trace_text(row, "family", ""), "calls_per_second", calls / seconds, "failures_per_second",
								   grown(row, old, "failures") / seconds, "busy",
								   grown(row, old, "ns") / 1e9 / seconds, "calls", (json_int_t)number(row, "calls")));
	}
	json_array_foreach(json_object_get(window, "shapes"), i, row)
		json_array_append_new(shapes, json_pack("{s:s,s:s,s:f,s:f}", "text", gw_trace_text(row, "text", ""), "function", gw_trace_text(row, "function", ""),
							"calls_per_second", number(row, "calls") / seconds, "busy", number(row, "ns") / 1e9 / seconds));
	count = json_array_size(functions);
	list = calloc(count + 1, sizeof(*list));
	for (i = 0; list && i < count; i++)
		list[i] = json_incref(json_array_get(functions, i));
	if (list) {
		qsort(list, count, sizeof(*list), by_time);
		json_array_clear(functions);
		for (i = 0; i < count; i++)
			json_array_append_new(functions, list[i]);
	}
	free(list);
	return json_pack("{s:f,s:I,s:I,s:I,s:o,s:o}", "seconds", seconds, "processes", (json_int_t)json_array_size(json_object_get(now, "processes")), "calls",
			 json_integer_value(json_object_get(json_object_get(now, "totals"), "calls")), "failures",
			 json_integer_value(json_object_get(json_object_get(now, "totals"), "failures")), "functions", functions, "shapes", shapes);
}

static void print(const json_t *rates_now, bool screen)
{
	json_t *row;
	size_t i, rows = 20, half;
	struct winsize window;

	if (screen) {
		fputs("\033[H\033[2J", stdout);
		if (ioctl(1, TIOCGWINSZ, &window) == 0 && window.ws_row > 12)
			rows = window.ws_row - 6u;
	}
	half = rows * 2 / 3;
	printf("%.0f process%s, %.0f calls so far, %.0f failed; the last %.1f s:\n", number(rates_now, "processes"),
	       number(rates_now, "processes") == 1 ? "" : "es", number(rates_now, "calls"), number(rates_now, "failures"),
	       number(rates_now, "seconds"));
	printf("%12s %12s %9s  %s\n", "calls/s", "failed/s", "threads", "function");
	json_array_foreach(json_object_get(rates_now, "functions"), i, row)
		if (i < half)
			printf("%12.1f %12.1f %9.3f  %s\n", number(row, "calls_per_second"), number(row, "failures_per_second"), number(row, "busy"),
			       gw_trace_text(row, "function", ""));
	if (json_array_size(json_object_get(rates_now, "shapes")))
		printf("%12s %12s %9s  %s\n", "calls/s", "", "threads", "shape");
	json_array_foreach(json_object_get(rates_now, "shapes"), i, row)
		if (i < rows - half)
			printf("%12.1f %12s %9.3f  %s  %s\n", number(row, "calls_per_second"), "", number(row, "busy"), gw_trace_text(row, "text", ""),
			       gw_trace_text(row, "function", ""));
}

static int64_t clock_now(clockid_t which)
{
	struct timespec now;

	clock_gettime(which, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int watch(const struct top *top, char **arguments, size_t count)
{
	struct gw_trace_paths paths;
	json_t *before = NULL, *now, *window, *difference;
	struct timespec pause = {(time_t)top->interval, (long)((top->interval - (double)(time_t)top->interval) * 1e9)};
	int64_t then = clock_now(CLOCK_MONOTONIC), at, since;
	int result = GW_EXIT_FINE;

	do {
		bool found = find(top, arguments, count, &paths) == 0;

		if (!found || !paths.count) {
			if (found && !before)
				gw_complain("no process that writes one of these traces runs; --all shows those that have ended, too");
			result = before ? GW_EXIT_FINE : GW_EXIT_FAILED;
			gw_trace_paths_finish(&paths);
			break;
		}
		if (!before)
			before = look(&paths, INT64_MIN);
		then = clock_now(CLOCK_MONOTONIC);
		since = clock_now(CLOCK_REALTIME);
		nanosleep(&pause, NULL);
		now = look(&paths, INT64_MIN);
		window = look(&paths, since);
		at = clock_now(CLOCK_MONOTONIC);
		gw_trace_paths_finish(&paths);
		difference = now && window ? rates(before, now, window, (double)(at - then) / 1e9) : NULL;
		if (!difference) {
			result = GW_EXIT_FAILED;
		} else if (top->json) {
			json_dumpf(difference, stdout, JSON_COMPACT);
			putchar('\n');
		} else {
			print(difference, isatty(1) && !top->once);
		}
		json_decref(difference);
		json_decref(window);
		json_decref(before);
		before = now;
		result = gw_finish_output(result);
	} while (!top->once && result == GW_EXIT_FINE);
	json_decref(before);
	return result;
}

int gw_cmd_top(int argc, char **argv)
{
	struct top top = {.interval = 2};
	char *end;
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return gw_option_help(help);
		if (option == OPTION_ONCE)
			top.once = true;
		else if (option == OPTION_JSON)
			top.json = true;
		else if (option == OPTION_ALL)
			top.all = true;
		else if (option != OPTION_INTERVAL)
			return gw_option_wrong("top", option, argv);
		else if ((top.interval = strtod(optarg, &end)) < 0.05 || top.interval > 86400 || *end) {
			gw_complain("top: --interval %s: it is a number of seconds from 0.05 on", optarg);
			return GW_EXIT_USAGE;
		}
	}
	if (optind == argc) {
		gw_complain("top: which process? a PID, a trace, or the directory that traces are in");
		return GW_EXIT_USAGE;
	}
	return watch(&top, argv + optind, (size_t)(argc - optind));
}
