/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which copy of a library answers a search (audit_pair.h). */
#include "audit_pair.h"

#include <string.h>
#include "audit_system.h"
#include "image.h"

/* One search. Static, since it does not fit a stack that may be small. */
static struct {
	const char *name;
	struct gw_partners_name wanted;
	struct link_map *needer;
	const char *needer_path;
	bool chosen;		    /* the loader would find a file: */
	char choice[GW_AUDIT_PATH];
	unsigned rule;		    /* by this rule */
	struct gw_partners_release fits; /* of the anchor */
	unsigned fit;			 /* how well the best does */
	char best[GW_AUDIT_PATH], lacked[128];
	struct gw_partners_release best_release;
	bool better, skipped;
} search;

/* Does the user name the directory of the SET himself, as in GANGWAY_CUDNN? Then the search is left alone. */
static bool is_named(const char *set)
{
	char variable[64] = "GANGWAY_";
	size_t length = strlen(variable);

	for (; *set && length < sizeof variable - 1; set++)
		variable[length++] = *set >= 'a' && *set <= 'z' ? (char)(*set - 'a' + 'A') : *set;
	return *gw_audit_setting(variable);
}

static bool note_choice(const char *path, unsigned rule, void *data)
{
	(void)data;
	search.chosen = true;
	search.rule = rule;
	memcpy(search.choice, path, strlen(path) + 1);
	return false;
}

/* The file NAME beside ANCHOR: by the name that the anchor was found under, else where that leads to. */
static bool beside(const struct gw_audit_member *anchor, const char *name, char *path)
{
	static char real[GW_AUDIT_PATH];

	if (gw_copy_join(path, anchor->path, gw_copy_directory(anchor->path), name) && gw_audit_file_stops(path))
		return true;
	return gw_copy_real(anchor->path, real) && gw_copy_join(path, real, gw_copy_directory(real), name) && gw_audit_file_stops(path);
}

/* How well PATH fits the anchor: its release (2), one that differs behind the first two numbers (1), another or an unknown one (0). */
static unsigned fits(const char *path)
{
	struct gw_partners_release release, begin = search.fits;

	gw_copy_release(path, &search.wanted, &release);
	if (!release.count)
		return 0;
	begin.count = begin.count < 2 ? begin.count : 2;
	return gw_partners_release_compare(&release, &search.fits) == 0 ? 2 : gw_partners_release_compare(&release, &begin) == 0;
}

static bool note_fitting(const char *path, unsigned rule, void *data)
{
	unsigned how = fits(path);

	(void)rule, (void)data;
	if (how <= search.fit)
		return true;
	search.better = true;
	search.fit = how;
	memcpy(search.best, path, strlen(path) + 1);
	return how < 2;
}

static bool note_any(const char *path, unsigned rule, void *data)
{
	(void)rule, (void)data;
	memcpy(search.best, path, strlen(path) + 1);
	return false;
}

/* Does the needer name it in its dynamic section? Then it cannot be loaded without. */
static bool is_needed(void)
{
	struct gw_image image;
	const char *needed;

	if (!gw_image_read(&image, search.needer->l_addr, search.needer->l_ld))
		return true;
	for (unsigned i = 0; (needed = gw_image_needed(&image, i)); i++)
		if (strcmp(needed, search.name) == 0)
			return true;
	return false;
}

/* The anchor's directory has no such file: one of the anchor's release, wherever it is, or none. */
static enum gw_audit_pairing find_fitting(const struct gw_audit_member *anchor, char *path)
{
	gw_copy_release(anchor->path, &anchor->name, &search.fits);
	search.fit = search.fits.count && search.chosen ? fits(search.choice) : 0;
	if (!search.fits.count || search.fit == 2)
		return GW_AUDIT_PAIR_NONE;
	gw_audit_search_each(search.needer, search.name, note_fitting, NULL);
	if (search.fit < 2)
		gw_audit_python_each(search.name, note_fitting, NULL);
	if (search.better) {
		memcpy(path, search.best, strlen(search.best) + 1);
		if (search.chosen)
			gw_audit_keep_partner(search.name, path, search.choice, anchor);
		gw_audit_note(GW_AUDIT_PARTNER, search.name, path, "of the release of the library that asks for it");
		return GW_AUDIT_PAIR_ANSWER;
	}
	if (search.fit)
		return GW_AUDIT_PAIR_NONE;
	/* What is there is of another release, as far as that is known. Only what can be done without is refused. */
	if (!gw_partners_is_spare(&search.wanted) || anchor->map != search.needer || is_needed())
		return GW_AUDIT_PAIR_NONE;
	if (search.chosen)
		memcpy(search.best, search.choice, strlen(search.choice) + 1);
	else
		gw_audit_python_each(search.name, note_any, NULL);
	if (*search.best) {
		struct gw_partners_release other;

		gw_copy_release(search.best, &search.wanted, &other);
		if (!other.count)
			return GW_AUDIT_PAIR_NONE;
		gw_audit_tell_refused(search.name, search.best, anchor);
		gw_audit_note(GW_AUDIT_REFUSED, search.name, search.best, "of another release than the library that asks for it");
		return GW_AUDIT_PAIR_REFUSE;
	}
	return GW_AUDIT_PAIR_NONE;
}

static enum gw_audit_pairing with_anchor(const struct gw_audit_member *anchor, char *path)
{
	if (!beside(anchor, search.name, path))
		return find_fitting(anchor, path);
	if (search.chosen && gw_copies_alike(path, search.choice, &search.wanted))
		return GW_AUDIT_PAIR_NONE;
	if (search.chosen)
		gw_audit_keep_partner(search.name, path, search.choice, anchor);
	gw_audit_note(GW_AUDIT_PARTNER, search.name, path, search.chosen ? "not the one that the search would have ended at" : NULL);
	return GW_AUDIT_PAIR_ANSWER;
}

/* Takes PATH when it does for the needer what the best so far does not, or is newer and can replace it. */
static void consider(const char *path)
{
	struct gw_partners_release release;
	static char lacked[128];

	gw_copy_release(path, &search.wanted, &release);
	if (gw_copy_lacks(search.needer_path, search.name, search.best, search.lacked)) {
		if (!gw_copy_serves(search.needer_path, search.name, path))
			return;
	} else if (!release.count || !search.best_release.count ||
		   gw_partners_release_compare(&release, &search.best_release) <= 0 ||
		   gw_copy_lacks(search.needer_path, search.name, path, lacked) ||
		   !gw_copy_replaces(path, search.best, &search.wanted)) {
		return;
	}
	search.better = true;
	search.best_release = release;
	memcpy(search.best, path, strlen(path) + 1);
}

/*
 * Copies that come later in the search. Where a library's own RPATH or RUNPATH has led to the first, its maker has chosen; where the
 * environment or the system has, whatever was named there and by the library counts.
 */
static bool note_later(const char *path, unsigned rule, void *data)
{
	(void)data;
	if (!search.skipped)
		search.skipped = true;
	else if (rule & (LA_SER_LIBPATH | LA_SER_RUNPATH))
		consider(path);
	return true;
}

static bool note_python(const char *path, unsigned rule, void *data)
{
	(void)rule, (void)data;
	consider(path);
	return true;
}

/* Nothing of this set and major release is mapped yet: what is mapped now is what everybody will get. */
static enum gw_audit_pairing find_newest(char *path)
{
	static char lacked[128];

	if (!search.chosen || search.wanted.set->exact || is_named(search.wanted.set->name))
		return GW_AUDIT_PAIR_NONE;
	memcpy(search.best, search.choice, strlen(search.choice) + 1);
	gw_copy_release(search.best, &search.wanted, &search.best_release);
	if (!(search.rule & LA_SER_RUNPATH))
		gw_audit_search_each(search.needer, search.name, note_later, NULL);
	gw_audit_python_each(search.name, note_python, NULL);
	if (!search.better)
		return GW_AUDIT_PAIR_NONE;
	memcpy(path, search.best, strlen(search.best) + 1);
	gw_copy_lacks(search.needer_path, search.name, search.choice, lacked);
	gw_audit_keep_newest(search.name, path, search.choice, lacked);
	gw_audit_note(GW_AUDIT_NEWEST, search.name, path, "not the one that the search would have ended at");
	return GW_AUDIT_PAIR_ANSWER;
}

enum gw_audit_pairing gw_audit_pair(const char *name, struct link_map *needer, char *path)
{
	const struct gw_audit_member *anchor;

	gw_audit_forget_kept();
	if (gw_audit_settings.disabled || gw_audit_settings.no_pairing || !gw_partners_of(name, &search.wanted))
		return GW_AUDIT_PAIR_NONE;
	search.name = name;
	search.needer = needer;
	search.needer_path = gw_audit_path_of(needer);
	search.chosen = search.better = search.skipped = false;
	search.best[0] = search.lacked[0] = '\0';
	if (!gw_audit_search_each(needer, name, note_choice, NULL))
		return GW_AUDIT_PAIR_NONE; /* cannot tell what the loader would do */
	anchor = gw_audit_member_of(needer);
	if (!anchor || !gw_partners_together(&anchor->name, &search.wanted))
		anchor = gw_audit_member_with(&search.wanted);
	return anchor ? with_anchor(anchor, path) : find_newest(path);
}
