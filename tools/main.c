/* SPDX-License-Identifier: Apache-2.0 */
/* The `gangway` command: finds the sub-command and leaves the rest to it. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{"run", gw_cmd_run, "run a program, and what it starts, on the libraries that this machine has"},
	{"scan", gw_cmd_scan, "which file each needed library would be, and what is missing"},
	{"doctor", gw_cmd_doctor, "which driver, toolkits and libraries are here, and what is wrong between them"},
	{"verify", gw_cmd_verify, "small computations through the libraries, bare and with gangway: does it work here?"},
	{"trace", gw_cmd_trace, "switch what a running process traces"},
	{"report", gw_cmd_report, "what traces hold: where the time went, what failed, what would be faster"},
	{"top", gw_cmd_top, "what running processes do, from the traces that they write"},
	{"metrics", gw_cmd_metrics, "what traces count, as OpenMetrics text"},
	{"explain", gw_cmd_explain, "what a finding (GW-…) means, and how to end it"},
	{"policy", gw_cmd_policy, "checks a policy file: which refused calls are done otherwise"},
	{"abi", gw_cmd_abi, "what each release of a library declares and exports"},
};

const char gw_data_place[] = "../share/gangway";

static void usage(FILE *out)
{
	fputs("Usage: gangway COMMAND …\n\nCommands:\n", out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`gangway COMMAND --help` says more. Exit status: 0 fine, 1 findings, 2 wrong usage,\n"
	      "3 could not do it.\n",
	      out);
}

int main(int argc, char **argv)
{
	static char help[] = "--help";

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return gw_finish_output(GW_EXIT_FINE);
	}
	if (argc > 1 && !strcmp(argv[1], "help")) {
		if (argc == 2) {
			usage(stdout);
			return gw_finish_output(GW_EXIT_FINE);
		}
		argv[1] = argv[2];
		argv[2] = help;
		argc = 3;
		argv[argc] = NULL;
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))) {
		puts("gangway " GW_VERSION);
		return gw_finish_output(GW_EXIT_FINE);
	}
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, argv[1]))
			return commands[i].run(argc - 1, argv + 1);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (gw_is_near(argv[1], commands[i].name)) {
			gw_complain("no command '%s'; did you mean '%s'?", argv[1],
				    commands[i].name);
			return GW_EXIT_USAGE;
		}
	if (argc > 1)
		gw_complain("no command '%s'", argv[1]);
	usage(stderr);
	return GW_EXIT_USAGE;
}
