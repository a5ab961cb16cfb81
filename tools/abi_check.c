/* SPDX-License-Identifier: Apache-2.0 */
/* `gangway abi check`: does a library file export, and with --ask answer, what the database says of
 * its release? */
#include "abi_guess.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi_ask.h"
#include "cmd.h"

static const char usage[] =
	"Usage: gangway abi [--database DIR] check [--ask] [--json] LIBRARY…\n"
	"\n"
	"Compares each file's soname, version node and exported functions with what the database "
	"says of its\n"
	"release. The release is what the wheel's metadata or the headers beside the file say, "
	"else the one\n"
	"whose exports fit best.\n"
	"\n"
	"  --ask  also load the library, in a child process, and ask it for its version\n";

struct check {
	const struct gw_query *query;
	const char *path;
	struct gw_library library;
	const char **exports; /* its exported functions, sorted */
	size_t export_count;
	const char *soname;
	const struct abi_family *family;
	const struct gw_family_rule *rule;
	size_t release;
	char version[64]; /* what it says it is; may be unknown to the database */
	const char *how;
	json_t *findings;
	size_t errors;
	bool ask;
};

__attribute__((format(printf, 3, 4))) static void find(struct check *check, bool is_error,
						       const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	check->errors += is_error;
	json_array_append_new(
		check->findings,
		json_pack("{s:s, s:s}", "severity", is_error ? "error" : "note", "text", text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int read_library(struct check *check, struct abi_error *error)
{
	int fd = open(check->path, O_RDONLY | O_CLOEXEC), rc;
	const char *slash = strrchr(check->path, '/');

	if (fd < 0)
		return gw_abi_fail(error, -errno, "%.400s: %s", check->path, strerror(errno));
	rc = gw_library_read(&check->library, fd, check->path, error);
	close(fd);
	if (rc)
		return rc;
	check->soname = check->library.soname ? check->library.soname
			: slash               ? slash + 1
					      : check->path;
	check->exports = calloc(check->library.count + 1, sizeof(*check->exports));
	if (!check->exports)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	for (size_t i = 0; i < check->library.count; i++)
		if (check->library.symbols[i].defined && check->library.symbols[i].function)
			check->exports[check->export_count++] = check->library.symbols[i].name;
	qsort(check->exports, check->export_count, sizeof(*check->exports), by_text);
	return 0;
}

/* The family whose libraries are called like this one. */
static int find_family(struct check *check, struct abi_error *error)
{
	const struct gw_query *query = check->query;

	for (size_t f = 0; f < query->db.family_count; f++) {
		const struct abi_family *family = &query->db.families[f];

		for (size_t r = 0; r < query->rules.count; r++)
			if (!strcmp(query->rules.rule[r].name, family->name) &&
			    gw_rule_has_library(&query->rules.rule[r], check->soname))
				check->rule = &query->rules.rule[r];
		for (size_t i = family->first[ABI_SONAME]; i < family->first[ABI_SONAME + 1]; i++)
			if (check->rule || !strcmp(family->facts[i].column[0], check->soname))
				check->family = family;
		if (check->family)
			return 0;
	}
	return gw_abi_fail(error, -ENOENT,
			   "%.300s: its soname %s belongs to no family of the database",
			   check->path, check->soname);
}

/* Sets check->release; false when no known release has this soname. */
static bool find_release(struct check *check)
{
	int known = -1, resembles;

	if (gw_guess_wheel(check->path, check->version, sizeof(check->version)))
		check->how = "its wheel's metadata";
	else if (gw_guess_headers(check->path, check->rule, check->version, sizeof(check->version)))
		check->how = "the headers beside it";
	if (check->how)
		known = abi_family_release(check->family, check->version);
	resembles =
		gw_guess_exports(check->family, check->soname, check->exports, check->export_count);
	if (check->how && known < 0 && resembles >= 0)
		find(check, false,
		     "release %s (says %s) is not in the database; compared with the known release "
		     "that it "
		     "resembles most, %s",
		     check->version, check->how, check->family->releases[resembles].version);
	if (known < 0) {
		known = resembles;
		check->how = "its exports";
	}
	if (known < 0)
		return false;
	check->release = (size_t)known;
	return true;
}

/* Facts of the checked release and library. */
static bool applies(const struct check *check, const struct abi_fact *fact)
{
	return abi_set_has(&fact->releases, check->release) &&
	       !strcmp(fact->column[0], check->soname);
}

static void compare_node(struct check *check)
{
	const struct abi_family *family = check->family;
	const char *node = check->library.node ? check->library.node : "-";

	for (size_t i = family->first[ABI_NODE]; i < family->first[ABI_NODE + 1]; i++)
		if (applies(check, &family->facts[i]) && strcmp(family->facts[i].column[1], node))
			find(check, true, "its symbols bear the version %s, not %s",
			     strcmp(node, "-") ? node : "(none)", family->facts[i].column[1]);
}

/* Does a header of this release, of any family that the wheel feeds, declare it? */
static bool declared(const struct check *check, const char *name)
{
	const char *version = check->family->releases[check->release].version;

	for (size_t f = 0; f < check->query->db.family_count; f++) {
		const struct abi_family *family = &check->query->db.families[f];
		int release = -1;

		if (!strcmp(family->releases[0].wheels, "-") && family != check->family)
			continue;
		for (size_t r = 0; r < family->release_count; r++)
			if (!strcmp(family->releases[r].version, version) &&
			    !strcmp(family->releases[r].wheels,
				    check->family->releases[check->release].wheels))
				release = (int)r;
		for (size_t i = family->first[ABI_FUNCTION];
		     release >= 0 && i < family->first[ABI_FUNCTION + 1]; i++)
			if (abi_set_has(&family->facts[i].releases, (size_t)release) &&
			    !strcmp(family->facts[i].column[0], name))
				return true;
	}
	return false;
}

/* `others`: what is left of the file's exports once the listed ones are taken out. */
static void compare_others(struct check *check, const char **others, size_t count)
{
	const struct abi_family *family = check->family;
	uint64_t hash = gw_abi_hash(others, count);
	char ours[32], digits[32];

	snprintf(ours, sizeof(ours), "%zu", count);
	snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)hash);
	for (size_t i = family->first[ABI_OTHERS]; i < family->first[ABI_OTHERS + 1]; i++) {
		const struct abi_fact *fact = &family->facts[i];

		if (applies(check, fact) && strcmp(fact->column[1], ours))
			find(check, true, "%s further functions are exported, not %s", ours,
			     fact->column[1]);
		else if (applies(check, fact) && strcmp(fact->column[2], digits))
			find(check, true,
			     "the %s further functions that it exports have other names", ours);
	}
}

static int compare_exports(struct check *check)
{
	const struct abi_family *family = check->family;
	size_t first = family->first[ABI_EXPORT], last = family->first[ABI_EXPORT + 1], count = 0,
	       other_count = 0;
	const char **names = calloc(last - first + 1, sizeof(*names));
	const char **others = calloc(check->export_count + 1, sizeof(*others));

	if (!names || !others) {
		free(names);
		free(others);
		return -ENOMEM;
	}
	for (size_t i = first; i < last; i++) {
		const struct abi_fact *fact = &family->facts[i];

		if (!applies(check, fact))
			continue;
		names[count++] = fact->column[1];
		if (!gw_guess_has(check->exports, check->export_count, fact->column[1],
				  gw_query_symbol_length(fact->column[1])))
			find(check, true, "lacks %s", fact->column[1]);
	}
	for (size_t i = 0; i < check->export_count; i++) {
		const char *name = check->exports[i];
		size_t length = strlen(name);
		bool listed = false;

		for (size_t n = 0; !listed && n < count; n++)
			listed = !strncmp(names[n], name, length) &&
				 (!names[n][length] || names[n][length] == '@');
		if (listed)
			continue;
		if ((check->rule && gw_rule_has_symbol(check->rule, name)) || declared(check, name))
			find(check, true,
			     "exports %s, which the database does not list for this release", name);
		else
			others[other_count++] = name;
	}
	compare_others(check, others, other_count);
	free(names);
	free(others);
	return 0;
}

/* The function that answers the version, if a header declares it with the one shape that we can
 * call. */
static const char *version_function(const struct check *check)
{
	const struct abi_family *family = check->family;

	for (size_t i = family->first[ABI_FUNCTION]; i < family->first[ABI_FUNCTION + 1]; i++) {
		const struct abi_fact *fact = &family->facts[i];
		size_t length = strlen(family->name);

		if (abi_set_has(&fact->releases, check->release) &&
		    !strncmp(fact->column[0], family->name, length) &&
		    !strcmp(fact->column[0] + length, "GetProperty") &&
		    !strcmp(fact->column[2], "type: libraryPropertyType, value: int *"))
			return fact->column[0];
	}
	return NULL;
}

static void ask(struct check *check)
{
	const char *function = version_function(check);
	const unsigned *part = check->family->releases[check->release].part;
	struct gw_answer answer;

	if (!function ||
	    !gw_guess_has(check->exports, check->export_count, function, strlen(function))) {
		find(check, false, "not asked: it has no function that answers its version");
		return;
	}
	if (gw_ask_version(check->path, check->library.needed, check->library.needed_count,
			   function, &answer))
		find(check, true, "could not be asked: %s", answer.error);
	else if (answer.status)
		find(check, true, "%s failed with status %d", function, answer.status);
	else if ((unsigned)answer.part[0] != part[0] || (unsigned)answer.part[1] != part[1] ||
		 (unsigned)answer.part[2] != part[2])
		find(check, true, "%s answers %d.%d.%d, not %u.%u.%u", function, answer.part[0],
		     answer.part[1], answer.part[2], part[0], part[1], part[2]);
	else
		find(check, false, "%s answers %d.%d.%d", function, answer.part[0], answer.part[1],
		     answer.part[2]);
}

static int compare(struct check *check, struct abi_error *error)
{
	int rc = read_library(check, error);

	if (!rc)
		rc = find_family(check, error);
	if (rc)
		return rc;
	if (!find_release(check)) {
		find(check, true, "no known release of %s has the soname %s", check->family->name,
		     check->soname);
		return 0;
	}
	compare_node(check);
	rc = compare_exports(check);
	if (!rc && check->ask)
		ask(check);
	return rc;
}

static json_t *report(const struct check *check, bool json)
{
	size_t index;
	json_t *finding;

	if (json)
		return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:O}", "library", check->path,
				 "soname", check->soname, "family", check->family->name, "release",
				 check->how ? check->family->releases[check->release].version
					    : NULL,
				 "release_from", check->how, "findings", check->findings);
	if (check->how)
		printf("%s: %s %s (by %s): %s\n", check->path, check->family->name,
		       check->family->releases[check->release].version, check->how,
		       check->errors ? "differs" : "as the database says");
	json_array_foreach(check->findings, index, finding)
		printf("%s: %s: %s\n", check->path,
		       json_string_value(json_object_get(finding, "severity")),
		       json_string_value(json_object_get(finding, "text")));
	return NULL;
}

static int check_one(const struct gw_query *query, const char *path, bool with_ask, json_t *all)
{
	struct check check = {
		.query = query, .path = path, .ask = with_ask, .findings = json_array()};
	struct abi_error error = {""};
	int rc = compare(&check, &error), status = check.errors ? GW_EXIT_FINDINGS : GW_EXIT_FINE;

	if (rc) {
		gw_complain("%s", error.text[0] ? error.text : strerror(-rc));
		status = GW_EXIT_FAILED;
	} else {
		json_t *entry = report(&check, query->json);

		if (entry)
			json_array_append_new(all, entry);
	}
	json_decref(check.findings);
	free(check.exports);
	gw_library_finish(&check.library);
	return status;
}

int gw_abi_check(const char *database, int argc, char **argv)
{
	struct gw_query query;
	json_t *all = json_array();
	bool with_ask = false;
	int kept = 1, status;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--ask"))
			with_ask = true;
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	status = gw_query_begin(&query, database, kept, argv, usage, 1, 1 << 20);
	if (status >= 0) {
		json_decref(all);
		return gw_finish_output(status);
	}
	status = GW_EXIT_FINE;
	for (int i = 0; i < query.word_count; i++) {
		int one = check_one(&query, query.words[i], with_ask, all);

		status = one > status ? one : status;
	}
	if (query.json)
		gw_query_print(json_pack("{s:O}", "libraries", all));
	json_decref(all);
	gw_query_finish(&query);
	return gw_finish_output(status);
}
