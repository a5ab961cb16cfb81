/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, text and findings of `gangway doctor` (doctor.h). */
#include "doctor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(struct gw_doctor *doctor, char *text)
{
	void **more = text ? realloc(doctor->kept, (doctor->kept_count + 1) * sizeof *more) : NULL;

	if (!more) {
		free(text);
		doctor->failed = true;
		return "";
	}
	doctor->kept = more;
	more[doctor->kept_count++] = text;
	return text;
}

const char *gw_doctor_keep(struct gw_doctor *doctor, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return keep(doctor, length < 0 ? NULL : text);
}

void *gw_doctor_more(struct gw_doctor *doctor, void *array, size_t *count, size_t size)
{
	char *more; /* the caller's pointer, of whichever type */

	memcpy(&more, array, sizeof more);
	/* Room doubles: there may be many lines of RECORDs. */
	if ((*count & (*count - 1)) == 0)
		more = realloc(more, (*count ? *count * 2 : 1) * size);
	if (!more) {
		doctor->failed = true;
		return NULL;
	}
	memcpy(array, &more, sizeof more);
	memset(more + *count * size, 0, size);
	return more + (*count)++ * size;
}

/* TEXT in UTF-8, to free. */
static char *clean(const char *text)
{
	char *copy = strdup(text);
	json_t *tried;

	for (char *c = copy; copy && *c;) {
		size_t length = (unsigned char)*c < 0x80 ? 1 : (unsigned char)*c < 0xe0 ? 2 : (unsigned char)*c < 0xf0 ? 3 : 4;

		tried = strnlen(c, length) == length ? json_stringn(c, length) : NULL;
		if (!tried || iscntrl((unsigned char)*c)) {
			*c = '?';
			length = 1;
		}
		json_decref(tried);
		c += length;
	}
	return copy;
}

json_t *gw_doctor_text(const char *text)
{
	char *copy = text ? clean(text) : NULL;
	json_t *value = copy ? json_string(copy) : json_null();

	free(copy);
	return value;
}

void gw_doctor_find(struct gw_doctor *doctor, enum gw_finding which, const char *remedy, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		doctor->failed = true;
		return;
	}
	doctor->severe |= strcmp(gw_finding_severity(which), "error") == 0;
	json_array_append_new(doctor->findings,
			      json_pack("{s:s,s:s,s:o,s:o}", "code", gw_finding_code(which), "severity", gw_finding_severity(which),
					"text", gw_doctor_text(text), "remedy",
					gw_doctor_text(remedy ? remedy : gw_finding_remedy(which))));
	free(text);
}

/* A file that several need is told once. */
void gw_doctor_unreadable(struct gw_doctor *doctor, const char *message)
{
	size_t length = strlen(doctor->scan.loader.root), i;
	json_t *item;

	if (strncmp(message, doctor->scan.loader.root, length) == 0 && message[length] == '/')
		message += length;
	json_array_foreach(doctor->findings, i, item)
	{
		const char *told = json_string_value(json_object_get(item, "text"));

		if (told && strcmp(told, message) == 0)
			return;
	}
	gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s", message);
}

const char *gw_doctor_number(struct gw_doctor *doctor, const char *text, unsigned least)
{
	char release[GW_RELEASE_SIZE];

	return gw_version_number(text, text + strlen(text), least, release) ? gw_doctor_keep(doctor, "%s", release) : NULL;
}

void gw_doctor_finish(struct gw_doctor *doctor)
{
	for (size_t i = 0; i < doctor->kept_count; i++)
		free(doctor->kept[i]);
	free(doctor->kept);
	free(doctor->sites);
	free(doctor->prefixes);
	free(doctor->toolkits);
	free(doctor->packages);
	free(doctor->records);
	free(doctor->copies);
	for (size_t i = 0; i < doctor->framework_count; i++)
		free(doctor->installed[i].uses);
	free(doctor->installed);
	free(doctor->gpus);
	json_decref(doctor->findings);
	gw_loader_finish(&doctor->scan.loader);
	abi_db_finish(&doctor->scan.db);
	gw_python_paths_finish(&doctor->scan.given);
	gw_scan_forget_packages(&doctor->scan);
	gw_scan_forget_python(&doctor->scan);
	gw_rules_finish(&doctor->rules);
	gw_table_finish(&doctor->table);
	gw_frameworks_finish(&doctor->frameworks);
}
