/* SPDX-License-Identifier: Apache-2.0 */
/* Reads abi/libraries, abi/opened, abi/architectures and abi/drivers, and answers from them (known.h). */
#include "known.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/db.h"

/* Kinds of lines: how many words each has at least, and whether its last one goes to the end of the line. */
static const struct {
	const char *kind;
	size_t least;
	bool text;
} kinds[] = {
	{"library", 3, false}, {"wheel", 3, false},	{"static", 3, true}, {"unreached", 2, false},
	{"framework", 6, false}, {"arch", 3, false},	{"ptx", 3, false}, {"cuda", 3, false},
	{"gpu", 3, true},	 {"within", 3, false},	{"source", 2, true},
};

/* 0, -EINVAL or -ENOMEM. Takes TEXT over where it makes a line of it. */
static int add(struct gw_known *known, char **text)
{
	struct gw_known_line line = {0}, *more;
	char *at = *text, *start;
	size_t kind = 0;

	start = at + strspn(at, " \t");
	if (!*start)
		return 0;
	while (kind < sizeof kinds / sizeof *kinds &&
	       (strncmp(start, kinds[kind].kind, strlen(kinds[kind].kind)) != 0 || !isspace((unsigned char)start[strlen(kinds[kind].kind)])))
		kind++;
	if (kind == sizeof kinds / sizeof *kinds)
		return -EINVAL;
	for (at = start; *at && line.count < GW_KNOWN_WORDS - 1;) {
		line.word[line.count++] = at;
		if (kinds[kind].text && line.count == kinds[kind].least) {
			line.rest = at;
			break;
		}
		at += strcspn(at, " \t");
		if (*at)
			*at++ = '\0';
		at += strspn(at, " \t");
	}
	if (line.count < kinds[kind].least || (*at && !line.rest))
		return -EINVAL;
	if ((known->count & (known->count - 1)) == 0) {
		more = realloc(known->line, (known->count ? 2 * known->count : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		known->line = more;
	}
	/* Words point into TEXT, whose start the first one may not be. */
	line.word[GW_KNOWN_WORDS - 1] = *text;
	known->line[known->count++] = line;
	*text = NULL;
	return 0;
}

static int load(struct gw_known *known, const char *directory, const char *name, char *error, size_t error_size)
{
	char path[PATH_MAX], *text = NULL;
	size_t room = 0;
	unsigned number = 0;
	int result = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file) {
		result = -errno;
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return result;
	}
	while (!result && getline(&text, &room, file) >= 0) {
		number++;
		text[strcspn(text, "#\n")] = '\0';
		for (size_t length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
			text[--length] = '\0';
		result = add(known, &text);
		room = text ? room : 0;
		if (result == -EINVAL)
			snprintf(error, error_size, "%s:%u: no such line, or too few or too many words", path, number);
	}
	if (!result && ferror(file)) {
		result = -EIO;
		snprintf(error, error_size, "%s: %s", path, strerror(EIO));
	}
	free(text);
	fclose(file);
	return result;
}

int gw_known_load(struct gw_known *known, const char *directory, char *error, size_t error_size)
{
	static const char *const names[] = {"libraries", "opened", "architectures", "drivers"};
	int result = 0;

	error[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names && !result; i++)
		result = load(known, directory, names[i], error, error_size);
	return result;
}

void gw_known_finish(struct gw_known *known)
{
	for (size_t i = 0; i < known->count; i++)
		free(known->line[i].word[GW_KNOWN_WORDS - 1]);
	free(known->line);
	*known = (struct gw_known){0};
}

const struct gw_known_line *gw_known_next(const struct gw_known *known, const char *kind, size_t *at)
{
	while (*at < known->count) {
		const struct gw_known_line *line = &known->line[(*at)++];

		if (strcmp(line->word[0], kind) == 0)
			return line;
	}
	return NULL;
}

/* The length of "-HASH", as the tools that repair wheels add it; 0. */
static size_t hash_length(const char *text)
{
	size_t digits = *text == '-' ? strspn(text + 1, "0123456789abcdef") : 0;

	return digits >= 8 ? digits + 1 : 0;
}

const char *gw_known_family(const struct gw_known *known, const char *base, char stem[GW_KNOWN_STEM], const char **version)
{
	const struct gw_known_line *line;

	for (size_t at = 0; (line = gw_known_next(known, "library", &at));) {
		size_t length = strlen(line->word[1]);
		const char *end;

		if (strncmp(base, line->word[1], length) != 0)
			continue;
		if (line->count > 3 && base[length] == '_')
			length += 1 + strspn(base + length + 1, "abcdefghijklmnopqrstuvwxyz_");
		end = base + length + hash_length(base + length);
		if (length >= GW_KNOWN_STEM || strncmp(end, ".so", 3) != 0)
			continue;
		end += 3;
		if (end[strspn(end, ".0123456789")])
			continue;
		memcpy(stem, base, length);
		stem[length] = '\0';
		*version = end;
		return line->word[2];
	}
	return NULL;
}

const struct gw_known_line *gw_known_wheel(const struct gw_known *known, const char *soname)
{
	char stem[GW_KNOWN_STEM], whole[2 * GW_KNOWN_STEM];
	const char *version, *family = gw_known_family(known, soname, stem, &version);
	const struct gw_known_line *line;
	size_t length;

	if (!family)
		return NULL;
	for (size_t at = 0; (line = gw_known_next(known, "wheel", &at));)
		if (strcmp(line->word[1], soname) == 0)
			return line;
	/* libcudnn_ops.so.9.1.0 is in the package of libcudnn.so.9 */
	length = strcspn(stem, "_");
	length = strcmp(family, "cudnn") == 0 ? length : strlen(stem);
	snprintf(whole, sizeof whole, "%.*s.so%.*s", (int)length, stem, *version ? 1 + (int)strcspn(version + 1, ".") : 0, version);
	for (size_t at = 0; (line = gw_known_next(known, "wheel", &at));)
		if (strcmp(line->word[1], whole) == 0)
			return line;
	return NULL;
}

bool gw_known_is_reached(const struct gw_known *known, const char *family)
{
	const struct gw_known_line *line;

	for (size_t at = 0; (line = gw_known_next(known, "unreached", &at));)
		if (strcmp(line->word[1], family) == 0)
			return true;
	return false;
}

bool gw_known_version(const char *text, unsigned part[4])
{
	char *end;

	memset(part, 0, 4 * sizeof *part);
	for (size_t i = 0; i < 4 && isdigit((unsigned char)*text); i++, text = end + 1) {
		unsigned long number = strtoul(text, &end, 10);

		if (number > 999999)
			return false;
		part[i] = (unsigned)number;
		if (!*end)
			return true;
		if (*end != '.')
			return false;
	}
	return false;
}

static int compare_versions(const char *a, const char *b)
{
	unsigned left[4], right[4];

	if (!gw_known_version(a, left) || !gw_known_version(b, right))
		return strcmp(a, b);
	return abi_version_compare(left, right);
}

/* The line `KIND FIRST …` of the largest FIRST (NEWEST), or smallest, whose word AT fits ORDER to VALUE: <= 0 or >= 0. */
static const struct gw_known_line *extreme(const struct gw_known *known, const char *kind, size_t word, const char *value, bool newest)
{
	const struct gw_known_line *line, *best = NULL;

	for (size_t at = 0; (line = gw_known_next(known, kind, &at));) {
		int order = compare_versions(line->word[word], value);

		if (newest ? order > 0 : order < 0)
			continue;
		order = best ? compare_versions(line->word[1], best->word[1]) : 0;
		if (!best || (newest ? order > 0 : order < 0))
			best = line;
	}
	return best;
}

/* ptx VERSION RELEASE, cuda RELEASE DRIVER */
static void complete(const struct gw_known *known, struct gw_known_cuda *cuda)
{
	const struct gw_known_line *line;

	for (size_t at = 0; (line = gw_known_next(known, "cuda", &at));)
		if (strcmp(line->word[1], cuda->release) == 0)
			cuda->driver = line->word[2];
	line = extreme(known, "ptx", 2, cuda->release, true);
	if (!cuda->ptx && line)
		cuda->ptx = line->word[1];
}

bool gw_known_ptx(const struct gw_known *known, unsigned major, unsigned minor, struct gw_known_cuda *cuda)
{
	const struct gw_known_line *line;
	char version[32];

	snprintf(version, sizeof version, "%u.%u", major, minor);
	line = extreme(known, "ptx", 1, version, false);
	if (!line)
		return false;
	*cuda = (struct gw_known_cuda){.release = line->word[2], .ptx = line->word[1]};
	complete(known, cuda);
	return true;
}

bool gw_known_driver(const struct gw_known *known, const char *driver, struct gw_known_cuda *cuda)
{
	const struct gw_known_line *line = extreme(known, "cuda", 2, driver, true);

	if (!line)
		return false;
	*cuda = (struct gw_known_cuda){.release = line->word[1]};
	complete(known, cuda);
	return cuda->ptx != NULL;
}

bool gw_known_arch(const struct gw_known *known, unsigned arch, struct gw_known_cuda *cuda)
{
	const struct gw_known_line *line;
	unsigned major, minor;

	for (size_t at = 0; (line = gw_known_next(known, "arch", &at));)
		if (strtoul(line->word[1], NULL, 10) == arch && sscanf(line->word[2], "%u.%u", &major, &minor) == 2)
			return gw_known_ptx(known, major, minor, cuda);
	return false;
}

const char *gw_known_newest_cuda(const struct gw_known *known, const char *ptx)
{
	const struct gw_known_line *line;
	const char *newest = NULL;

	for (size_t at = 0; (line = gw_known_next(known, "cuda", &at));) {
		struct gw_known_cuda one = {.release = line->word[1]};

		complete(known, &one);
		if ((!ptx || (one.ptx && strcmp(one.ptx, ptx) == 0)) && (!newest || compare_versions(one.release, newest) > 0))
			newest = one.release;
	}
	for (size_t at = 0; (line = gw_known_next(known, "ptx", &at));)
		if ((!ptx || strcmp(line->word[1], ptx) == 0) && (!newest || compare_versions(line->word[2], newest) > 0))
			newest = line->word[2];
	return newest;
}

int gw_known_compare(const char *a, const char *b)
{
	return compare_versions(a, b);
}

static bool has_word(const char *text, const char *word, size_t length)
{
	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

/* All words of LIST stand in NAME. */
static bool has_words(const char *name, const char *list)
{
	char word[64];

	for (size_t length; *list; list += length + strspn(list + length, " ")) {
		length = strcspn(list, " ");
		snprintf(word, sizeof word, "%.*s", (int)length, list);
		if (!has_word(name, word, length))
			return false;
	}
	return true;
}

unsigned gw_known_gpu(const struct gw_known *known, const char *name)
{
	const struct gw_known_line *line;
	struct gw_gpu gpu;

	for (size_t at = 0; (line = gw_known_next(known, "gpu", &at));)
		if (has_words(name, line->rest) && gw_gpu_parse(&gpu, line->word[1]))
			return gpu.arch;
	return 0;
}
