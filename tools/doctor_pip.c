/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pip installed (doctor.h): each package's name, from its dist-info directory, and the lines of its RECORD that concern us: all of the
 * vendor's packages, and our families' libraries of any other (doctor_record.c).
 */
#include "doctor.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sha256.h"

#define MAX_RECORDS (1u << 16)
#define MAX_FILE (4ull << 30) /* the largest library of any wheel has a third of it */
#define MAX_METADATA (4u << 20)

/* One RECORD that is being read. */
struct reading {
	struct gw_doctor *doctor;
	const char *site;
	size_t package;
	unsigned number; /* of the line */
};

/* SITE and the path of a line, without links where that is there. */
static const char *place(struct gw_doctor *doctor, const char *site, const char *path)
{
	char real[PATH_MAX];
	const char *whole = *path == '/' ? gw_doctor_keep(doctor, "%s", path) : gw_doctor_keep(doctor, "%s/%s", site, path);

	return gw_doctor_resolve(doctor, whole, real) ? gw_doctor_keep(doctor, "%s", real) : whole;
}

static const char *take_line(void *context, const struct gw_record_line *line)
{
	struct reading *reading = context;
	struct gw_doctor *doctor = reading->doctor;
	const char *slash = strrchr(line->path, '/');
	struct gw_doctor_record *record;
	char stem[64];
	bool ours = gw_doctor_family(slash ? slash + 1 : line->path, stem) != NULL;

	if (!ours && (!line->hash || !doctor->packages[reading->package].nvidia))
		return NULL;
	if (doctor->record_count == MAX_RECORDS)
		return "is one file too many for all packages together; no further one is compared";
	record = gw_doctor_more(doctor, &doctor->records, &doctor->record_count, sizeof *record);
	if (record)
		*record = (struct gw_doctor_record){place(doctor, reading->site, line->path), reading->package,
						    line->hash ? gw_doctor_keep(doctor, "%s", line->hash) : NULL, line->size,
						    reading->number, NULL};
	return NULL;
}

static void read_record(struct gw_doctor *doctor, const char *site, size_t package)
{
	const char *path = doctor->packages[package].record, *wrong;
	struct reading reading = {doctor, site, package, 0};
	FILE *stream = gw_doctor_stream(doctor, path);

	if (!stream) {
		if (errno != ENOENT) /* other installers write none */
			gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, errno == EINVAL ? "is no regular file" : strerror(errno));
		return;
	}
	wrong = gw_record_read(stream, take_line, &reading, &reading.number);
	if (wrong)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%u: %s", path, reading.number, wrong);
	fclose(stream);
}

static void check_metadata(struct gw_doctor *doctor, const char *path)
{
	char *text = gw_doctor_read(doctor, path, MAX_METADATA), error[256];

	if (!text && errno != ENOENT)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s: %s", path, errno == EINVAL ? "is no regular file" : strerror(errno));
	else if (text && gw_metadata_check(text, error, sizeof error) != 0)
		gw_doctor_find(doctor, GW_FINDING_UNREADABLE, NULL, "%s:%s", path, error);
	free(text);
}

static void read_package(struct gw_doctor *doctor, const char *path, void *context)
{
	const char *base = strrchr(path, '/') + 1, *dash = strchr(base, '-');
	int length = (int)(strlen(base) - strlen(".dist-info")), name = dash ? (int)(dash - base) : 0;
	struct gw_doctor_package *package;
	char *text;

	if (!dash || name >= length || !(package = gw_doctor_more(doctor, &doctor->packages, &doctor->package_count, sizeof *package)))
		return;
	/* `nvidia_cublas_cu12` and `nvidia-cublas-cu12` are one name. */
	text = (char *)(uintptr_t)gw_doctor_keep(doctor, "%.*s", name, base);
	for (char *c = text; *c; c++)
		*c = *c == '_' || *c == '.' ? '-' : (char)tolower((unsigned char)*c);
	package->name = text;
	package->version = gw_doctor_keep(doctor, "%.*s", length - name - 1, dash + 1);
	package->nvidia = strncmp(text, "nvidia-", 7) == 0;
	package->record = gw_doctor_keep(doctor, "%s/RECORD", path);
	read_record(doctor, context, doctor->package_count - 1);
	if (package->nvidia)
		check_metadata(doctor, gw_doctor_keep(doctor, "%s/METADATA", path));
}

static int by_path(const void *a, const void *b)
{
	const struct gw_doctor_record *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->package > y->package) - (x->package < y->package);
}

void gw_doctor_read_packages(struct gw_doctor *doctor)
{
	for (size_t i = 0; i < doctor->site_count; i++)
		gw_doctor_match(doctor, gw_doctor_keep(doctor, "%s/*.dist-info", doctor->sites[i]), read_package,
				(void *)(uintptr_t)doctor->sites[i]);
	if (doctor->record_count)
		qsort(doctor->records, doctor->record_count, sizeof *doctor->records, by_path);
}

const struct gw_doctor_record *gw_doctor_records(const struct gw_doctor *doctor, const char *real, size_t *count)
{
	size_t low = 0, high = doctor->record_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(doctor->records[middle].path, real) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < doctor->record_count && strcmp(doctor->records[low + *count].path, real) == 0;)
		++*count;
	return *count ? doctor->records + low : NULL;
}

/* How the file of one line differs; NULL where it does not. */
static const char *compare(struct gw_doctor *doctor, const struct gw_doctor_record *record)
{
	char text[GW_RECORD_HASH + 1], block[1 << 16];
	struct sha256_ctx sum;
	uint64_t size;
	ssize_t count;
	int file;

	if (!record->hash)
		return NULL;
	file = gw_doctor_open(doctor, record->path, &size);
	/* Images are made smaller by taking headers, static libraries and examples out: no program misses those. */
	if (file == -ENOENT && !strstr(record->path, ".so"))
		return NULL;
	if (file < 0)
		return file == -ENOENT ? "it is not there" : gw_doctor_keep(doctor, "it cannot be read: %s", strerror(-file));
	if (size != record->size) {
		close(file);
		return gw_doctor_keep(doctor, "it has %llu bytes, not %llu", (unsigned long long)size, (unsigned long long)record->size);
	}
	if (size > MAX_FILE) {
		close(file);
		return gw_doctor_keep(doctor, "it has %llu bytes, more than any wheel's file", (unsigned long long)size);
	}
	sha256_init(&sum);
	while ((count = read(file, block, sizeof block)) > 0)
		sha256_update(&sum, (size_t)count, (const uint8_t *)block);
	close(file);
	gw_sha256_text(&sum, text);
	return count < 0 ? "it cannot be read to its end" : strcmp(text, record->hash) ? "it has other contents of the same size" : NULL;
}

/* Another package that lists the file of RECORD, too; one that it is the file of, rather than any. */
static const struct gw_doctor_record *other(const struct gw_doctor *doctor, const struct gw_doctor_record *record)
{
	const struct gw_doctor_record *found = NULL, *all;
	size_t count;

	all = gw_doctor_records(doctor, record->path, &count);
	for (size_t i = 0; i < count; i++)
		if (all[i].package != record->package && (!found || !all[i].wrong))
			found = &all[i];
	return found;
}

/* One finding a package: the first file by name, and how many more there are. */
static void tell(struct gw_doctor *doctor, size_t package)
{
	const struct gw_doctor_package *p = &doctor->packages[package];
	const struct gw_doctor_record *first = NULL, *owner;
	const char *whose = "";
	size_t wrong = 0;

	for (size_t i = 0; i < doctor->record_count; i++) {
		const struct gw_doctor_record *record = &doctor->records[i];

		if (record->package != package || !record->wrong)
			continue;
		wrong++;
		if (!first)
			first = record;
	}
	if (!first)
		return;
	owner = other(doctor, first);
	if (owner)
		whose = gw_doctor_keep(doctor, "; %s %s %s", doctor->packages[owner->package].name, doctor->packages[owner->package].version,
				       owner->wrong ? "lists it, too" : "installed it as it is");
	if (wrong > 1)
		whose = gw_doctor_keep(doctor, "%s; so do %zu more of its files differ", whose, wrong - 1);
	gw_doctor_find(doctor, GW_FINDING_WHEEL_CHANGED, NULL, "%s is not as %s %s installed it (%s:%u): %s%s", first->path, p->name, p->version,
		       p->record, first->line, first->wrong, whose);
}

void gw_doctor_check_records(struct gw_doctor *doctor)
{
	for (size_t i = 0; i < doctor->record_count; i++)
		doctor->records[i].wrong = compare(doctor, &doctor->records[i]);
	for (size_t i = 0; i < doctor->package_count; i++)
		tell(doctor, i);
}
