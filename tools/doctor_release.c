/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The release of one copy (doctor.h): by the wheel that holds it, while the file is still that wheel's; by its file's name; by its exports,
 * which several releases may share: then all of those are meant.
 */
#include "doctor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi_guess.h"
#include "scan.h"

const char *const gw_doctor_evidence[] = {"wheel", "file name", "contents", "exports", "nearest exports", "unknown"};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * Can release R of FAMILY have these COUNT exports of the library SONAME? Of C++ names the database knows only those that other libraries
 * of the release import: one that is there, and not of the release by the facts, says nothing.
 */
static bool fits(const struct abi_family *family, size_t r, const char *soname, const char **exports, size_t count)
{
	bool any = false;

	for (size_t f = family->first[ABI_EXPORT]; f < family->first[ABI_EXPORT + 1]; f++) {
		const struct abi_fact *fact = &family->facts[f];
		bool there, has = abi_set_has(&fact->releases, r);

		if (strcmp(fact->column[0], soname) != 0)
			continue;
		there = gw_guess_has(exports, count, fact->column[1], gw_query_symbol_length(fact->column[1]));
		if (has ? !there : there && strncmp(fact->column[1], "_Z", 2) != 0)
			return false;
		any |= has;
	}
	return any;
}

/* The oldest and newest release that fit; else the nearest, which only a library tells whose exports the database knows. */
static void choose(struct gw_doctor_copy *copy, const struct abi_family *family, const char **exports, size_t count)
{
	bool known = false;
	int best;

	for (size_t r = 0; r < family->release_count; r++) {
		if (!fits(family, r, copy->soname, exports, count))
			continue;
		copy->evidence = GW_DOCTOR_EXPORTS;
		copy->release = family->releases[r].version;
		copy->oldest = copy->oldest ? copy->oldest : copy->release;
	}
	for (size_t f = family->first[ABI_EXPORT]; f < family->first[ABI_EXPORT + 1] && !known; f++)
		known = strcmp(family->facts[f].column[0], copy->soname) == 0;
	best = copy->release || !known ? -1 : gw_guess_exports(family, copy->soname, exports, count);
	if (best >= 0) {
		copy->evidence = GW_DOCTOR_NEAREST;
		copy->release = copy->oldest = family->releases[best].version;
	}
}

static void by_exports(struct gw_doctor *doctor, struct gw_doctor_copy *copy, const struct gw_library *library)
{
	const struct abi_family *family = gw_scan_family(&doctor->scan.db, copy->soname);
	const char **exports = family ? calloc(library->count + 1, sizeof *exports) : NULL;
	size_t count = 0;

	for (size_t i = 0; exports && i < library->count; i++)
		if (library->symbols[i].defined && library->symbols[i].function)
			exports[count++] = library->symbols[i].name;
	if (count) {
		qsort(exports, count, sizeof *exports, by_text);
		choose(copy, family, exports, count);
	}
	free(exports);
}

static bool by_wheel(struct gw_doctor *doctor, struct gw_doctor_copy *copy)
{
	size_t count;
	const struct gw_doctor_record *record = gw_doctor_records(doctor, copy->real, &count);

	copy->changed = count > 0;
	for (size_t i = 0; i < count; i++) {
		const struct gw_doctor_package *package = &doctor->packages[record[i].package];

		if (record[i].wrong)
			continue;
		copy->changed = false;
		if (!package->nvidia)
			continue;
		copy->release = copy->oldest = package->version;
		copy->evidence = GW_DOCTOR_WHEEL;
		return true;
	}
	return false;
}

void gw_doctor_find_release(struct gw_doctor *doctor, struct gw_doctor_copy *copy)
{
	const char *number = strstr(strrchr(copy->real, '/'), ".so.");
	const char *cuda;
	bool driver = strcmp(copy->family, "driver") == 0;
	struct gw_library library;
	struct abi_error error;
	char host[PATH_MAX], version[64];
	int file;

	if (by_wheel(doctor, copy))
		return;
	if (!copy->changed && gw_loader_host(&doctor->scan.loader, copy->real, host) == 0 && strstr(copy->real, "/nvidia/") &&
	    gw_guess_wheel(host, version, sizeof version)) {
		copy->release = copy->oldest = gw_doctor_keep(doctor, "%s", version);
		copy->evidence = GW_DOCTOR_WHEEL;
		return;
	}
	copy->release = copy->oldest = number ? gw_doctor_number(doctor, number + 4, driver ? 2 : 3) : NULL;
	if (copy->release) {
		copy->evidence = GW_DOCTOR_FILE_NAME;
		return;
	}
	if (strcmp(copy->family, "nccl") == 0 && gw_doctor_nccl(doctor, copy->real, &copy->release, &cuda)) {
		copy->oldest = copy->release;
		copy->evidence = GW_DOCTOR_CONTENTS;
		return;
	}
	if (!copy->soname || !gw_scan_family(&doctor->scan.db, copy->soname))
		return;
	file = gw_loader_host(&doctor->scan.loader, copy->real, host) ? -1 : open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return;
	if (gw_library_read(&library, file, host, &error) == 0)
		by_exports(doctor, copy, &library);
	else
		gw_doctor_unreadable(doctor, error.text);
	gw_library_finish(&library);
	close(file);
}
