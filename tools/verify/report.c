/* SPDX-License-Identifier: Apache-2.0 */
/* The line of JSON that a step becomes (step.h). Written as it goes into memory, and to the pipe in one go, so that a step that dies leaves no half of one. */
#include "step.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const gw_outcome_names[GW_OUTCOMES] = {
	[GW_OK] = "ok",           [GW_WRONG] = "wrong",     [GW_FAILED] = "failed",       [GW_CRASHED] = "crashed",
	[GW_HUNG] = "hung",       [GW_MISSING] = "missing", [GW_NO_DEVICE] = "no device", [GW_NOT_HERE] = "not here",
};

static struct {
	const char *step, *part, *library;
	char *doing;
	size_t doing_size;
	int out;
	struct timespec start;
	char *cases, *facts;
	size_t cases_size, facts_size;
	FILE *case_text, *fact_text;
	unsigned case_count, fact_count;
	char wrong[512];
} report;

static void write_text(FILE *out, const char *text)
{
	putc('"', out);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < ' ' || *at > '~')
			fprintf(out, "\\u%04x", *at == '\n' || *at == '\t' ? ' ' : *at < 0x80 ? *at : '?');
		else
			putc(*at, out);
	}
	putc('"', out);
}

/* JSON has no word for what is no number. */
static void write_number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.17g", value);
	else
		fputs("null", out);
}

void *gw_room(size_t count, size_t size)
{
	void *room = calloc(count ? count : 1, size);

	if (!room)
		gw_end(GW_FAILED, "out of memory");
	return room;
}

void gw_report_start(const char *step, char *doing, size_t doing_size, int out)
{
	report.step = step;
	report.doing = doing;
	report.doing_size = doing_size;
	report.out = out;
	clock_gettime(CLOCK_MONOTONIC, &report.start);
	report.case_text = open_memstream(&report.cases, &report.cases_size);
	report.fact_text = open_memstream(&report.facts, &report.facts_size);
	if (!report.case_text || !report.fact_text)
		_exit(3);
}

void gw_about(const char *library)
{
	report.library = library;
}

void gw_part(const char *name)
{
	report.part = name;
}

void gw_doing(const char *format, ...)
{
	int length = report.part ? snprintf(report.doing, report.doing_size, "%s: ", report.part) : 0;
	va_list arguments;

	if (length < 0 || (size_t)length >= report.doing_size)
		return;
	va_start(arguments, format);
	vsnprintf(report.doing + length, report.doing_size - (size_t)length, format, arguments);
	va_end(arguments);
}

void gw_fact(const char *name, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (report.fact_count++)
		putc(',', report.fact_text);
	write_text(report.fact_text, name);
	putc(':', report.fact_text);
	write_text(report.fact_text, text);
}

void gw_case(const char *name, const double *got, const double *wanted, size_t count, double limit)
{
	double most = 0, scale = 0;
	FILE *out = report.case_text;

	for (size_t i = 0; i < count; i++) {
		double difference = fabs(got[i] - wanted[i]);

		if (!(difference <= most))
			most = difference;
		if (fabs(wanted[i]) > scale)
			scale = fabs(wanted[i]);
		if (isnan(most))
			break;
	}
	if (scale > 0)
		most /= scale;
	if (!(most <= limit) && !report.wrong[0])
		snprintf(report.wrong, sizeof report.wrong, "%s: the numbers are off by %.2g of the largest, and %.2g is allowed", name, most, limit);
	if (report.case_count++)
		putc(',', out);
	fputs("{\"case\":", out);
	write_text(out, name);
	fprintf(out, ",\"ok\":%s,\"error\":", most <= limit ? "true" : "false");
	write_number(out, most);
	fputs(",\"limit\":", out);
	write_number(out, limit);
	fputs(",\"values\":[", out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc(',', out);
		write_number(out, got[i]);
	}
	fputs("]}", out);
}

/* A pipe takes what it likes at a time. */
static void write_all(int out, const char *text, size_t size)
{
	while (size) {
		ssize_t written = write(out, text, size);

		if (written < 0 && errno != EINTR)
			_exit(3);
		if (written > 0)
			text += written, size -= (size_t)written;
	}
}

static void write_files(FILE *out)
{
	struct gw_library_file file;
	size_t cursor = 0;
	bool first = true;

	while (gw_library_mapped(&cursor, &file)) {
		fputs(first ? "{\"library\":" : ",{\"library\":", out);
		write_text(out, file.name);
		fputs(",\"path\":", out);
		write_text(out, file.path);
		fputs(",\"release\":", out);
		write_text(out, file.release);
		putc('}', out);
		first = false;
	}
}

void gw_end(enum gw_outcome outcome, const char *format, ...)
{
	char why[1024], *text = NULL;
	size_t size = 0;
	int length = outcome == GW_FAILED && report.part ? snprintf(why, sizeof why, "%s: ", report.part) : 0;
	struct timespec now;
	va_list arguments;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		_exit(3);
	if (length < 0 || (size_t)length >= sizeof why)
		length = 0;
	va_start(arguments, format);
	vsnprintf(why + length, sizeof why - (size_t)length, format, arguments);
	va_end(arguments);
	if (outcome == GW_OK && report.wrong[0]) {
		outcome = GW_WRONG;
		memcpy(why, report.wrong, sizeof report.wrong);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	fclose(report.case_text);
	fclose(report.fact_text);
	fputs("{\"step\":", out);
	write_text(out, report.step);
	fputs(",\"outcome\":", out);
	write_text(out, gw_outcome_names[outcome]);
	fputs(",\"library\":", out);
	write_text(out, report.library ? report.library : "");
	fputs(",\"why\":", out);
	write_text(out, why);
	fprintf(out, ",\"seconds\":%.3f,\"facts\":{%s},\"cases\":[%s],\"files\":[",
		(double)(now.tv_sec - report.start.tv_sec) + (double)(now.tv_nsec - report.start.tv_nsec) / 1e9, report.facts, report.cases);
	gw_doing("naming the libraries");
	write_files(out);
	fputs("]}\n", out);
	if (fclose(out) != 0)
		_exit(3);
	write_all(report.out, text, size);
	/* What libraries do at exit is no part of the step. */
	_exit(0);
}

void gw_report_lost(int out, const char *step, enum gw_outcome outcome, const char *doing, const char *why)
{
	char *text = NULL;
	size_t size = 0;
	FILE *line = open_memstream(&text, &size);
	char both[1024];

	if (!line)
		return;
	snprintf(both, sizeof both, "%s in: %s", why, *doing ? doing : "nothing yet");
	fputs("{\"step\":", line);
	write_text(line, step);
	fputs(",\"outcome\":", line);
	write_text(line, gw_outcome_names[outcome]);
	fputs(",\"why\":", line);
	write_text(line, both);
	fputs(",\"library\":\"\",\"seconds\":0,\"facts\":{},\"cases\":[],\"files\":[]}\n", line);
	if (fclose(line) == 0)
		write_all(out, text, size);
	free(text);
}
