/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the bare run of gangway-verify beside the one under gangway, and says what is wrong (verify.h). */
#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gw_findings.h"

static const char *text_of(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static void tell(struct gw_verify *verify, enum gw_finding which, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void tell(struct gw_verify *verify, enum gw_finding which, const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	verify->severe |= strcmp(gw_finding_severity(which), "error") == 0;
	json_array_append_new(verify->findings, json_pack("{s:s,s:s,s:s,s:s}", "code", gw_finding_code(which), "severity", gw_finding_severity(which), "text",
							  text, "remedy", gw_finding_remedy(which)));
}

static json_t *named(json_t *array, const char *key, const char *name)
{
	json_t *item;
	size_t i;

	json_array_foreach(array, i, item) if (!strcmp(text_of(item, key), name)) return item;
	return NULL;
}

static const struct gw_verify_library *library_of(const struct gw_verify *verify, json_t *line)
{
	for (size_t i = 0; i < verify->library_count; i++)
		if (!strcmp(verify->library[i].name, text_of(line, "library")))
			return &verify->library[i];
	return NULL;
}

/* What became of a step: its own word, but that a library which nobody needs may be missing. */
static const char *outcome_of(const struct gw_verify *verify, json_t *line)
{
	const char *outcome = text_of(line, "outcome");
	const struct gw_verify_library *library = library_of(verify, line);

	if (strcmp(outcome, "missing") == 0 && library && !library->needed && !library->path)
		return "not here";
	return *outcome ? outcome : "lost";
}

/* (fmax would have every `gangway run` map the library of mathematics.) */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* The largest difference of two runs' numbers, in units of the largest of them: 0 for the same bits, NaN where they cannot be compared. */
static double drift_of(json_t *a, json_t *b)
{
	double most = 0, scale = 0;
	json_t *item;
	size_t i;

	if (json_array_size(a) != json_array_size(b))
		return NAN;
	json_array_foreach(a, i, item)
	{
		json_t *other = json_array_get(b, i);
		double x = json_number_value(item), y = json_number_value(other);

		if (json_is_null(item) != json_is_null(other))
			return NAN;
		most = larger(most, fabs(x - y));
		scale = larger(scale, larger(fabs(x), fabs(y)));
	}
	return scale > 0 ? most / scale : 0;
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *compare_cases(json_t *bare, json_t *with, double *drift)
{
	json_t *all = json_array(), *item;
	size_t i;

	*drift = json_array_size(with) && json_array_size(with) == json_array_size(bare) ? 0 : NAN;
	json_array_foreach(with, i, item)
	{
		json_t *other = named(bare, "case", text_of(item, "case"));
		double one = other ? drift_of(json_object_get(other, "values"), json_object_get(item, "values")) : NAN;

		if (isnan(one) || isnan(*drift))
			*drift = NAN;
		else
			*drift = larger(*drift, one);
		json_array_append_new(all, json_pack("{s:O,s:O,s:O,s:O,s:o,s:o}", "case", json_object_get(item, "case"), "ok", json_object_get(item, "ok"),
						     "error", json_object_get(item, "error"), "limit", json_object_get(item, "limit"), "bare_error",
						     other ? json_incref(json_object_get(other, "error")) : json_null(), "drift", number_or_null(one)));
	}
	return all;
}

/* A step that is not right under gangway; the bare run is told beside it. */
static void judge(struct gw_verify *verify, json_t *step, double drift)
{
	const char *name = text_of(step, "step"), *outcome = text_of(step, "outcome"), *bare = text_of(step, "bare"), *why = text_of(step, "why");

	if (!strcmp(outcome, "wrong"))
		tell(verify, GW_FINDING_VERIFY_WRONG, "step %s computed something else: %s; without gangway: %s", name, why, bare);
	else if (!strcmp(outcome, "failed"))
		tell(verify, GW_FINDING_VERIFY_FAILED, "step %s failed: %s; without gangway: %s", name, why, bare);
	else if (!strcmp(outcome, "crashed") || !strcmp(outcome, "lost"))
		tell(verify, GW_FINDING_VERIFY_CRASHED, "step %s crashed: %s; without gangway: %s", name, why, bare);
	else if (!strcmp(outcome, "hung"))
		tell(verify, GW_FINDING_VERIFY_HUNG, "step %s hung: %s; without gangway: %s", name, why, bare);
	else if (!strcmp(outcome, "missing"))
		tell(verify, GW_FINDING_VERIFY_MISSING, "step %s could not run: %s; without gangway: %s", name, why, bare);
	else if (!strcmp(outcome, "ok") && !strcmp(bare, "ok") && drift > 0)
		tell(verify, GW_FINDING_VERIFY_DRIFT, "step %s computed other bits than without gangway, by %.2g of the largest number; both are right", name,
		     drift);
}

static json_t *compare_step(struct gw_verify *verify, json_t *bare, json_t *with)
{
	double drift;
	json_t *cases = compare_cases(json_object_get(bare, "cases"), json_object_get(with, "cases"), &drift);
	json_t *step = json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:O,s:O?,s:O,s:o,s:O,s:O?}", "step", text_of(with, "step"), "outcome", outcome_of(verify, with),
				 "why", text_of(with, "why"), "bare", bare ? outcome_of(verify, bare) : "lost", "bare_why", text_of(bare, "why"), "drift",
				 number_or_null(drift), "seconds", json_object_get(with, "seconds"), "bare_seconds", json_object_get(bare, "seconds"), "facts",
				 json_object_get(with, "facts"), "cases", cases, "files", json_object_get(with, "files"), "bare_files",
				 json_object_get(bare, "files"));

	if (step)
		judge(verify, step, drift);
	return step;
}

static void judge_devices(struct gw_verify *verify, json_t *steps)
{
	size_t without = 0, right = 0, i;
	const char *why = "";
	json_t *step;

	json_array_foreach(steps, i, step)
	{
		if (!strcmp(text_of(step, "outcome"), "ok"))
			right++;
		if (strcmp(text_of(step, "outcome"), "no device") != 0)
			continue;
		without++;
		why = text_of(step, "why");
	}
	if (without)
		tell(verify, GW_FINDING_VERIFY_NO_DEVICE, "%zu of %zu steps could not run: %s", without, json_array_size(steps), why);
	verify->incomplete = without || !right;
}

/* The files of a library that a run had mapped, whatever the step. */
static json_t *files_of(json_t *lines, const char *library)
{
	json_t *all = json_array(), *line, *file;
	size_t i, k;

	json_array_foreach(lines, i, line) json_array_foreach(json_object_get(line, "files"), k, file)
	{
		json_t *known = named(all, "path", text_of(file, "path"));

		if (strcmp(text_of(file, "library"), library) != 0)
			continue;
		if (!known)
			json_array_append_new(all, json_pack("{s:s,s:s}", "path", text_of(file, "path"), "release", text_of(file, "release")));
		else if (!*text_of(known, "release"))
			json_object_set_new(known, "release", json_string(text_of(file, "release")));
	}
	return all;
}

static json_t *libraries(const struct gw_verify *verify, json_t *bare, json_t *with)
{
	json_t *all = json_array();

	for (size_t i = 0; i < verify->library_count; i++) {
		const struct gw_verify_library *library = &verify->library[i];

		json_array_append_new(all, json_pack("{s:s,s:s?,s:s?,s:b,s:o,s:o}", "library", library->name, "soname", library->soname, "path", library->path,
						     "needed", library->needed, "bare_files", files_of(bare, library->name), "files",
						     files_of(with, library->name)));
	}
	return all;
}

json_t *gw_verify_compare(struct gw_verify *verify, json_t *bare, json_t *with, json_t *said)
{
	json_t *steps = json_array(), *line;
	size_t i;

	json_array_foreach(with, i, line)
	{
		json_t *step = compare_step(verify, named(bare, "step", text_of(line, "step")), line);

		if (step)
			json_array_append_new(steps, step);
	}
	judge_devices(verify, steps);
	return json_pack("{s:s?,s:s?,s:o,s:o,s:O,s:O}", "program", verify->program ? verify->program : verify->framework, "facades", verify->layout.facades,
			 "libraries", libraries(verify, bare, with), "steps", steps, "said", said, "findings", verify->findings);
}
