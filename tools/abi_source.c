/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the headers and libraries of each distribution in a wheel, an unpacked wheel, a
 * site-packages directory or a toolkit, and which release it is. Reads names and metadata; what the
 * files say is for others.
 */
#include "abi.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static const char *copy(struct gw_source *source, const char *text, size_t length)
{
	return obstack_copy0(&source->strings, text, length);
}

static struct gw_source *add_source(struct gw_sources *sources, const char *path)
{
	struct gw_source **grown =
		reallocarray(sources->source, sources->count + 1, sizeof(*grown));
	struct gw_source *source = calloc(1, sizeof(*source));

	if (grown)
		sources->source = grown;
	if (!grown || !source) {
		free(source);
		return NULL;
	}
	obstack_init(&source->strings);
	source->path = copy(source, path, strlen(path));
	source->wheel = "-";
	return sources->source[sources->count++] = source;
}

static int append(struct gw_source_file **files, size_t *count, struct gw_source_file file)
{
	struct gw_source_file *grown;

	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*files)[i].name, file.name))
			return 0; /* the same name twice: the first directory wins, as in a search
				   */
	grown = reallocarray(*files, *count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*files = grown;
	grown[(*count)++] = file;
	return 0;
}

/* Takes a file in if some family wants it. */
static int offer(struct gw_source *source, const struct gw_rules *rules, const char *path,
		 uint64_t index)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	bool is_header = false, is_library = false;
	struct gw_source_file file = {.index = index};

	for (size_t i = 0; i < rules->count; i++) {
		is_header |= gw_rule_has_header(&rules->rule[i], name);
		is_library |= gw_rule_has_library(&rules->rule[i], name);
	}
	if (!is_header && !is_library)
		return 0;
	file.path = copy(source, path, strlen(path));
	slash = strrchr(file.path, '/');
	file.name = slash ? slash + 1 : file.path;
	return is_header ? append(&source->headers, &source->header_count, file)
			 : append(&source->libraries, &source->library_count, file);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct gw_source_file *)a)->name, ((const struct gw_source_file *)b)->name);
}

static void sort_files(struct gw_source *source)
{
	if (source->header_count)
		qsort(source->headers, source->header_count, sizeof(*source->headers), by_name);
	if (source->library_count)
		qsort(source->libraries, source->library_count, sizeof(*source->libraries),
		      by_name);
}

/* The value of "KEY: value" in the head of a metadata text; NULL. *at walks from one to the next.
 */
static const char *field(struct gw_source *source, const char **at, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = *at; *line;) {
		size_t bytes = strcspn(line, "\r\n");
		const char *next = line + bytes + (line[bytes] == '\r' && line[bytes + 1] == '\n') +
				   (line[bytes] != '\0');

		if (!bytes)
			break; /* the description follows */
		*at = next;
		if (!strncasecmp(line, key, length) && line[length] == ':') {
			const char *value = line + length + 1;

			value += strspn(value, " \t");
			return copy(source, value, (size_t)(line + bytes - value));
		}
		line = next;
	}
	return NULL;
}

/* Adds one part of a tag to a compressed set: "a.b", each once. */
static const char *add_tag(struct gw_source *source, const char *set, const char *part,
			   size_t length)
{
	for (const char *at = set; at && *at;) {
		size_t bytes = strcspn(at, ".");

		if (bytes == length && !memcmp(at, part, length))
			return set;
		at += bytes + (at[bytes] == '.');
	}
	obstack_printf(&source->strings, "%s%s%.*s", set ? set : "", set ? "." : "", (int)length,
		       part);
	obstack_1grow(&source->strings, '\0');
	return obstack_finish(&source->strings);
}

/* The wheel's file name, from the name of its dist-info directory and its WHEEL file. */
static const char *wheel_name(struct gw_source *source, const char *stem, size_t length,
			      const char *text)
{
	const char *set[3] = {NULL}, *at = text, *build = field(source, &at, "Build"), *tag;

	at = text;
	while ((tag = field(source, &at, "Tag"))) {
		for (int i = 0; i < 3 && *tag; i++) {
			size_t bytes = strcspn(tag, "-");

			set[i] = add_tag(source, set[i], tag, bytes);
			tag += bytes + (tag[bytes] == '-');
		}
	}
	if (!set[0] || !set[1] || !set[2])
		return copy(source, stem, length);
	obstack_printf(&source->strings, "%.*s%s%s-%s-%s-%s.whl", (int)length, stem,
		       build ? "-" : "", build ? build : "", set[0], set[1], set[2]);
	obstack_1grow(&source->strings, '\0');
	return obstack_finish(&source->strings);
}

/* "x-1.dist-info/METADATA" -> length of "x-1", when `path` is MEMBER of a top-level dist-info
 * directory; else 0. */
static size_t dist_info(const char *path, const char *member)
{
	static const char suffix[] = ".dist-info/";
	const char *slash = strchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;

	if (length <= strlen(suffix) ||
	    strncmp(path + length - strlen(suffix), suffix, strlen(suffix)) ||
	    strcmp(path + length, member))
		return 0;
	return length - strlen(suffix);
}

static int open_wheel(struct gw_sources *sources, const char *path, const struct gw_rules *rules,
		      struct abi_error *error)
{
	struct gw_source *source = add_source(sources, path);
	const char *slash = strrchr(path, '/'), *at;
	zip_error_t zip_error;
	zip_int64_t entries;
	int code = 0, rc = 0;

	if (!source)
		return -ENOMEM;
	source->zip = zip_open(path, ZIP_RDONLY, &code);
	if (!source->zip) {
		zip_error_init_with_code(&zip_error, code);
		gw_abi_fail(error, -EIO, "%.300s: no readable wheel (is it cut off?): %s", path,
			    zip_error_strerror(&zip_error));
		zip_error_fini(&zip_error);
		return -EIO;
	}
	source->wheel = copy(source, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
	entries = zip_get_num_entries(source->zip, 0);
	for (zip_int64_t i = 0; !rc && i < entries; i++) {
		const char *name = zip_get_name(source->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
		size_t length;
		char *text;

		if (!name)
			continue;
		if (!dist_info(name, "METADATA")) {
			rc = offer(source, rules, name, (uint64_t)i);
			continue;
		}
		rc = gw_unzip_text(source->zip, (uint64_t)i, path, &text, &length, error);
		at = text;
		if (!rc)
			source->version = field(source, &at, "Version");
		free(text);
	}
	if (!rc && !source->version)
		rc = gw_abi_fail(error, -EINVAL,
				 "%.400s: no wheel: it has no dist-info/METADATA with a version",
				 path);
	return rc;
}

static int read_text(const char *path, char **text, size_t *length)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t got;

	*text = NULL;
	if (!file)
		return -errno;
	got = getdelim(text, &room, '\0', file);
	if (got < 0 && !ferror(file)) { /* an empty file */
		free(*text);
		*text = calloc(1, 1);
		got = 0;
	}
	*length = got > 0 ? (size_t)got : 0;
	got = ferror(file) ? -EIO : got;
	fclose(file);
	return *text && got >= 0 ? 0 : -EIO;
}

/* The files that a RECORD lists. */
static int offer_record(struct gw_source *source, const struct gw_rules *rules,
			const char *directory, char *record)
{
	char path[PATH_MAX];
	int rc = 0;

	for (char *line; !rc && (line = strsep(&record, "\n"));) {
		bool quoted = *line == '"';

		line += quoted;
		line[strcspn(line, quoted ? "\"" : ",")] = '\0';
		if (*line &&
		    snprintf(path, sizeof(path), "%s/%s", directory, line) < (int)sizeof(path) &&
		    !access(path, R_OK))
			rc = offer(source, rules, path, 0);
	}
	return rc;
}

static int offer_directory(struct gw_source *source, const struct gw_rules *rules,
			   const char *directory)
{
	DIR *dir = opendir(directory);
	char path[PATH_MAX], real[PATH_MAX];
	int rc = 0;

	for (struct dirent *entry; !rc && dir && (entry = readdir(dir));) {
		struct stat status;

		/* links count once, under the name they lead to, whatever order the directory is in
		 */
		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) <
			    (int)sizeof(path) &&
		    realpath(path, real) && !stat(real, &status) && S_ISREG(status.st_mode))
			rc = offer(source, rules, real, 0);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int open_distribution(struct gw_sources *sources, const char *directory, const char *info,
			     const struct gw_rules *rules, struct abi_error *error)
{
	struct gw_source *source = add_source(sources, directory);
	char path[PATH_MAX], *text;
	const char *at;
	size_t length;
	int rc;

	if (!source)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/%s/METADATA", directory, info);
	rc = read_text(path, &text, &length);
	at = text;
	if (!rc)
		source->version = field(source, &at, "Version");
	free(text);
	if (!source->version)
		return gw_abi_fail(error, -EINVAL, "%.400s: no version in it", path);
	snprintf(path, sizeof(path), "%s/%s/WHEEL", directory, info);
	rc = read_text(path, &text, &length);
	source->wheel =
		wheel_name(source, info, strlen(info) - strlen(".dist-info"), rc ? "" : text);
	free(text);
	snprintf(path, sizeof(path), "%s/%s/RECORD", directory, info);
	rc = read_text(path, &text, &length);
	if (rc)
		gw_abi_fail(error, rc, "%.400s: cannot tell which files are its own: %s", path,
			    strerror(-rc));
	else
		rc = offer_record(source, rules, directory, text);
	free(text);
	return rc;
}

static int open_toolkit(struct gw_sources *sources, const char *path, const struct gw_rules *rules)
{
	static const char *const folders[] = {"",
					      "/include",
					      "/lib64",
					      "/lib",
					      "/lib/x86_64-linux-gnu",
					      "/targets/x86_64-linux/include",
					      "/targets/x86_64-linux/lib"};
	struct gw_source *source = add_source(sources, path);
	char folder[PATH_MAX];
	int rc = source ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < sizeof(folders) / sizeof(*folders); i++)
		if (snprintf(folder, sizeof(folder), "%s%s", path, folders[i]) <
		    (int)sizeof(folder))
			rc = offer_directory(source, rules, folder);
	return rc;
}

static int is_dist_info(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(".dist-info");

	return length > suffix && !strcmp(entry->d_name + length - suffix, ".dist-info");
}

static void close_source(struct gw_source *source)
{
	if (source->zip)
		zip_discard(source->zip);
	free(source->headers);
	free(source->libraries);
	obstack_free(&source->strings, NULL);
	free(source);
}

/* Drops what no family wants anything of. */
static void drop_empty(struct gw_sources *sources)
{
	size_t kept = 0;

	for (size_t i = 0; i < sources->count; i++) {
		if (sources->source[i]->header_count || sources->source[i]->library_count)
			sources->source[kept++] = sources->source[i];
		else
			close_source(sources->source[i]);
	}
	sources->count = kept;
}

int gw_sources_open(struct gw_sources *sources, const char *path, const struct gw_rules *rules,
		    struct abi_error *error)
{
	struct dirent **entries = NULL;
	struct stat status;
	int rc = 0, count;

	memset(sources, 0, sizeof(*sources));
	error->text[0] = '\0';
	if (stat(path, &status))
		return gw_abi_fail(error, -errno, "%.400s: %s", path, strerror(errno));
	if (!S_ISDIR(status.st_mode)) {
		rc = open_wheel(sources, path, rules, error);
	} else {
		count = scandir(path, &entries, is_dist_info, alphasort);
		if (count < 0)
			rc = gw_abi_fail(error, -errno, "%.400s: %s", path, strerror(errno));
		else if (!count)
			rc = open_toolkit(sources, path, rules);
		for (int i = 0; i < count; i++) {
			if (!rc)
				rc = open_distribution(sources, path, entries[i]->d_name, rules,
						       error);
			free(entries[i]);
		}
		free(entries);
	}
	drop_empty(sources);
	for (size_t i = 0; i < sources->count; i++)
		sort_files(sources->source[i]);
	if (!rc && !sources->count)
		rc = gw_abi_fail(error, -ENOENT,
				 "%.400s: holds no header or library of a known family", path);
	if (rc && !error->text[0])
		gw_abi_fail(error, rc, "%.400s: %s", path, strerror(-rc));
	if (rc)
		gw_sources_close(sources);
	return rc;
}

void gw_sources_close(struct gw_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		close_source(sources->source[i]);
	free(sources->source);
	memset(sources, 0, sizeof(*sources));
}

int gw_source_text(struct gw_source *source, const struct gw_source_file *file, char **text,
		   size_t *length, struct abi_error *error)
{
	int rc;

	if (source->zip)
		return gw_unzip_text(source->zip, file->index, file->path, text, length, error);
	rc = read_text(file->path, text, length);
	return rc ? gw_abi_fail(error, rc, "%.400s: %s", file->path, strerror(-rc)) : 0;
}

int gw_source_library(struct gw_source *source, const struct gw_source_file *file, struct abi_error *error)
{
	int fd;

	if (source->zip)
		return gw_unzip_library(source->zip, file->index, file->path, error);
	fd = open(file->path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? gw_abi_fail(error, -errno, "%.400s: %s", file->path, strerror(errno)) : fd;
}
