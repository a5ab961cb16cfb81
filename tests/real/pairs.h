/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of pairs_program.py share: one line a question, and questions that cannot take each other down. A question runs
 * in a child; the one that ends it is named, and the next child goes on behind it.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

struct constant {
	long long value;
	const char *name;
};

struct question {
	const char *name;
	void (*ask)(void);
	int alone;	/* changes the whole process: has one of its own */
};

/* The name of a value of an enum, as this program's header has it; else the number. */
static const char *named(const struct constant *list, long long value)
{
	static char number[8][32];
	static unsigned turn;
	char *text = number[turn++ % 8];

	for (; list->name; list++)
		if (list->value == value)
			return list->name;
	snprintf(text, sizeof(number[0]), "%lld", value);
	return text;
}

static char line[16384];
static size_t line_used;

/* Adds to the line; \n ends and prints it. Lines that are not ours (a library's log) lack the mark. */
static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line_used += (size_t)vsnprintf(line + line_used, sizeof(line) - line_used, format, arguments);
	va_end(arguments);
	if (line_used >= sizeof(line))
		line_used = sizeof(line) - 1;
	if (line_used && line[line_used - 1] == '\n') {
		printf("| %s", line);
		fflush(stdout);
		line_used = 0;
	}
}

static void say_text(const char *text)
{
	char copy[512];
	size_t i;

	snprintf(copy, sizeof(copy), "%s", text ? text : "(null)");
	for (i = 0; copy[i]; i++)
		if (copy[i] == '\n' || copy[i] == '\t')
			copy[i] = ' ';
	say("\"%s\"", copy);
}

/* Room for what a function writes: filled with a mark, so that what was not written shows. */
#define OUT_SIZE 128
#define MARK 0xa7

static void blank(void *out)
{
	memset(out, MARK, OUT_SIZE);
}

/* The elements that were written, up to the last one. KIND: i integer, e enum (LIST), d double, f float, p pointer, x bytes. */
static void say_out(const void *out, char kind, size_t size, const struct constant *list)
{
	const unsigned char *bytes = out;
	size_t last = OUT_SIZE, i, j;

	while (last > 0 && bytes[last - 1] == MARK)
		last--;
	if (!last) {
		say(" -");
		return;
	}
	for (i = 0; i < last; i += size) {
		long long value = 0;
		double number = 0;
		float small = 0;

		memcpy(&value, bytes + i, size < 8 ? size : 8);
		if (size == 4)
			value = (int32_t)value;
		say(i ? "," : " ");
		switch (kind) {
		case 'e':
			say("%s", named(list, value));
			break;
		case 'd':
			memcpy(&number, bytes + i, 8);
			say("%g", number);
			break;
		case 'f':
			memcpy(&small, bytes + i, 4);
			say("%g", (double)small);
			break;
		case 'p':
			say("%s", value ? "pointer" : "NULL");
			break;
		case 'x':
			for (j = 0; j < size; j++)
				say("%02x", bytes[i + j]);
			break;
		default:
			say("%lld", value);
		}
	}
}

static unsigned char scratch_page[16][4096] __attribute__((aligned(64)));

/* Zeroed memory of its own for each pointer that is passed. */
static void *scratch(int which)
{
	memset(scratch_page[which % 16], 0, sizeof(scratch_page[0]));
	return scratch_page[which % 16];
}

/* Names in FILE, a line each, are not asked: on the program's own libraries they end the process. */
static int skipped(const char *names, const char *name)
{
	const char *at = names;
	size_t length = strlen(name);

	while (at && (at = strstr(at, name))) {
		if ((at == names || at[-1] == '\n') && at[length] == '\n')
			return 1;
		at += length;
	}
	return 0;
}

static const char *read_names(const char *path)
{
	static char names[65536];
	FILE *file = path ? fopen(path, "r") : NULL;

	if (file) {
		names[fread(names, 1, sizeof(names) - 1, file)] = 0;
		fclose(file);
	}
	return names;
}

static int ask_all(const struct question *questions, int count, const char *path)
{
	const char *names = read_names(path);
	volatile int *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int first = 0, status, i;

	while (first < count) {
		pid_t child;

		at[0] = first;
		at[1] = 0;
		fflush(stdout);
		child = fork();
		if (child == 0) {
			for (i = first; i < count; i++) {
				if (questions[i].alone && i > first)
					break;
				at[0] = i;
				alarm(60);
				if (!skipped(names, questions[i].name))
					questions[i].ask();
				if (questions[i].alone) {
					i++;
					break;
				}
			}
			fflush(stdout);
			at[0] = i;
			at[1] = 1;
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (at[1]) {
			first = at[0];
			continue;
		}
		/* A line may have been begun: it is lost with the child. */
		if (WIFSIGNALED(status))
			printf("| %s\tends the process: signal %d\n", questions[at[0]].name, WTERMSIG(status));
		else
			printf("| %s\tends the process: exit %d\n", questions[at[0]].name, WEXITSTATUS(status));
		first = at[0] + 1;
	}
	return 0;
}
