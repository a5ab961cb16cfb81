/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `gangway run` (run.h). */
#include "run.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "built_for.h"
#include "cmd.h"
#include "option.h"
#include "policy.h"
#include "trace_levels.h"

enum {
	OPTION_FACADES = 256,
	OPTION_LOG,
	OPTION_FINDINGS,
	OPTION_LIBRARY_PATH,
	OPTION_PYTHON,
	OPTION_NO_AUDIT,
	OPTION_QUIET,
	OPTION_EXPLAIN,
	OPTION_BUILT_FOR,
	OPTION_NO_CRASH_REPORT,
	OPTION_NO_PAIRING,
	OPTION_TRACE,
	OPTION_TRACE_LEVEL,
	OPTION_TRACE_SIZE,
	OPTION_TRACE_FULL,
	OPTION_POLICY,
	OPTION_HELP
};

static const struct option options[] = {
	{"facades", required_argument, NULL, OPTION_FACADES},
	{"log", required_argument, NULL, OPTION_LOG},
	{"findings", required_argument, NULL, OPTION_FINDINGS},
	{"library-path", required_argument, NULL, OPTION_LIBRARY_PATH},
	{"python", required_argument, NULL, OPTION_PYTHON},
	{"no-audit", no_argument, NULL, OPTION_NO_AUDIT},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"explain", no_argument, NULL, OPTION_EXPLAIN},
	{"built-for", required_argument, NULL, OPTION_BUILT_FOR},
	{"policy", required_argument, NULL, OPTION_POLICY},
	{"no-crash-report", no_argument, NULL, OPTION_NO_CRASH_REPORT},
	{"no-pairing", no_argument, NULL, OPTION_NO_PAIRING},
	{"trace", required_argument, NULL, OPTION_TRACE},
	{"trace-level", required_argument, NULL, OPTION_TRACE_LEVEL},
	{"trace-size", required_argument, NULL, OPTION_TRACE_SIZE},
	{"trace-full", required_argument, NULL, OPTION_TRACE_FULL},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway run [OPTION]… [--] PROGRAM [ARGUMENT]…\n"
	"Runs PROGRAM, and what it starts, on the CUDA libraries that this machine has.\n\n"
	"  --facades auto|off|SONAME,…  which facades may answer a search that ends without a file "
	"(auto)\n"
	"  --log FILE                   append one JSON line for each search, call and finding\n"
	"  --trace DIR                  write a trace of each process that calls vendor libraries there\n"
	"                               (docs/trace.md)\n"
	"  --trace-level LEVEL[,FAMILY:LEVEL|,FUNCTION:LEVEL]…\n"
	"                               off, count (the default), brief, record or sample=N\n"
	"  --trace-size SIZE            how large a process's trace may become (256M)\n"
	"  --trace-full ring|stop       then overwrite the oldest records, or record no more (ring)\n"
	"  --findings FILE              append findings there as well\n"
	"  --library-path DIR:…         where a facade looks first for the library it forwards to\n"
	"  --python DIR                 a site-packages or environment, instead of the program's "
	"own; may be repeated\n"
	"  --built-for FILE:FAMILY=RELEASE,…;…\n"
	"                               which releases files were built for, where they do not tell "
	"(gangway scan)\n"
	"  --policy FILE                what is done otherwise when the library refuses it (docs/policy.md)\n"
	"  --no-audit                   do without the auditor; a facade then answers only names "
	"that are dlopened, or, asked\n"
	"                               for by SONAME, every search that LD_LIBRARY_PATH ends\n"
	"  --no-pairing                 leave searches alone that would mix releases, and only say "
	"so\n"
	"  --quiet                      no findings on stderr\n"
	"  --no-crash-report            write nothing when the program crashes inside a vendor call\n"
	"  --explain                    say on stderr what is set, and how each search ends that "
	"finds no file or the wrong one\n\n"
	"Exits with PROGRAM's own status; 127 when it is not found, 126 when it cannot be "
	"executed,\n"
	"2 for wrong usage, 3 when gangway could not do its part.\n";

bool gw_run_names_facades(const struct gw_run *run)
{
	return run->facades && strcmp(run->facades, "auto") != 0 &&
	       strcmp(run->facades, "off") != 0;
}

static bool is_empty(const char *option, const char *value)
{
	if (value && !*value)
		gw_complain("run: %s needs a value; `gangway run --help` lists the options", option);
	return value && !*value;
}

static int check_built_for(const char *value)
{
	const char *at, *why = gw_built_for_check(value, &at);

	if (!why)
		return -1;
	gw_complain("--built-for %s: %s at character %td", value, why, at - value + 1);
	return GW_EXIT_USAGE;
}

static int check_trace(const struct gw_run *run)
{
	const char *wrong = run->trace_level ? gw_trace_levels_check(run->trace_level) : NULL;

	if (wrong)
		gw_complain("--trace-level %s: wrong at character %td; " GW_TRACE_LEVELS_ARE, run->trace_level,
			    wrong - run->trace_level + 1);
	else if (run->trace_size && !gw_trace_size_check(run->trace_size))
		gw_complain("--trace-size %s: a size is a number with k, M or G, at least 1M", run->trace_size);
	else if (run->trace_full && strcmp(run->trace_full, "ring") != 0 && strcmp(run->trace_full, "stop") != 0)
		gw_complain("--trace-full %s: it is ring or stop", run->trace_full);
	else if ((run->trace_level || run->trace_size || run->trace_full) && !run->trace && !getenv("GANGWAY_TRACE"))
		gw_complain("run: --trace DIR is missing, which says where the trace goes");
	else
		return -1;
	return GW_EXIT_USAGE;
}

/* A wrong line ends the command before the program starts: it would be told in the middle of it. */
static int check_policy(const char *path)
{
	struct gw_policy policy = {.count = 0};
	int result = gw_policy_load(&policy, path);

	return result == GW_EXIT_FINDINGS ? GW_EXIT_USAGE : result ? result : -1;
}

int gw_run_parse(struct gw_run *run, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		switch (option) {
		case OPTION_FACADES:
			run->facades = optarg;
			break;
		case OPTION_LOG:
			run->log = optarg;
			break;
		case OPTION_FINDINGS:
			run->findings = optarg;
			break;
		case OPTION_LIBRARY_PATH:
			run->library_path = optarg;
			result = gw_option_library_path(NULL, optarg);
			break;
		case OPTION_PYTHON:
			result = gw_option_python(NULL, &run->python, optarg);
			break;
		case OPTION_NO_AUDIT:
			run->no_audit = true;
			break;
		case OPTION_TRACE:
			run->trace = optarg;
			break;
		case OPTION_TRACE_LEVEL:
			run->trace_level = optarg;
			break;
		case OPTION_TRACE_SIZE:
			run->trace_size = optarg;
			break;
		case OPTION_TRACE_FULL:
			run->trace_full = optarg;
			break;
		case OPTION_QUIET:
			run->quiet = true;
			break;
		case OPTION_EXPLAIN:
			run->explain = true;
			break;
		case OPTION_NO_CRASH_REPORT:
			run->no_crash_report = true;
			break;
		case OPTION_NO_PAIRING:
			run->no_pairing = true;
			break;
		case OPTION_BUILT_FOR:
			run->built_for = optarg;
			result = check_built_for(optarg);
			break;
		case OPTION_POLICY:
			run->policy = optarg;
			result = check_policy(optarg);
			break;
		case OPTION_HELP:
		case 'h':
			result = gw_option_help(help);
			break;
		default:
			result = gw_option_wrong("run", option, argv);
		}
	}
	if (result < 0 && (is_empty("--log", run->log) || is_empty("--findings", run->findings) ||
			   is_empty("--trace", run->trace)))
		result = GW_EXIT_USAGE;
	if (result < 0)
		result = check_trace(run);
	if (result < 0 && optind >= argc) {
		gw_complain("run: no program is given; `gangway run --help` says how");
		result = GW_EXIT_USAGE;
	}
	return result;
}
