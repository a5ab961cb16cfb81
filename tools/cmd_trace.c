/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `gangway trace`: switches the trace of a running process, through the control page that libgangway.so offers there (abi/control_format.h). Reads and
 * writes that page and nothing else of the process.
 */
#include "cmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "abi/control_format.h"
#include "option.h"
#include "trace_levels.h"

enum { OPTION_FAMILY = 256, OPTION_FUNCTION, OPTION_DIRECTORY, OPTION_HELP };

#define MOST_NAMES 64

static const struct option options[] = {
	{"family", required_argument, NULL, OPTION_FAMILY},
	{"function", required_argument, NULL, OPTION_FUNCTION},
	{"directory", required_argument, NULL, OPTION_DIRECTORY},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway trace PID [LEVEL] [--family FAMILY] [--function FUNCTION] [--directory DIR]\n"
	"Switches what a running process, started by `gangway run`, traces; says what it traces when no LEVEL is given.\n\n"
	"LEVEL is off, count, brief (records, cheap functions timed 1 in 64), record (each call timed)\nor sample=N (records of one call in N).\n\n"
	"  --family FAMILY      only functions of this family; may be repeated\n"
	"  --function FUNCTION  only this function; may be repeated\n"
	"  --directory DIR      where the trace is begun, when the process writes none yet\n\n"
	"Exit status: 0 done, 2 wrong usage, 3 could not do it.\n";

struct asked {
	const char *family[MOST_NAMES], *function[MOST_NAMES], *directory;
	size_t families, functions;
};

struct page {
	struct gw_control *control;
	size_t size;
	uint8_t *level;
	uint16_t *every;
	const char *names;
};

static bool in_range(const struct page *page, uint64_t at, uint64_t size)
{
	return at <= page->size && size <= page->size - at;
}

/* Is what was mapped a control page that we know, of process PID? Each offset is checked before it is used. */
static int check_page(struct page *page, pid_t pid)
{
	struct gw_control *control = page->control;

	if (page->size < sizeof *control || memcmp(control->magic, GW_CONTROL_MAGIC, sizeof control->magic) != 0) {
		gw_complain("process %d is just beginning its control page; try again", pid);
		return GW_EXIT_FAILED;
	}
	if (control->version != GW_CONTROL_VERSION) {
		gw_complain("process %d has a control page of version %u, and this gangway knows version %u; use the gangway that started it (build %.79s)",
			    pid, control->version, GW_CONTROL_VERSION, control->build_id);
		return GW_EXIT_FAILED;
	}
	if (control->pid != (uint32_t)pid) {
		gw_complain("process %d has only the control page of process %u, which forked it: it has traced nothing yet", pid, control->pid);
		return GW_EXIT_FAILED;
	}
	if (!in_range(page, control->level_at, control->function_count) || !in_range(page, control->every_at, 2 * (uint64_t)control->function_count) ||
	    !in_range(page, control->names_at, control->names_size) || control->every_at % 2 || !control->names_size ||
	    ((const char *)control)[control->names_at + control->names_size - 1]) {
		gw_complain("process %d: its control page is damaged", pid);
		return GW_EXIT_FAILED;
	}
	page->level = (uint8_t *)control + control->level_at;
	page->every = (uint16_t *)(void *)((char *)control + control->every_at);
	page->names = (const char *)control + control->names_at;
	return GW_EXIT_FINE;
}

static int map_page(struct page *page, const char *path, pid_t pid)
{
	struct stat status;
	int file = open(path, O_RDWR | O_CLOEXEC), result;

	if (file < 0 || fstat(file, &status) != 0) {
		gw_complain("process %d: its control page cannot be opened: %s", pid, strerror(errno));
		if (file >= 0)
			close(file);
		return GW_EXIT_FAILED;
	}
	page->size = (size_t)status.st_size;
	page->control = page->size ? mmap(NULL, page->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
	close(file);
	if (page->control == MAP_FAILED) {
		gw_complain("process %d: its control page cannot be mapped: %s", pid, strerror(errno));
		return GW_EXIT_FAILED;
	}
	result = check_page(page, pid);
	if (result)
		munmap(page->control, page->size);
	return result;
}

/* Finds the descriptor that is the page. Of several, as in a forked child, the last is its own. */
static int open_page(struct page *page, pid_t pid)
{
	char folder[64], path[PATH_MAX], target[64], found[PATH_MAX] = "";
	struct dirent *entry;
	DIR *directory;

	snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
	directory = opendir(folder);
	if (!directory) {
		if (errno == ENOENT)
			gw_complain("there is no process %d", pid);
		else
			gw_complain("process %d is not yours to look into: %s", pid, strerror(errno));
		return GW_EXIT_FAILED;
	}
	while ((entry = readdir(directory)) != NULL) {
		ssize_t length;

		if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
			continue;
		length = readlink(path, target, sizeof target - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (strncmp(target, "/memfd:" GW_CONTROL_NAME, strlen("/memfd:" GW_CONTROL_NAME)) == 0)
			strcpy(found, path);
	}
	closedir(directory);
	if (!*found) {
		gw_complain("process %d has no control page: it was not started by `gangway run`, or has called no vendor library yet", pid);
		return GW_EXIT_FAILED;
	}
	return map_page(page, found, pid);
}

static bool wanted(const struct asked *asked, const char *family, const char *name)
{
	if (!asked->families && !asked->functions)
		return true;
	for (size_t i = 0; i < asked->families; i++)
		if (strcmp(asked->family[i], family) == 0)
			return true;
	for (size_t i = 0; i < asked->functions; i++)
		if (strcmp(asked->function[i], name) == 0)
			return true;
	return false;
}

/* Calls VISIT with each function's number, family and name. */
static void each_function(const struct page *page, void (*visit)(uint32_t fn, const char *family, const char *name, void *data), void *data)
{
	const char *at = page->names, *end = page->names + page->control->names_size;

	for (uint32_t fn = 0; fn < page->control->function_count && at < end; fn++) {
		const char *family = at, *name = family + strlen(family) + 1;

		if (name >= end)
			break;
		visit(fn, family, name, data);
		at = name + strlen(name) + 1;
	}
}

struct change {
	const struct page *page;
	const struct asked *asked;
	struct gw_trace_level_asked level;
	unsigned functions;
};

static void change_one(uint32_t fn, const char *family, const char *name, void *data)
{
	struct change *change = data;

	if (!wanted(change->asked, family, name))
		return;
	__atomic_store_n(&change->page->every[fn], change->level.every, __ATOMIC_RELAXED);
	__atomic_store_n(&change->page->level[fn], change->level.bits, __ATOMIC_RELEASE);
	change->functions++;
}

struct tally {
	const struct page *page;
	unsigned off, count, record, sample;
};

static void tally_one(uint32_t fn, const char *family, const char *name, void *data)
{
	struct tally *tally = data;
	uint8_t level = __atomic_load_n(&tally->page->level[fn], __ATOMIC_RELAXED);

	(void)family;
	(void)name;
	if (level & GW_CONTROL_SAMPLE)
		tally->sample++;
	else if (level & GW_CONTROL_RECORD)
		tally->record++;
	else if (level & GW_CONTROL_COUNT)
		tally->count++;
	else
		tally->off++;
}

static int tell(const struct page *page)
{
	struct tally tally = {.page = page};

	each_function(page, tally_one, &tally);
	printf("functions: %u off, %u count, %u record, %u sample\n", tally.off, tally.count, tally.record, tally.sample);
	return gw_finish_output(GW_EXIT_FINE);
}

/* Where a trace is begun. The path is the process's: absolute, and a directory. */
static int set_directory(const struct page *page, const char *directory)
{
	char full[PATH_MAX];
	struct stat status;

	if (!realpath(directory, full) || stat(full, &status) != 0 || !S_ISDIR(status.st_mode)) {
		gw_complain("--directory %s: %s", directory, errno ? strerror(errno) : "no directory");
		return GW_EXIT_USAGE;
	}
	if (strlen(full) >= sizeof page->control->directory) {
		gw_complain("--directory %s: the path is too long", directory);
		return GW_EXIT_USAGE;
	}
	strcpy(page->control->directory, full);
	return GW_EXIT_FINE;
}

static int change(const struct page *page, const struct asked *asked, struct gw_trace_level_asked level)
{
	struct change change = {.page = page, .asked = asked, .level = level};
	int result = asked->directory ? set_directory(page, asked->directory) : GW_EXIT_FINE;

	if (result)
		return result;
	each_function(page, change_one, &change);
	__atomic_fetch_add(&page->control->changes, 1, __ATOMIC_RELEASE);
	if (change.functions)
		return GW_EXIT_FINE;
	gw_complain("no function is of that family or name; `gangway abi list` has the families");
	return GW_EXIT_USAGE;
}

static int parse(struct asked *asked, int argc, char **argv)
{
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
		switch (option) {
		case OPTION_FAMILY:
		case OPTION_FUNCTION:
			if ((option == OPTION_FAMILY ? asked->families : asked->functions) == MOST_NAMES) {
				gw_complain("trace: more than %d names", MOST_NAMES);
				return GW_EXIT_USAGE;
			}
			if (option == OPTION_FAMILY)
				asked->family[asked->families++] = optarg;
			else
				asked->function[asked->functions++] = optarg;
			break;
		case OPTION_DIRECTORY:
			asked->directory = optarg;
			break;
		case OPTION_HELP:
		case 'h':
			return gw_option_help(help);
		default:
			return gw_option_wrong("trace", option, argv);
		}
	return -1;
}

int gw_cmd_trace(int argc, char **argv)
{
	struct asked asked = {0};
	struct gw_trace_level_asked level = {0};
	struct page page;
	int result = parse(&asked, argc, argv);
	char *end;
	long pid;

	if (result >= 0)
		return result;
	if (argc - optind < 1 || argc - optind > 2) {
		gw_complain("trace: the form is `gangway trace PID [LEVEL]`; `gangway trace --help` says more");
		return GW_EXIT_USAGE;
	}
	errno = 0;
	pid = strtol(argv[optind], &end, 10);
	if (errno || *end || pid <= 0 || pid > INT_MAX) {
		gw_complain("trace: '%s' is no process number", argv[optind]);
		return GW_EXIT_USAGE;
	}
	if (argc - optind == 2 && !gw_trace_level_parse(argv[optind + 1], strlen(argv[optind + 1]), &level)) {
		gw_complain("trace: '%s' is no level; " GW_TRACE_LEVELS_ARE, argv[optind + 1]);
		return GW_EXIT_USAGE;
	}
	result = open_page(&page, (pid_t)pid);
	if (result)
		return result;
	result = argc - optind == 2 ? change(&page, &asked, level) : tell(&page);
	munmap(page.control, page.size);
	return result;
}
