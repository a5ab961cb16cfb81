/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi`: finds the database and the sub-command. */
#include "abi.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(const char *database, int argc, char **argv);
	const char *arguments, *summary;
} commands[] = {
	{"list", gw_abi_list, "", "families, releases and sonames"},
	{"show", gw_abi_show, "FAMILY RELEASE [NAME]", "what a release declares and exports"},
	{"diff", gw_abi_diff, "FAMILY A B", "what changed between two releases"},
	{"check", gw_abi_check, "LIBRARY…", "is this file what the database says of its release?"},
#ifdef GW_HAVE_IMPORT
	{"import", gw_abi_import_start, "DIR-OR-WHEEL…", "read releases into the database"},
#endif
};

static bool asks_for_help(const char *word)
{
	return word && (!strcmp(word, "--help") || !strcmp(word, "-h"));
}

static void usage(FILE *out)
{
	fputs("Usage: gangway abi [--database DIR] COMMAND …\n\n", out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(out, "  %-7s%-23s %s\n", commands[i].name, commands[i].arguments,
			commands[i].summary);
	fputs("\nA release may be given in short: 12.1 is the newest known build of it. The "
	      "database is\n"
	      "--database, else $GANGWAY_DATABASE, else the one that came with gangway; DIR holds the\n"
	      "*.abi files, itself or in a directory `facts`.\n",
	      out);
}

/* Takes --database out of the arguments, wherever it stands; -1 when its value is missing. */
static int take_database(int *argc, char **argv, const char **database)
{
	static const char flag[] = "--database";
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		if (!strcmp(argv[i], flag)) {
			if (++i == *argc)
				return -1;
			*database = argv[i];
		} else if (!strncmp(argv[i], flag, strlen(flag)) && argv[i][strlen(flag)] == '=') {
			*database = argv[i] + strlen(flag) + 1;
		} else {
			argv[kept++] = argv[i];
		}
	}
	argv[ *argc = kept] = NULL;
	return 0;
}

/* The facts of a whole copy of abi/ lie in a directory of it: NULL when DIRECTORY is no such copy. */
static char *facts_within(const char *directory)
{
	struct stat status;
	char *path = NULL;

	if (asprintf(&path, "%s/facts", directory) < 0)
		return NULL;
	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return path;
	free(path);
	return NULL;
}

int gw_cmd_abi(int argc, char **argv)
{
	const char *database = getenv("GANGWAY_DATABASE");
	char *own = NULL;
	int status = GW_EXIT_USAGE;

	if (take_database(&argc, argv, &database) || argc < 2) {
		usage(stderr);
		return GW_EXIT_USAGE;
	}
	if (asks_for_help(argv[1]) || asks_for_help(argv[2])) {
		usage(stdout);
		return gw_finish_output(GW_EXIT_FINE);
	}
	if (!database || !*database)
		database = own = gw_data_path("facts");
	else if ((own = facts_within(database)))
		database = own;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(commands[i].name, argv[1]))
			continue;
		if (!database) {
			gw_complain("no database: give --database DIR");
			return GW_EXIT_FAILED;
		}
		status = commands[i].run(database, argc - 1, argv + 1);
		free(own);
		return status;
	}
#ifndef GW_HAVE_IMPORT
	if (!strcmp(argv[1], "import")) {
		gw_complain(
			"this gangway was built without libclang or libzip, so it cannot import");
		return GW_EXIT_FAILED;
	}
#endif
	free(own);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (gw_is_near(argv[1], commands[i].name)) {
			gw_complain("no command 'abi %s'; did you mean 'abi %s'?", argv[1],
				    commands[i].name);
			return GW_EXIT_USAGE;
		}
	gw_complain("no command 'abi %s'", argv[1]);
	usage(stderr);
	return GW_EXIT_USAGE;
}
