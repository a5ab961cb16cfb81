/* SPDX-License-Identifier: Apache-2.0 */
/* See pair.h. */
#include "pair.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"
#include "finding.h"
#include "line.h"
#include "objects.h"
#include "settings.h"

#define TEXT 1536

static bool is_off(void)
{
	const char *value = gw_setting(GW_SETTING_PAIRING);

	return value && (!strcmp(value, "off") || !strcmp(value, "0"));
}

/* "PATH (RELEASE)", or the path alone where the release is not known. */
static void add_copy(struct gw_line *line, const char *path, const struct gw_partners_name *name)
{
	struct gw_partners_release release;
	unsigned i;

	gw_copy_release(path, name, &release);
	gw_line_text(line, path);
	for (i = 0; i < release.count; i++) {
		gw_line_text(line, i ? "." : " (");
		gw_line_unsigned(line, release.number[i]);
	}
	gw_line_text(line, release.count ? ")" : "");
}

static void tell_kept(const struct gw_partners_name *wanted, const char *answer, const char *found, const char *caller, const struct gw_partners_name *anchor)
{
	char text[TEXT], remedy[TEXT];
	size_t length = gw_copy_directory(answer), i;
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	add_copy(&line, found, wanted);
	gw_line_text(&line, " would have answered beside ");
	add_copy(&line, caller, anchor);
	gw_line_text(&line, ", which belongs with another release of it; ");
	add_copy(&line, answer, wanted);
	gw_line_text(&line, " was loaded instead");
	line.text[line.length] = 0;
	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_line_text(&line, gw_finding_remedy(GW_FINDING_PAIR_KEPT));
	gw_line_text(&line, ": LD_LIBRARY_PATH=");
	for (i = 0; i < (length ? length : 1); i++)
		gw_line_char(&line, answer[i]);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_PAIR_KEPT, text, text, remedy);
}

bool gw_pair_find(const struct gw_partners_name *wanted, const struct gw_object *caller, const char *found, char *path)
{
	const char *slash = !caller->identity || caller->role == GW_ROLE_FACADE ? NULL : strrchr(caller->path, '/');
	struct gw_partners_name anchor;
	int error = errno;
	bool other;

	if (is_off() || !slash || !gw_partners_of(slash + 1, &anchor) || !gw_partners_together(&anchor, wanted))
		return false;
	other = gw_copy_join(path, caller->path, (size_t)(slash - caller->path), wanted->stem) && !access(path, R_OK) &&
		!(found && gw_copies_alike(path, found, wanted));
	if (other && found)
		tell_kept(wanted, path, found, caller->path, &anchor);
	errno = error;
	return other;
}

void gw_pair_tell_missing(const char *name, const struct gw_object *caller)
{
	char text[TEXT];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, name);
	gw_line_text(&line, ", which ");
	gw_line_text(&line, gw_object_path(caller));
	gw_line_text(&line, " asked for, cannot be opened: no such file where its search goes, or on the Python paths");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_SEARCH_MISSING, name, text, NULL);
}

/* Does TEXT name a library of a set? */
static bool names_library(const char *text)
{
	const char *at;

	for (at = strstr(text, "lib"); at; at = strstr(at + 3, "lib")) {
		size_t length = strcspn(at, " :,;'`\"()/");
		struct gw_partners_name name;
		char word[128];

		if (length >= sizeof(word))
			continue;
		memcpy(word, at, length);
		word[length] = 0;
		if (gw_partners_of(word, &name))
			return true;
	}
	return false;
}

struct named {
	const char *name;
	size_t length;
	bool found;
};

static bool note_named(struct gw_object *object, void *data)
{
	struct named *named = data;
	const char *path = gw_object_path(object), *slash = strrchr(path, '/');

	path = slash ? slash + 1 : path;
	named->found = !strncmp(path, named->name, named->length) && !path[named->length];
	return !named->found;
}

/* Begins TEXT with a file that is mapped? Then nothing has failed to load: dlsym and dlvsym speak so to those who only try. */
static bool is_about_a_mapped_file(const char *text)
{
	struct named named = { .name = text, .length = strcspn(text, ":") };
	size_t i;

	for (i = named.length; i-- > 0;)
		if (text[i] == '/') {
			named.name = text + i + 1;
			named.length -= i + 1;
			break;
		}
	gw_objects_each(note_named, &named);
	return named.found;
}

/* That a file is nowhere has been told already, by the auditor or when it was searched for. */
void gw_pair_note_error(const char *text)
{
	static const char *const reasons[] = { ", version ", "version `", "file too short", "invalid ELF header", "wrong ELF class", "cannot map",
					       "cannot allocate", "ELF load command", "TLS block" };
	char told[TEXT];
	struct gw_line line;
	int error = errno;
	size_t i;

	if (!names_library(text))
		return;
	for (i = 0; i < sizeof(reasons) / sizeof(*reasons) && !strstr(text, reasons[i]); i++)
		;
	if (i < sizeof(reasons) / sizeof(*reasons) && !is_about_a_mapped_file(text)) {
		gw_line_start(&line, told, sizeof(told) - 1);
		gw_line_text(&line, "the loader said: ");
		gw_line_text(&line, text);
		line.text[line.length] = 0;
		gw_finding_tell(GW_FINDING_LOADER_SAID, text, told, NULL);
	}
	errno = error;
}
