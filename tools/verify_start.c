/* SPDX-License-Identifier: Apache-2.0 */
/* Starts gangway-verify, bare and under `gangway run`, and reads its lines (verify.h). */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmd.h"

/* Words of a command line, NULL at the end. */
struct words {
	char **word;
	size_t count, room;
	bool failed;
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *words, const char *format, ...)
{
	va_list arguments;

	if (words->count + 1 >= words->room) {
		char **more = realloc(words->word, (words->room += 32) * sizeof *more);

		if (!more) {
			words->failed = true;
			return;
		}
		words->word = more;
	}
	va_start(arguments, format);
	if (vasprintf(&words->word[words->count], format, arguments) < 0)
		words->failed = true;
	else
		words->count++;
	va_end(arguments);
	words->word[words->count] = NULL;
}

static void words_finish(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
}

static void add_helper(struct words *words, const struct gw_verify *verify)
{
	add(words, "%s", verify->helper);
	if (verify->limit > 0) {
		add(words, "--limit");
		add(words, "%g", verify->limit);
	}
	for (size_t i = 0; i < verify->library_count; i++)
		if (verify->library[i].soname) {
			add(words, "--library");
			add(words, "%s=%s", verify->library[i].name, verify->library[i].path ? verify->library[i].path : verify->library[i].soname);
		}
	for (size_t i = 0; i < verify->step_count; i++)
		add(words, "%s", verify->steps[i]);
}

static void add_run(struct words *words, const struct gw_verify *verify, const char *findings)
{
	add(words, "/proc/self/exe");
	add(words, "run");
	add(words, "--quiet");
	add(words, "--findings");
	add(words, "%s", findings);
	for (size_t i = 0; i < verify->python.count; i++) {
		add(words, "--python");
		add(words, "%s", verify->python.directory[i]);
	}
	add(words, "--");
}

/* Whoever calls us under `gangway run` has our libraries in the environment. */
static void take_out(const char *variable, const char *path)
{
	const char *list = getenv(variable);
	size_t length = path ? strlen(path) : 0;

	if (!list || !path || strncmp(list, path, length) != 0 || (list[length] && list[length] != ':'))
		return;
	if (list[length])
		setenv(variable, list + length + 1, 1);
	else
		unsetenv(variable);
}

static _Noreturn void become(const struct gw_verify *verify, struct words *words, int out, bool with_shim)
{
	if (verify->library_path)
		setenv("LD_LIBRARY_PATH", verify->library_path, 1);
	if (!with_shim) {
		take_out("LD_PRELOAD", verify->layout.shim);
		take_out("LD_AUDIT", verify->layout.audit);
	}
	if (dup2(out, STDOUT_FILENO) >= 0)
		execv(words->word[0], words->word);
	_exit(127);
}

/* Runs WORDS; their standard output, to free, or NULL after a complaint. */
static char *output_of(const struct gw_verify *verify, struct words *words, bool with_shim)
{
	int ends[2], status = 0;
	char *text = NULL, part[1 << 16];
	size_t size = 0;
	FILE *all = open_memstream(&text, &size);
	ssize_t got;
	pid_t pid = -1;

	if (!all || words->failed || pipe2(ends, O_CLOEXEC) != 0) {
		gw_complain("verify: %s", strerror(errno));
		goto finish;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(verify, words, ends[1], with_shim);
	close(ends[1]);
	while (pid > 0 && ((got = read(ends[0], part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0)
			fwrite(part, 1, (size_t)got, all);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		gw_complain("verify: %s", strerror(errno));
	else if (status)
		gw_complain("verify: %s %s did not do its part%s", with_shim ? "gangway run --" : "", verify->helper,
			    WIFSIGNALED(status) ? ": it was ended by a signal" : "");
finish:
	if (all)
		fclose(all);
	if (pid > 0 && !status)
		return text;
	free(text);
	return NULL;
}

static json_t *lines_of(char *text)
{
	json_t *lines = json_array();
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		json_error_t error;
		json_t *item = *line ? json_loads(line, 0, &error) : NULL;

		if (item)
			json_array_append_new(lines, item);
		else if (*line)
			gw_complain("verify: a line of gangway-verify is not understood: %s", error.text);
	}
	return lines;
}

static json_t *read_findings(const char *path)
{
	json_t *said = json_array();
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		json_t *one;
		size_t i;

		line[strcspn(line, "\n")] = '\0';
		/* Each step's process says it anew. */
		json_array_foreach(said, i, one) if (!strcmp(json_string_value(one), line)) break;
		if (i < json_array_size(said))
			continue;
		json_array_append_new(said, json_stringn(line, strlen(line)) ?: json_string("(text that is not UTF-8)"));
	}
	free(line);
	if (file)
		fclose(file);
	return said;
}

json_t *gw_verify_start(const struct gw_verify *verify, bool with_shim, json_t **said)
{
	char findings[] = "/tmp/gangway-verify-XXXXXX";
	struct words words = {0};
	json_t *lines = NULL;
	char *text;
	int file = with_shim ? mkstemp(findings) : -1;

	*said = NULL;
	if (with_shim && file < 0) {
		gw_complain("%s: %s", findings, strerror(errno));
		return NULL;
	}
	if (with_shim)
		add_run(&words, verify, findings);
	add_helper(&words, verify);
	text = output_of(verify, &words, with_shim);
	if (text)
		lines = lines_of(text);
	if (with_shim) {
		*said = read_findings(findings);
		close(file);
		unlink(findings);
	}
	free(text);
	words_finish(&words);
	return lines;
}

int gw_verify_check_steps(const struct gw_verify *verify)
{
	struct words words = {0};
	int result = GW_EXIT_FINE;
	char *text;

	if (!verify->step_count)
		return GW_EXIT_FINE;
	add(&words, "%s", verify->helper);
	add(&words, "--list");
	text = output_of(verify, &words, false);
	if (!text)
		result = GW_EXIT_FAILED;
	for (size_t i = 0; text && i < verify->step_count && !result; i++) {
		size_t length = strlen(verify->steps[i]);
		const char *at = text;
		bool known = false;

		while (!known && (at = strstr(at, verify->steps[i])) != NULL) {
			known = (at == text || at[-1] == '\n') && at[length] == '\n';
			at++;
		}
		if (known && length)
			continue;
		for (char *end = text; (end = strchr(end, '\n')) != NULL;)
			*end = end[1] ? ' ' : '\0';
		gw_complain("--only %s: there is no such step; there are: %s", verify->steps[i], text);
		result = GW_EXIT_USAGE;
	}
	free(text);
	words_finish(&words);
	return result;
}
