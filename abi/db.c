/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the database text into memory (db.h says how to use it, README.md the grammar). Strict: what the importer would not
 * have written is an error with its place. Text is hostile until checked: nothing is used before its shape was.
 */
#include "db.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (64u << 20)	/* bytes; far above any real database, far below what could exhaust a machine */

const struct abi_kind_shape abi_kinds[ABI_KIND_COUNT] = {
	[ABI_SONAME] = {"soname", 2, 0},
	[ABI_NODE] = {"node", 2, 0},
	[ABI_NEEDED] = {"needed", 2, 0},
	[ABI_EXPORT] = {"export", 2, 0},
	[ABI_OTHERS] = {"others", 3, 1 << 1},
	[ABI_FUNCTION] = {"function", 3, 0},
	[ABI_ENUM] = {"enum", 3, 1 << 2},
	[ABI_STRUCT] = {"struct", 2, 1 << 1},
	[ABI_FIELD] = {"field", 5, 1 << 2 | 1 << 3},
	[ABI_TYPEDEF] = {"typedef", 2, 0},
	[ABI_MACRO] = {"macro", 2, 1 << 1},
};

/* All memory of one database, so that finishing it is one walk. */
struct storage {
	void **block;
	size_t count, room;
};

/* Where the reader stands in one file. */
struct reader {
	struct storage *storage;
	struct abi_family *family;
	struct abi_error *error;
	const char *path;
	unsigned line;
	char *start;		/* of this line: columns are counted from here */
	size_t facts_room, releases_room;
	int kind;		/* of the line before, -1 while only releases were seen */
};

/* reallocarray, which glibc has from 2.26 on: abigen is also built where the host's glibc is older. */
static void *resize(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, bytes);
}

static void *keep(struct storage *storage, void *block)
{
	if (!block)
		return NULL;
	if (storage->count == storage->room) {
		size_t room = storage->room ? 2 * storage->room : 16;
		void **grown = resize(storage->block, room, sizeof(*grown));

		if (!grown) {
			free(block);
			return NULL;
		}
		storage->block = grown;
		storage->room = room;
	}
	return storage->block[storage->count++] = block;
}

/* Room for one more element in *array, which storage owns. */
static int grow(struct storage *storage, void **array, size_t *room, size_t count, size_t size)
{
	size_t wanted = *room ? 2 * *room : 64, at = 0;
	void *grown;

	if (count < *room)
		return 0;
	if (!*array) {
		*array = keep(storage, resize(NULL, wanted, size));
		*room = *array ? wanted : 0;
		return *array ? 0 : -ENOMEM;
	}
	while (storage->block[at] != *array)
		at++;
	grown = resize(*array, wanted, size);
	if (!grown)
		return -ENOMEM;
	*array = storage->block[at] = grown;
	*room = wanted;
	return 0;
}

__attribute__((format(printf, 3, 4)))
static int fail(struct reader *reader, const char *at, const char *format, ...)
{
	struct abi_error *error = reader->error;
	int length = snprintf(error->text, sizeof(error->text), "%s:%u:%zu: ", reader->path,
			      reader->line, at ? (size_t)(at - reader->start) + 1 : 1);
	va_list arguments;

	if (length > 0 && (size_t)length < sizeof(error->text)) {
		va_start(arguments, format);
		vsnprintf(error->text + length, sizeof(error->text) - length, format, arguments);
		va_end(arguments);
	}
	return -EINVAL;
}

bool abi_version_parse(const char *text, size_t length, unsigned part[4])
{
	const char *end = text + length;

	memset(part, 0, 4 * sizeof(part[0]));
	for (int i = 0; i < 4; i++) {
		unsigned long value = 0;
		const char *digits = text;

		while (text < end && *text >= '0' && *text <= '9' && value <= UINT_MAX)
			value = 10 * value + (unsigned long)(*text++ - '0');
		if (text == digits || value > UINT_MAX || (text - digits > 1 && *digits == '0'))
			return false;
		part[i] = (unsigned)value;
		if (text == end)
			return true;
		if (*text++ != '.')
			return false;
	}
	return false;
}

int abi_version_compare(const unsigned a[4], const unsigned b[4])
{
	for (int i = 0; i < 4; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static bool is_number(const char *text)
{
	char *end;

	if (*text != '-' && (*text < '0' || *text > '9'))
		return false;
	errno = 0;
	if (*text == '-')
		(void)!strtoll(text, &end, 10);
	else
		(void)!strtoull(text, &end, 10);
	return !errno && !*end && end > text + (*text == '-');
}

/* Numbers by value: sign first, then magnitude (an unsigned 64-bit value does not fit a signed one). */
static int compare_numbers(const char *a, const char *b)
{
	bool minus_a = *a == '-', minus_b = *b == '-';
	unsigned long long x = strtoull(a + minus_a, NULL, 10), y = strtoull(b + minus_b, NULL, 10);
	int order = x < y ? -1 : x > y;

	if (minus_a != minus_b)
		return minus_a ? -1 : 1;
	return minus_a ? -order : order;
}

int abi_fact_compare(const struct abi_fact *a, const struct abi_fact *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	for (unsigned i = 0; i < abi_kinds[a->kind].columns; i++) {
		bool number = abi_kinds[a->kind].numbers >> i & 1;
		int order = number ? compare_numbers(a->column[i], b->column[i])
				   : strcmp(a->column[i], b->column[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Splits a line at its TABs, in place; columns that it has not are NULL. Returns the number of columns, or what fail says. */
static int split(struct reader *reader, char *line, char *column[], int most)
{
	int count = 0;

	for (int i = 0; i < most; i++)
		column[i] = NULL;
	for (char *at = line, *next; at; at = next) {
		next = strchr(at, '\t');
		if (count == most)
			return fail(reader, at, "more columns than this kind of line has (%d)", most - 1);
		if (next)
			*next++ = '\0';
		if (!*at)
			return fail(reader, at, "an empty column (write '-')");
		column[count++] = at;
	}
	return count;
}

static int find_release(const struct abi_family *family, const char *text, size_t length)
{
	unsigned part[4];
	size_t low = 0, high = family->release_count;

	if (!abi_version_parse(text, length, part))
		return -ENOENT;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = abi_version_compare(family->releases[middle].part, part);

		if (!order)
			return (int)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -ENOENT;
}

/* RELEASES, into a set. `text` points into the line. */
static int parse_set(struct reader *reader, char *text, struct abi_set *set)
{
	const struct abi_family *family = reader->family;

	memset(set, 0, sizeof(*set));
	for (char *item = text, *next; item; item = next) {
		size_t length = strcspn(item, ",");
		const char *dots = memmem(item, length, "..", 2);
		int first, last;

		next = item[length] ? item + length + 1 : NULL;
		first = find_release(family, item, dots ? (size_t)(dots - item) : length);
		if (first < 0)
			return fail(reader, item, "release '%.*s' has no `release` line", (int)length, item);
		last = first;
		if (dots && dots + 2 == item + length)
			last = (int)family->release_count - 1;
		else if (dots)
			last = find_release(family, dots + 2, (size_t)(item + length - dots - 2));
		if (last < 0)
			return fail(reader, dots + 2, "the end of range '%.*s' has no `release` line",
				    (int)length, item);
		if (last < first)
			return fail(reader, item, "range '%.*s' ends before it begins", (int)length, item);
		for (int i = first; i <= last; i++) {
			if (abi_set_has(set, (size_t)i))
				return fail(reader, item, "release %s stands twice in this list",
					    family->releases[i].version);
			abi_set_add(set, (size_t)i);
		}
	}
	return 0;
}

static int parse_release(struct reader *reader, char *line)
{
	struct abi_family *family = reader->family;
	struct abi_release *release;
	char *column[3];
	int rc = split(reader, line, column, 3);

	if (rc < 0)
		return rc;
	if (rc != 3)
		return fail(reader, line, "`release` needs VERSION and WHEEL");
	if (reader->kind >= 0)
		return fail(reader, line, "`release` lines stand before all facts");
	if (family->release_count == ABI_MAX_RELEASES)
		return fail(reader, line, "more than %d releases of one family", ABI_MAX_RELEASES);
	rc = grow(reader->storage, (void **)&family->releases, &reader->releases_room,
		  family->release_count, sizeof(*release));
	if (rc)
		return rc;
	release = &family->releases[family->release_count];
	release->version = column[1];
	release->wheels = column[2];
	if (!abi_version_parse(column[1], strlen(column[1]), release->part))
		return fail(reader, column[1], "'%s' is no release (at most four numbers with dots)", column[1]);
	if (family->release_count && abi_version_compare(release[-1].part, release->part) >= 0)
		return fail(reader, column[1], "release %s must stand before %s, once", column[1],
			    release[-1].version);
	family->release_count++;
	return 0;
}

static int kind_of(const char *line)
{
	size_t length = strcspn(line, "\t");

	for (int kind = 0; kind < ABI_KIND_COUNT; kind++)
		if (strlen(abi_kinds[kind].name) == length && !memcmp(abi_kinds[kind].name, line, length))
			return kind;
	return -1;
}

static int parse_fact(struct reader *reader, char *line, int kind)
{
	struct abi_family *family = reader->family;
	int columns = (int)abi_kinds[kind].columns;
	struct abi_fact *fact;
	char *column[ABI_MAX_COLUMNS + 3];
	int rc = split(reader, line, column, columns + 3);

	if (rc < 0)
		return rc;
	if (rc != columns + 3)
		return fail(reader, line, "`%s` needs %d columns, here are %d", abi_kinds[kind].name,
			    columns + 2, rc - 1);
	for (int i = 0; i < columns; i++)
		if (abi_kinds[kind].numbers >> i & 1 && !is_number(column[i + 1]))
			return fail(reader, column[i + 1], "'%s' is no number", column[i + 1]);
	rc = grow(reader->storage, (void **)&family->facts, &reader->facts_room, family->fact_count,
		  sizeof(*fact));
	if (rc)
		return rc;
	fact = &family->facts[family->fact_count];
	*fact = (struct abi_fact){.kind = (enum abi_kind)kind, .line = reader->line};
	for (int i = 0; i < columns; i++)
		fact->column[i] = column[i + 1];
	fact->source = column[columns + 2];
	rc = parse_set(reader, column[columns + 1], &fact->releases);
	if (rc)
		return rc;
	if (kind < reader->kind)
		return fail(reader, line, "`%s` lines stand before `%s` lines", abi_kinds[kind].name,
			    abi_kinds[reader->kind].name);
	if (kind == reader->kind) {
		int order = abi_fact_compare(&fact[-1], fact);

		if (!order)
			return fail(reader, line, "the same fact stands on line %u", fact[-1].line);
		if (order > 0)
			return fail(reader, line, "out of order: this line belongs before line %u",
				    fact[-1].line);
	}
	while (reader->kind < kind)
		family->first[++reader->kind] = family->fact_count;
	family->fact_count++;
	return 0;
}

static int parse_family(struct reader *reader, char *line)
{
	char *column[2];
	int rc = split(reader, line, column, 2);

	if (rc < 0)
		return rc;
	if (rc != 2)
		return fail(reader, line, "`family` needs NAME");
	if (reader->family->name)
		return fail(reader, line, "a second `family` line");
	reader->family->name = column[1];
	return 0;
}

static int parse_line(struct reader *reader, char *line)
{
	static const char family[] = "family\t", release[] = "release\t";
	int kind;

	reader->start = line;
	if (*line == '#')
		return 0;
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if ((*c < ' ' && *c != '\t') || *c == 0x7f)
			return fail(reader, (const char *)c, "a control character (byte 0x%02x)", *c);
	if (!strncmp(line, family, strlen(family)))
		return parse_family(reader, line);
	if (!reader->family->name)
		return fail(reader, line, "the first line that is no comment must be `family`");
	if (!strncmp(line, release, strlen(release)))
		return parse_release(reader, line);
	kind = kind_of(line);
	if (kind < 0)
		return fail(reader, line, "unknown kind of line '%.*s'", (int)strcspn(line, "\t"), line);
	return parse_fact(reader, line, kind);
}

/* `text` is NUL-terminated, belongs to storage and is cut into pieces. */
static int parse_text(struct reader *reader, char *text, size_t length)
{
	int rc;

	for (char *line = text, *next; line < text + length; line = next) {
		size_t bytes = strcspn(line, "\n");

		reader->line++;
		reader->start = line;
		if (line[bytes] != '\n' && line + bytes < text + length)
			return fail(reader, line + bytes, "a NUL byte");
		if (line[bytes] != '\n')
			return fail(reader, line + bytes, "the file ends within a line (is it cut off?)");
		line[bytes] = '\0';
		next = line + bytes + 1;
		rc = parse_line(reader, line);
		if (rc)
			return rc;
	}
	reader->start = text;
	if (!reader->family->name)
		return fail(reader, NULL, "no `family` line");
	while (reader->kind < ABI_KIND_COUNT)
		reader->family->first[++reader->kind] = reader->family->fact_count;
	return 0;
}

int abi_db_parse(struct abi_db *db, const char *path, const char *text, size_t length,
		 struct abi_error *error)
{
	struct storage *storage = db->storage;
	struct abi_family family = {0};
	struct reader reader = {.family = &family, .error = error, .path = path, .kind = -1};
	struct abi_family *families;
	char *copy;
	int rc;

	error->text[0] = '\0';
	if (!storage)
		storage = db->storage = calloc(1, sizeof(*storage));
	if (!storage)
		return -ENOMEM;
	reader.storage = storage;
	family.path = keep(storage, strdup(path));
	copy = keep(storage, malloc(length + 1));
	if (!family.path || !copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	rc = parse_text(&reader, copy, length);
	if (rc)
		return rc;
	if (abi_db_family(db, family.name)) {
		snprintf(error->text, sizeof(error->text), "%s:1:1: family %s is also in %s", path,
			 family.name, abi_db_family(db, family.name)->path);
		return -EEXIST;
	}
	families = resize(db->families, db->family_count + 1, sizeof(*families));
	if (!families)
		return -ENOMEM;
	db->families = families;
	size_t at = db->family_count++;
	for (; at && strcmp(families[at - 1].name, family.name) > 0; at--)
		families[at] = families[at - 1];
	families[at] = family;
	return 0;
}

int abi_db_load_file(struct abi_db *db, const char *path, struct abi_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	size_t got = 0;
	struct stat status;
	char *text = NULL;

	if (fd < 0 || fstat(fd, &status)) {
		rc = -errno;
	} else if (!S_ISREG(status.st_mode) || status.st_size > MAX_FILE) {
		rc = -EFBIG;
	} else {
		text = malloc((size_t)status.st_size + 1);
		rc = text ? 0 : -ENOMEM;
	}
	while (!rc && got < (size_t)status.st_size) {
		ssize_t n = read(fd, text + got, (size_t)status.st_size - got);

		if (n < 0 && errno != EINTR)
			rc = -errno;
		if (!n)
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	if (rc)
		snprintf(error->text, sizeof(error->text), "%.400s: %s", path, strerror(-rc));
	else
		rc = abi_db_parse(db, path, text, got, error);
	free(text);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int is_database(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && entry->d_name[0] != '.' && !strcmp(entry->d_name + length - 4, ".abi");
}

int abi_db_load(struct abi_db *db, const char *directory, struct abi_error *error)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_database, alphasort), rc = 0;
	char path[PATH_MAX];

	memset(db, 0, sizeof(*db));
	error->text[0] = '\0';
	if (count < 0) {
		rc = -errno;
		snprintf(error->text, sizeof(error->text), "%.400s: %s", directory, strerror(-rc));
		return rc;
	}
	if (!count) {
		snprintf(error->text, sizeof(error->text), "%.400s: no *.abi file here", directory);
		rc = -ENOENT;
	}
	for (int i = 0; i < count; i++) {
		if (!rc && snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name) >=
				   (int)sizeof(path))
			rc = -ENAMETOOLONG;
		if (!rc)
			rc = abi_db_load_file(db, path, error);
		free(entries[i]);
	}
	free(entries);
	if (rc)
		abi_db_finish(db);
	if (rc && !error->text[0])
		snprintf(error->text, sizeof(error->text), "%.400s: %s", directory, strerror(-rc));
	return rc;
}

void abi_db_finish(struct abi_db *db)
{
	struct storage *storage = db->storage;

	for (size_t i = 0; storage && i < storage->count; i++)
		free(storage->block[i]);
	if (storage)
		free(storage->block);
	free(storage);
	free(db->families);
	memset(db, 0, sizeof(*db));
}

const struct abi_family *abi_db_family(const struct abi_db *db, const char *name)
{
	for (size_t i = 0; i < db->family_count; i++)
		if (!strcmp(db->families[i].name, name))
			return &db->families[i];
	return NULL;
}

int abi_family_release(const struct abi_family *family, const char *version)
{
	size_t length = strlen(version);
	unsigned part[4];

	for (size_t i = 0; i < family->release_count; i++)
		if (!strcmp(family->releases[i].version, version))
			return (int)i;
	if (!abi_version_parse(version, length, part))
		return -ENOENT;
	for (size_t i = family->release_count; i-- > 0;)
		if (!strncmp(family->releases[i].version, version, length) &&
		    family->releases[i].version[length] == '.')
			return (int)i;
	return -ENOENT;
}

bool abi_parameter_next(const char **cursor, struct abi_parameter *parameter)
{
	const char *at = *cursor, *colon;
	int depth = 0;

	if (!*at || !strcmp(at, "-"))
		return false;
	parameter->name = at;
	colon = strstr(at, ": ");
	if (!colon)
		colon = at + strlen(at);
	parameter->name_length = (size_t)(colon - at);
	at = *colon ? colon + 2 : colon;
	parameter->type = at;
	for (; *at && (depth > 0 || *at != ','); at++)
		depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
	parameter->type_length = (size_t)(at - parameter->type);
	if (*at == ',')
		at += at[1] == ' ' ? 2 : 1;
	*cursor = at;
	return true;
}
