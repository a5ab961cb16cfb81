/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor says of copies that belong with others (audit_pair.h). */
#include "audit_pair.h"

#include <string.h>

/* The finding that waits for its file to be mapped. */
static struct {
	bool waits;
	enum gw_finding which;
	char path[GW_AUDIT_PATH];
	struct gw_audit_line text, remedy;
} kept;

void gw_audit_add_copy(struct gw_audit_line *line, const char *path, const struct gw_partners_name *name)
{
	struct gw_partners_release release;

	gw_copy_release(path, name, &release);
	gw_audit_add(line, path);
	gw_audit_add(line, release.count ? " (" : "");
	for (unsigned i = 0; i < release.count; i++) {
		gw_audit_add(line, i ? "." : "");
		gw_audit_add_number(line, release.number[i]);
	}
	gw_audit_add(line, release.count ? ")" : "");
}

static void add_directory(struct gw_audit_line *line, const char *path)
{
	static char directory[GW_AUDIT_PATH];
	size_t length = gw_copy_directory(path);

	memcpy(directory, length ? path : "/", length ? length : 1);
	directory[length ? length : 1] = '\0';
	gw_audit_add(line, directory);
}

/* The code's own remedy, with the directory of the file GOOD. */
static void describe_cure(struct gw_audit_line *remedy, enum gw_finding which, const char *good)
{
	remedy->length = 0;
	gw_audit_add(remedy, gw_finding_remedy(which));
	gw_audit_add(remedy, ": LD_LIBRARY_PATH=");
	add_directory(remedy, good);
}

static void keep(enum gw_finding which, const char *path)
{
	kept.waits = true;
	kept.which = which;
	memcpy(kept.path, path, strlen(path) + 1);
	kept.text.length = 0;
}

void gw_audit_keep_partner(const char *name, const char *answer, const char *choice, const struct gw_audit_member *anchor)
{
	struct gw_partners_name wanted;

	if (!gw_partners_of(name, &wanted))
		return;
	keep(GW_FINDING_PAIR_KEPT, answer);
	gw_audit_add_copy(&kept.text, choice, &wanted);
	gw_audit_add(&kept.text, " would have answered beside ");
	gw_audit_add_copy(&kept.text, anchor->path, &anchor->name);
	gw_audit_add(&kept.text, ", which belongs with another release of it; ");
	gw_audit_add_copy(&kept.text, answer, &wanted);
	gw_audit_add(&kept.text, " was loaded instead");
	describe_cure(&kept.remedy, GW_FINDING_PAIR_KEPT, answer);
}

void gw_audit_keep_newest(const char *name, const char *answer, const char *choice, const char *why)
{
	struct gw_partners_name wanted;

	if (!gw_partners_of(name, &wanted))
		return;
	keep(GW_FINDING_NEWEST_TAKEN, answer);
	gw_audit_add_copy(&kept.text, choice, &wanted);
	gw_audit_add(&kept.text, " would have been taken");
	if (*why) {
		gw_audit_add(&kept.text, ", which lacks \"");
		gw_audit_add(&kept.text, why);
		gw_audit_add(&kept.text, "\"");
	}
	gw_audit_add(&kept.text, "; ");
	gw_audit_add_copy(&kept.text, answer, &wanted);
	gw_audit_add(&kept.text, " was loaded instead, which does for programs of both");
	describe_cure(&kept.remedy, GW_FINDING_NEWEST_TAKEN, answer);
}

void gw_audit_tell_kept(const char *path)
{
	if (kept.waits && strcmp(kept.path, path) == 0)
		gw_audit_tell(kept.which, gw_audit_line_text(&kept.text), gw_audit_line_text(&kept.text), gw_audit_line_text(&kept.remedy));
	kept.waits = false;
}

void gw_audit_forget_kept(void)
{
	kept.waits = false;
}

void gw_audit_tell_refused(const char *name, const char *choice, const struct gw_audit_member *anchor)
{
	static struct gw_audit_line text;
	struct gw_partners_name wanted;

	if (!gw_partners_of(name, &wanted))
		return;
	text.length = 0;
	gw_audit_add_copy(&text, choice, &wanted);
	gw_audit_add(&text, " was not given to ");
	gw_audit_add_copy(&text, anchor->path, &anchor->name);
	gw_audit_add(&text, ", which is of another release and goes on without it");
	gw_audit_tell(GW_FINDING_PART_REFUSED, name, gw_audit_line_text(&text), NULL);
}

void gw_audit_tell_mixed(const struct gw_audit_member *one, const struct gw_audit_member *other)
{
	static struct gw_audit_line text;

	text.length = 0;
	gw_audit_add_copy(&text, one->path, &one->name);
	gw_audit_add(&text, " and ");
	gw_audit_add_copy(&text, other->path, &other->name);
	gw_audit_add(&text, " are in one process, and do not belong together");
	gw_audit_tell(GW_FINDING_MIXED, gw_audit_line_text(&text), gw_audit_line_text(&text), NULL);
}

void gw_audit_tell_second(const struct gw_audit_member *second, const struct gw_audit_member *first)
{
	static struct gw_audit_line text;

	text.length = 0;
	gw_audit_add_copy(&text, second->path, &second->name);
	gw_audit_add(&text, " is loaded as a second copy, beside ");
	gw_audit_add_copy(&text, first->path, &first->name);
	gw_audit_tell(GW_FINDING_SECOND_COPY, gw_audit_line_text(&text), gw_audit_line_text(&text), NULL);
}

void gw_audit_tell_missing(const char *name, struct link_map *needer, const char *why)
{
	const Dl_serinfo *list = needer ? gw_audit_loader_searches(needer) : NULL;
	static struct gw_audit_line text;
	struct gw_partners_name wanted;

	if (!gw_partners_of(name, &wanted) || !wanted.plain)
		return;
	text.length = 0;
	gw_audit_add(&text, name);
	gw_audit_add(&text, ", which ");
	gw_audit_add(&text, gw_audit_path_of(needer));
	gw_audit_add(&text, " asked for, cannot be opened: no such file in \"");
	for (unsigned i = 0; list && i < list->dls_cnt; i++) {
		gw_audit_add(&text, i ? ":" : "");
		gw_audit_add(&text, list->dls_serpath[i].dls_name);
	}
	gw_audit_add(&text, "\", the loader's cache or the Python paths");
	if (why) {
		gw_audit_add(&text, "; ");
		gw_audit_add(&text, why);
	}
	gw_audit_tell(GW_FINDING_SEARCH_MISSING, name, gw_audit_line_text(&text), NULL);
}
