/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway explain`: what a finding's code stands for, from the installed copy of abi/findings, as text or JSON. */
#include "cmd.h"

#include <ctype.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/findings.h"
#include "option.h"

#define CODE_SIZE 7	/* "GW-303" */
#define NEAREST 3

enum { OPTION_JSON = 256, OPTION_HELP };

static const struct option options[] = {
	{"json", no_argument, NULL, OPTION_JSON},
	{"help", no_argument, NULL, OPTION_HELP},
	{0},
};

static const char help[] =
	"Usage: gangway explain [--json] [CODE]…\n"
	"Says what a finding means, how its message looks, and how to end it: `gangway explain GW-303`, or 303.\n"
	"Without a code, lists all.\n\n"
	"  --json                       print JSON\n\n"
	"Exit status: 0 fine; 2 no such finding, or wrong usage; 3 the list of findings cannot be read.\n";

/* "GW-303", "gw303" or "303" as a code; false for anything else. */
static bool read_code(const char *text, char code[CODE_SIZE])
{
	if (tolower((unsigned char)text[0]) == 'g' && tolower((unsigned char)text[1]) == 'w')
		text += text[2] == '-' ? 3 : 2;
	if (strspn(text, "0123456789") != 3 || text[3])
		return false;
	snprintf(code, CODE_SIZE, "GW-%s", text);
	return true;
}

static unsigned distance(const struct abi_finding *finding, const char *code)
{
	return (unsigned)abs(atoi(finding->code + 3) - atoi(code + 3));
}

/* Those nearest to CODE by number stand together, since all are sorted: narrows from both ends to NEAREST. */
static void complain_unknown(const struct abi_findings *findings, const char *code)
{
	const struct abi_finding *first = findings->finding, *end = first + findings->count;
	char list[NEAREST * (CODE_SIZE + 4)] = "";
	size_t used = 0;

	if (first == end) {
		gw_complain("no finding %s: the list of findings is empty", code);
		return;
	}
	while (end - first > NEAREST) {
		if (distance(first, code) > distance(end - 1, code))
			first++;
		else
			end--;
	}
	for (const struct abi_finding *f = first; f < end; f++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", f == first ? "" : f + 1 == end ? " and " : ", ",
					 f->code);
	gw_complain("no finding %s; the nearest %s %s; `gangway explain` lists all", code, strchr(list, ' ') ? "are" : "is", list);
}

static const struct abi_finding *find(const struct abi_findings *findings, const char *text)
{
	const struct abi_finding *finding = NULL;
	char code[CODE_SIZE];

	if (!read_code(text, code))
		gw_complain("'%s' is no finding's code, such as GW-303; `gangway explain` lists all", text);
	else if (!(finding = abi_findings_find(findings, code)))
		complain_unknown(findings, code);
	return finding;
}

static void print_lines(const char *lines, const char *indent)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");

		fputs(length ? indent : "", stdout);
		fwrite(lines, 1, length, stdout);
		putchar('\n');
		lines += length + (lines[length] == '\n');
	}
}

static void print_one(const struct abi_finding *f)
{
	if (f->retired) {
		printf("%s (%s) is retired, and told no more: %s\n", f->code, abi_severities[f->severity], f->retired);
		return;
	}
	printf("%s %s: %s\nRemedy: %s\n\n", f->code, abi_severities[f->severity], f->cause, f->remedy);
	print_lines(f->text, "");
	puts("\nIt looks like this:\n");
	print_lines(f->examples, "    ");
	puts("\nTo end it:\n");
	print_lines(f->cures, "    ");
}

static void print_row(const struct abi_finding *f)
{
	printf("%s  %-8s %s\n", f->code, f->retired ? "retired" : abi_severities[f->severity], f->retired ? f->retired : f->cause);
}

static json_t *json_lines(const char *lines)
{
	json_t *array = json_array();

	for (; *lines; lines += strcspn(lines, "\n") + 1)
		json_array_append_new(array, json_stringn(lines, strcspn(lines, "\n")));
	return array;
}

static json_t *json_one(const struct abi_finding *f)
{
	json_t *object = json_pack("{s:s,s:s,s:b}", "code", f->code, "severity", abi_severities[f->severity], "retired", f->retired != NULL);

	if (f->retired)
		json_object_set_new(object, "text", json_string(f->retired));
	else
		json_object_update_new(object, json_pack("{s:s,s:s,s:s%,s:o,s:o}", "cause", f->cause, "remedy", f->remedy, "text", f->text,
							 strlen(f->text) - 1, "examples", json_lines(f->examples), "cures",
							 json_lines(f->cures)));
	return object;
}

/* CHOSEN: COUNT findings, or all where there are none. */
static int print_all(const struct abi_findings *findings, const struct abi_finding **chosen, size_t count, bool as_json)
{
	size_t shown = count ? count : findings->count;
	json_t *array = json_array(), *all;

	for (size_t i = 0; i < shown; i++) {
		const struct abi_finding *f = count ? chosen[i] : &findings->finding[i];

		if (as_json)
			json_array_append_new(array, json_one(f));
		else if (!count)
			print_row(f);
		else
			printf("%s", i ? "\n\n" : ""), print_one(f);
	}
	if (as_json) {
		all = json_pack("{s:O}", "findings", array);
		json_dumpf(all, stdout, JSON_INDENT(1));
		putchar('\n');
		json_decref(all);
	}
	json_decref(array);
	return gw_finish_output(GW_EXIT_FINE);
}

/* -1: go on; else the exit status. */
static int parse(bool *as_json, int argc, char **argv)
{
	int option, result = -1;

	opterr = 0;
	optind = 1;
	while (result < 0 && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == OPTION_JSON) {
			*as_json = true;
		} else if (option == OPTION_HELP || option == 'h') {
			result = gw_option_help(help);
		} else {
			result = gw_option_wrong("explain", option, argv);
		}
	}
	return result;
}

int gw_cmd_explain(int argc, char **argv)
{
	struct abi_findings findings = {0};
	struct abi_error error = {0};
	const struct abi_finding **chosen = NULL;
	bool as_json = false;
	size_t count = 0;
	char *path = NULL;
	int result = parse(&as_json, argc, argv);

	if (result >= 0)
		return result;
	path = gw_data_path("findings");
	chosen = calloc((size_t)argc, sizeof(const struct abi_finding *));
	if (!path || !chosen || abi_findings_load(&findings, path, &error)) {
		gw_complain("%s", *error.text ? error.text : path && chosen ? "out of memory" : "the list of findings is not installed beside this program");
		result = GW_EXIT_FAILED;
		goto finish;
	}
	for (; optind < argc; optind++) {
		chosen[count] = find(&findings, argv[optind]);
		if (!chosen[count++])
			result = GW_EXIT_USAGE;
	}
	if (result < 0)
		result = print_all(&findings, chosen, count, as_json);
	abi_findings_finish(&findings);
finish:
	free(chosen);
	free(path);
	return result;
}
