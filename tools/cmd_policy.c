/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway policy`: checks policy files, and says which rescues there are. */
#include "cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "option.h"
#include "policy.h"

enum { OPTION_HELP = 256 };

static const struct option options[] = {
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway policy check FILE…\n"
	"       gangway policy list\n"
	"check: reads each FILE as GANGWAY_POLICY would, and prints what it says; list: prints which calls can be done otherwise.\n"
	"docs/policy.md has the grammar.\n\n"
	"Exit status: 0 fine; 1 a line is wrong; 2 wrong usage; 3 a file cannot be read.\n";

static int check(const char *path)
{
	struct gw_policy policy = {.count = 0};
	int result = gw_policy_load(&policy, path);

	if (result)
		return result;
	for (unsigned i = 0; i < policy.count; i++) {
		char text[512];

		gw_policy_format(&policy.rules[i], text, sizeof text);
		printf("%s:%u: %s\n", path, policy.rules[i].line, text);
	}
	printf("%s: %u line%s\n", path, policy.count, policy.count == 1 ? "" : "s");
	return GW_EXIT_FINE;
}

static int list(void)
{
	for (unsigned i = 0; gw_policy_rescue_name(i); i++)
		printf("%-20s %s\n", gw_policy_rescue_name(i), gw_policy_rescue_function(i));
	return GW_EXIT_FINE;
}

int gw_cmd_policy(int argc, char **argv)
{
	int option, result = GW_EXIT_FINE;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
		return option == OPTION_HELP || option == 'h' ? gw_option_help(help) : gw_option_wrong("policy", option, argv);
	if (optind < argc && !strcmp(argv[optind], "list") && optind + 1 == argc)
		return gw_finish_output(list());
	if (optind + 1 >= argc || strcmp(argv[optind], "check")) {
		gw_complain("policy: `check FILE…` or `list`; `gangway policy --help` says more");
		return GW_EXIT_USAGE;
	}
	for (int i = optind + 1; i < argc; i++) {
		int one = check(argv[i]);

		result = one > result ? one : result;
	}
	return gw_finish_output(result);
}
