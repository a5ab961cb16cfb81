/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway report`: one or thousands of traces, as text, JSON, a web page, or for other tools. */
#include "cmd.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "option.h"
#include "out.h"
#include "report.h"

enum { OPTION_FORMAT = 256, OPTION_FUNCTION, OPTION_FROM, OPTION_TO, OPTION_PEAK, OPTION_CALLS, OPTION_RERUN, OPTION_THREADS, OPTION_JSON };

static const struct option options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT}, {"json", no_argument, NULL, OPTION_JSON}, {"output", required_argument, NULL, 'o'},
	{"function", required_argument, NULL, OPTION_FUNCTION}, {"from", required_argument, NULL, OPTION_FROM}, {"to", required_argument, NULL, OPTION_TO},
	{"peak", required_argument, NULL, OPTION_PEAK}, {"calls", no_argument, NULL, OPTION_CALLS}, {"rerun", required_argument, NULL, OPTION_RERUN},
	{"threads", required_argument, NULL, OPTION_THREADS}, {"help", no_argument, NULL, 'h'}, {0},
};

static const char help[] =
	"Usage: gangway report [OPTION]… TRACE|DIRECTORY…\n"
	"Says what traces hold (files, or all *.gwt below directories), merged by host, rank and time.\n\n"
	"  --format FORMAT     text (the default), json, html: sums; jsonl, csv, chrome, perfetto: each call\n"
	"  --json              --format json\n"
	"  -o, --output FILE   write there, when all is done, instead of standard output\n"
	"  --calls             with text: each call, a line\n"
	"  --function NAME     only calls of these: * and ? are wild, cudnn:* is a family; may be given several times\n"
	"  --from, --to TIME   only calls that start in [from, to): seconds since the first trace began, or 2026-12-01T04:00:00 (UTC)\n"
	"  --peak DEVICE|TYPE=TFLOPS,…   what the device does at most, for the share of it that shapes reach: h200, h100, a100\n"
	"  --rerun N           print record N (of one TRACE; each call's \"record\") as a command that runs it again\n"
	"  --threads N         read with so many threads; as many as there are processors\n\n"
	"Exit status: 0 fine; 1 errors were found (damage, a file that is no trace, or a finding of that severity in a trace); 2 wrong usage; 3 could not\n"
	"do it. docs/report.md describes all formats.\n";

static const char *const formats[] = {"text", "json", "html", "jsonl", "csv", "chrome", "perfetto"};
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML, FORMAT_JSONL, FORMAT_CSV, FORMAT_CHROME, FORMAT_PERFETTO, FORMATS };

struct wish {
	struct gw_report_choice choice;
	enum format format;
	const char *output, *from, *to, *rerun;
	struct gw_peaks peaks;
	bool calls;
};

static int parse_one(struct wish *wish, int option, char **argv)
{
	char *end;
	unsigned long threads;

	switch (option) {
	case 'h':
		return gw_option_help(help);
	case 'o':
		wish->output = optarg;
		break;
	case OPTION_JSON:
		wish->format = FORMAT_JSON;
		break;
	case OPTION_FORMAT:
		for (wish->format = 0; wish->format < FORMATS && strcmp(formats[wish->format], optarg) != 0;)
			wish->format++;
		if (wish->format == FORMATS) {
			gw_complain("report: --format %s: it is text, json, html, jsonl, csv, chrome or perfetto", optarg);
			return GW_EXIT_USAGE;
		}
		break;
	case OPTION_FUNCTION:
		wish->choice.functions[wish->choice.function_count++] = optarg;
		break;
	case OPTION_FROM:
		wish->from = optarg;
		break;
	case OPTION_TO:
		wish->to = optarg;
		break;
	case OPTION_PEAK:
		if (gw_peaks_read(&wish->peaks, optarg))
			return GW_EXIT_USAGE;
		break;
	case OPTION_CALLS:
		wish->calls = true;
		break;
	case OPTION_RERUN:
		wish->rerun = optarg;
		break;
	case OPTION_THREADS:
		threads = strtoul(optarg, &end, 10);
		if (!*optarg || *end || !threads || threads > 64) {
			gw_complain("report: --threads %s: it is a number from 1 to 64", optarg);
			return GW_EXIT_USAGE;
		}
		wish->choice.threads = (unsigned)threads;
		break;
	default:
		return gw_option_wrong("report", option, argv);
	}
	return -1;
}

/* When the first of the traces began, ns. */
static int64_t first_start(const struct gw_trace_paths *paths)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < paths->count; i++) {
		struct gw_trace_file file;
		char why[200];

		if (gw_trace_open(&file, paths->paths[i], why, sizeof(why)))
			continue;
		if ((int64_t)file.head.start.realtime_ns < first)
			first = (int64_t)file.head.start.realtime_ns;
		gw_trace_close(&file);
	}
	return first;
}

/* false after a complaint. */
static bool read_time(const char *option, const char *text, int64_t first, int64_t *time)
{
	struct tm parts = {0};
	double seconds;
	char *end;

	if (!text)
		return true;
	seconds = strtod(text, &end);
	if (*text && !*end && seconds > -9e9 && seconds < 9e9) {
		*time = first == INT64_MAX ? 0 : first + (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
		return true;
	}
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
	if (end) {
		double part = *end == '.' ? strtod(end, &end) : 0;

		if (!*end || !strcmp(end, "Z")) {
			*time = (int64_t)timegm(&parts) * 1000000000 + (int64_t)(part * 1e9 + 0.5);
			return true;
		}
	}
	gw_complain("report: %s %s: expected seconds since the first trace began, or a time such as 2026-12-01T04:00:00", option, text);
	return false;
}

static bool has_error(const json_t *report)
{
	static const char *const lists[] = {"advice", "findings"};
	json_t *one;
	size_t i;

	for (size_t l = 0; l < 2; l++)
		json_array_foreach(json_object_get(report, lists[l]), i, one)
			if (!strcmp(gw_trace_text(one, "severity", ""), "error"))
				return true;
	return false;
}

static void complain_unread(const json_t *report)
{
	json_t *problem;
	size_t i;

	json_array_foreach(json_object_get(report, "problems"), i, problem)
		if (!strcmp(gw_trace_text(problem, "kind", ""), "unread"))
			gw_complain("%s %s", gw_trace_text(problem, "file", ""), gw_trace_text(problem, "text", ""));
}

static int write_sums(struct wish *wish, const struct gw_trace_paths *paths)
{
	struct gw_model model;
	struct gw_out out;
	json_t *report = NULL;
	int result = GW_EXIT_FAILED;

	if (gw_model_init(&model) == 0 && gw_report_scan(&model, paths, &wish->choice) == 0 && (report = gw_report_json(&model, &wish->peaks))) {
		if (!json_array_size(json_object_get(report, "processes"))) {
			complain_unread(report);
		} else if (gw_out_open(&out, wish->output) == 0) {
			result = has_error(report) ? GW_EXIT_FINDINGS : GW_EXIT_FINE;
			if (wish->format == FORMAT_JSON) {
				json_dumpf(report, out.file, JSON_INDENT(1));
				fputc('\n', out.file);
			} else if (wish->format == FORMAT_HTML) {
				if (gw_report_html(out.file, report))
					result = GW_EXIT_FAILED;
			} else {
				gw_report_text(out.file, report, !wish->output && isatty(1));
			}
			result = gw_out_close(&out, result, result != GW_EXIT_FAILED);
		}
	}
	json_decref(report);
	gw_model_finish(&model);
	return result;
}

static int write_calls(struct wish *wish, const struct gw_trace_paths *paths)
{
	static const enum gw_calls_form forms[FORMATS] = {GW_CALLS_TEXT, 0, 0, GW_CALLS_JSONL, GW_CALLS_CSV, GW_CALLS_CHROME, GW_CALLS_PERFETTO};
	struct gw_out out;
	int result;

	if (gw_out_open(&out, wish->output))
		return GW_EXIT_FAILED;
	if (wish->format == FORMAT_PERFETTO && isatty(fileno(out.file))) {
		gw_complain("report: a Perfetto trace is no text: name a file with -o");
		result = GW_EXIT_USAGE;
	} else {
		result = gw_report_calls(out.file, paths, &wish->choice, forms[wish->format]);
	}
	return gw_out_close(&out, result, result != GW_EXIT_FAILED && result != GW_EXIT_USAGE);
}

static int rerun(const struct wish *wish, const struct gw_trace_paths *paths)
{
	struct gw_out out;
	char *end;
	uint64_t number = strtoull(wish->rerun, &end, 10);
	int result;

	if (!*wish->rerun || *end || paths->count != 1) {
		gw_complain("report: --rerun takes a record's number (--calls shows them), and one trace");
		return GW_EXIT_USAGE;
	}
	if (gw_out_open(&out, wish->output))
		return GW_EXIT_FAILED;
	result = gw_report_rerun(out.file, paths->paths[0], number);
	return gw_out_close(&out, result, result == GW_EXIT_FINE);
}

static int report(struct wish *wish, char **arguments, int count)
{
	struct gw_trace_paths paths = {0};
	int result = GW_EXIT_FAILED;
	int64_t first;

	if (gw_trace_paths_find(&paths, arguments, (size_t)count) == 0) {
		first = wish->from || wish->to ? first_start(&paths) : 0;
		if (!read_time("--from", wish->from, first, &wish->choice.from) || !read_time("--to", wish->to, first, &wish->choice.to))
			result = GW_EXIT_USAGE;
		else if (wish->rerun)
			result = rerun(wish, &paths);
		else if (wish->format >= FORMAT_JSONL || (wish->format == FORMAT_TEXT && wish->calls))
			result = write_calls(wish, &paths);
		else
			result = write_sums(wish, &paths);
	}
	gw_trace_paths_finish(&paths);
	return result;
}

int gw_cmd_report(int argc, char **argv)
{
	struct wish wish = {.choice = {.from = INT64_MIN, .to = INT64_MAX, .progress = isatty(2)}};
	int option, result = -1;

	wish.choice.functions = calloc((size_t)argc + 1, sizeof(*wish.choice.functions));
	if (!wish.choice.functions)
		return GW_EXIT_FAILED;
	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1)
		result = parse_one(&wish, option, argv);
	if (result < 0 && optind == argc) {
		gw_complain("report: which trace? `gangway report --help` says how to name it");
		result = GW_EXIT_USAGE;
	}
	if (result < 0)
		result = report(&wish, argv + optind, argc - optind);
	free(wish.choice.functions);
	return result;
}
