/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges one release's facts into the database and writes the family's file anew: aside, synced,
 * then renamed, so that a full disk or a crash leaves the old file. The result depends on the set
 * of facts alone, never on the order of imports.
 */
#include "abi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] =
	"# Facts read out of published releases by `gangway abi import`; not to be edited.\n";

/* A family as it will be written. */
struct merged {
	const char *name;
	struct abi_release *releases;
	size_t release_count;
	struct abi_fact *facts;
	size_t fact_count;
};

static size_t oldest(const struct abi_set *set)
{
	size_t i = 0;

	while (i < ABI_MAX_RELEASES && !abi_set_has(set, i))
		i++;
	return i;
}

static int compare(const void *a, const void *b)
{
	return abi_fact_compare(a, b);
}

/* Makes room for release `at`: what was release n >= at becomes n + 1. */
static void shift(struct abi_set *set, size_t at)
{
	struct abi_set wider = {0};

	for (size_t i = 0; i + 1 < ABI_MAX_RELEASES; i++)
		if (abi_set_has(set, i))
			abi_set_add(&wider, i < at ? i : i + 1);
	*set = wider;
}

/* The sorted union of two comma-joined lists; "-" is the empty one. */
static const char *join_wheels(struct gw_facts *facts, const char *a, const char *b)
{
	const char *result = "-";

	while (strcmp(a, "-") || strcmp(b, "-")) {
		size_t length_a = strcmp(a, "-") ? strcspn(a, ",") : 0;
		size_t length_b = strcmp(b, "-") ? strcspn(b, ",") : 0;
		int order = !length_a ? 1 : !length_b ? -1 : 0;
		const char *take;
		size_t length;

		if (!order)
			order = memcmp(a, b, length_a < length_b ? length_a : length_b);
		if (!order && length_a != length_b)
			order = length_a < length_b ? -1 : 1;
		take = order <= 0 ? a : b;
		length = order <= 0 ? length_a : length_b;
		result = strcmp(result, "-")
				 ? gw_facts_text(facts, "%s,%.*s", result, (int)length, take)
				 : gw_facts_text(facts, "%.*s", (int)length, take);
		if (order <= 0)
			a = a[length_a] ? a + length_a + 1 : "-";
		if (order >= 0)
			b = b[length_b] ? b + length_b + 1 : "-";
	}
	return result;
}

/* The release's index in MERGED, made if it is new. */
static int add_release(struct merged *merged, const char *version, const char *wheel,
		       struct gw_facts *facts, struct abi_error *error)
{
	struct abi_release release = {.version = version, .wheels = wheel};
	size_t at = 0;

	if (!abi_version_parse(version, strlen(version), release.part))
		return gw_abi_fail(error, -EINVAL,
				   "'%s' is no release (at most four numbers with dots)", version);
	while (at < merged->release_count &&
	       abi_version_compare(merged->releases[at].part, release.part) < 0)
		at++;
	if (at < merged->release_count &&
	    !abi_version_compare(merged->releases[at].part, release.part)) {
		struct abi_release *old = &merged->releases[at];

		old->wheels = join_wheels(facts, old->wheels, wheel);
		return (int)at;
	}
	if (merged->release_count == ABI_MAX_RELEASES)
		return gw_abi_fail(error, -EOVERFLOW, "%s would have more than %d releases",
				   merged->name, ABI_MAX_RELEASES);
	memmove(&merged->releases[at + 1], &merged->releases[at],
		(merged->release_count - at) * sizeof(release));
	merged->releases[at] = release;
	merged->release_count++;
	for (size_t i = 0; i < merged->fact_count; i++)
		shift(&merged->facts[i].releases, at);
	return (int)at;
}

/* One fact for equal ones: all their releases, and the source of the oldest. */
static void coalesce(struct merged *merged)
{
	size_t kept = 0;

	if (!merged->fact_count)
		return;
	qsort(merged->facts, merged->fact_count, sizeof(*merged->facts), compare);
	for (size_t i = 1; i < merged->fact_count; i++) {
		struct abi_fact *to = &merged->facts[kept], *from = &merged->facts[i];
		size_t old_to = oldest(&to->releases), old_from = oldest(&from->releases);

		if (abi_fact_compare(to, from)) {
			merged->facts[++kept] = *from;
			continue;
		}
		if (old_from < old_to ||
		    (old_from == old_to && gw_source_compare(from->source, to->source) < 0))
			to->source = from->source;
		for (size_t word = 0; word < ABI_MAX_RELEASES / 64; word++)
			to->releases.bits[word] |= from->releases.bits[word];
	}
	merged->fact_count = kept + 1;
}

static void write_set(FILE *out, const struct merged *merged, const struct abi_set *set)
{
	const char *comma = "";

	for (size_t i = 0, end; i < merged->release_count; i = end) {
		end = i + 1;
		if (!abi_set_has(set, i))
			continue;
		while (end < merged->release_count && abi_set_has(set, end))
			end++;
		fprintf(out, "%s%s", comma, merged->releases[i].version);
		if (end == merged->release_count)
			fputs("..", out);
		else if (end > i + 1)
			fprintf(out, "..%s", merged->releases[end - 1].version);
		comma = ",";
	}
}

static void write_family(FILE *out, const struct merged *merged)
{
	fprintf(out, "%sfamily\t%s\n", header, merged->name);
	for (size_t i = 0; i < merged->release_count; i++)
		fprintf(out, "release\t%s\t%s\n", merged->releases[i].version,
			merged->releases[i].wheels);
	for (size_t i = 0; i < merged->fact_count; i++) {
		const struct abi_fact *fact = &merged->facts[i];

		fputs(abi_kinds[fact->kind].name, out);
		for (unsigned c = 0; c < abi_kinds[fact->kind].columns; c++)
			fprintf(out, "\t%s", fact->column[c]);
		fputc('\t', out);
		write_set(out, merged, &fact->releases);
		fprintf(out, "\t%s\n", fact->source);
	}
}

/* Replaces PATH by what write_family says, or leaves it as it is. */
static int replace(const char *directory, const char *path, const struct merged *merged,
		   struct abi_error *error)
{
	char aside[PATH_MAX];
	int fd, folder, rc = 0;
	mode_t mask = umask(0);
	FILE *out;

	umask(mask);
	if (snprintf(aside, sizeof(aside), "%s/.%s.XXXXXX", directory, merged->name) >=
	    (int)sizeof(aside))
		return gw_abi_fail(error, -ENAMETOOLONG, "%.400s: %s", directory,
				   strerror(ENAMETOOLONG));
	fd = mkostemp(aside, O_CLOEXEC);
	if (fd < 0)
		return gw_abi_fail(error, -errno, "%.400s: cannot write here: %s", directory,
				   strerror(errno));
	out = fdopen(fd, "w");
	if (!out) {
		rc = -errno;
		close(fd);
	} else {
		write_family(out, merged);
		if (fflush(out) || ferror(out) || fchmod(fd, 0666 & ~mask) || fsync(fd))
			rc = -errno;
		if (fclose(out) && !rc)
			rc = -errno;
	}
	if (!rc && rename(aside, path))
		rc = -errno;
	if (rc) {
		unlink(aside);
		return gw_abi_fail(error, rc, "%.400s: not written, left as it was: %s", path,
				   strerror(-rc));
	}
	folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		(void)!fsync(folder); /* some file systems cannot; the file itself is safe */
		close(folder);
	}
	return 0;
}

static int read_old(struct abi_db *db, const char *path, const char *family,
		    struct abi_error *error)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t length = 0, room = 0, got;
	int rc = 0;

	memset(db, 0, sizeof(*db));
	if (!file)
		return errno == ENOENT
			       ? 0
			       : gw_abi_fail(error, -errno, "%.400s: %s", path, strerror(errno));
	do {
		if (room - length < 65536) {
			char *grown = realloc(text, room = 2 * room + 65536);

			if (!grown)
				break;
			text = grown;
		}
		got = fread(text + length, 1, room - length, file);
		length += got;
	} while (got);
	if (!text || ferror(file) || !feof(file))
		rc = gw_abi_fail(error, -EIO, "%.400s: %s", path, strerror(errno));
	if (!rc)
		rc = abi_db_parse(db, path, text, length, error);
	if (!rc && !abi_db_family(db, family))
		rc = gw_abi_fail(error, -EINVAL, "%.400s:1:1: holds family %s, not %s", path,
				 db->families[0].name, family);
	free(text);
	fclose(file);
	return rc;
}

static int merge(const char *directory, const char *path, struct merged *merged,
		 const struct abi_family *old, const char *version, const char *wheel,
		 struct gw_facts *facts, struct abi_error *error)
{
	size_t old_releases = old ? old->release_count : 0, old_facts = old ? old->fact_count : 0;
	int release;

	merged->releases = calloc(old_releases + 1, sizeof(*merged->releases));
	merged->facts = calloc(old_facts + facts->count + 1, sizeof(*merged->facts));
	if (!merged->releases || !merged->facts)
		return gw_abi_fail(error, -ENOMEM, "out of memory");
	if (old) {
		memcpy(merged->releases, old->releases, old_releases * sizeof(*merged->releases));
		memcpy(merged->facts, old->facts, old_facts * sizeof(*merged->facts));
	}
	merged->release_count = old_releases;
	merged->fact_count = old_facts;
	release = add_release(merged, version, wheel, facts, error);
	if (release < 0)
		return release;
	for (size_t i = 0; i < facts->count; i++) {
		struct abi_fact *fact = &merged->facts[merged->fact_count++];

		*fact = facts->fact[i];
		memset(&fact->releases, 0, sizeof(fact->releases));
		abi_set_add(&fact->releases, (size_t)release);
	}
	coalesce(merged);
	return replace(directory, path, merged, error);
}

int gw_store_merge(const char *directory, const char *family, const char *version,
		   const char *wheel, struct gw_facts *facts, struct abi_error *error)
{
	struct merged merged = {.name = family};
	char path[PATH_MAX];
	struct abi_db db;
	int lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (lock < 0)
		return gw_abi_fail(error, -errno, "%.400s: %s", directory, strerror(errno));
	if (snprintf(path, sizeof(path), "%s/%s.abi", directory, family) >= (int)sizeof(path)) {
		close(lock);
		return gw_abi_fail(error, -ENAMETOOLONG, "%.400s: %s", directory,
				   strerror(ENAMETOOLONG));
	}
	(void)!flock(lock, LOCK_EX); /* two imports at once must not lose one's work */
	rc = read_old(&db, path, family, error);
	if (!rc)
		rc = merge(directory, path, &merged, abi_db_family(&db, family), version, wheel,
			   facts, error);
	free(merged.releases);
	free(merged.facts);
	abi_db_finish(&db);
	close(lock);
	return rc;
}
