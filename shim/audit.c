/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor: watches each search of the loader, and answers those that would end without a file,
 * with the real library from the Python paths where exactly one is there, else with a facade. A
 * search that finds a file by itself is never changed. Hooks no symbol and no PLT entry, so that no
 * call pays for it.
 */
#include "audit.h"

#include <stdint.h>
#include <string.h>
#include "audit_pair.h"
#include "audit_table.h"

#define EXPORT __attribute__((visibility("default")))

/* Objects of the facades' own sonames that are mapped in the program's namespace. */
enum mapped { MAPPED_NO, MAPPED_REAL, MAPPED_FACADE };

static struct {
	bool preloaded;  /* libgangway.so is mapped in the program's namespace: facades can work */
	bool may_rename; /* this glibc keeps the name that was asked for beside the one we answer */
	bool watched;    /* the search now running is ours to end */
	char name[GW_AUDIT_NAME]; /* what it looks for */
	char path[GW_AUDIT_PATH]; /* what we answered last: the loader copies it at once */
	const struct gw_audit_facade *offered; /* a facade was answered and is not mapped yet */
} state;

#define FACADES (sizeof gw_audit_facades / sizeof *gw_audit_facades)
static unsigned char mapped[FACADES];
static unsigned targets_mapped[FACADES]; /* how many mapped files bear the name of a target of each
					    facade */

/* Until the loader says otherwise. */
struct gw_audit_settings gw_audit_settings = {
	.facades = "",
	.facade_dir = "",
	.python_paths = "",
	.library_path = "",
	.loader_path = "",
	.log = "",
	.findings = "",
};

const struct gw_audit_facade *gw_audit_facade_find(const char *soname)
{
	for (const struct gw_audit_facade *facade = gw_audit_facades; facade->soname; facade++)
		if (strcmp(facade->soname, soname) == 0)
			return facade;
	return NULL;
}

/* The loader's word for an object, kept in the audit cookie: its link_map, odd when it is in a
 * namespace of its own. */
static struct link_map *cookie_map(const uintptr_t *cookie)
{
	return cookie ? (struct link_map *)(*cookie & ~(uintptr_t)1) : NULL;
}

static bool cookie_is_foreign(const uintptr_t *cookie)
{
	return cookie && (*cookie & 1);
}

static bool facade_is_wanted(const char *soname)
{
	const char *list = gw_audit_settings.facades;

	if (strcmp(list, "off") == 0)
		return false;
	if (!*list || strcmp(list, "auto") == 0)
		return true;
	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (strlen(soname) == length && memcmp(soname, list, length) == 0)
			return true;
	}
	return false;
}

static bool facade_is_named(const char *soname)
{
	const char *list = gw_audit_settings.facades;
	return *list && strcmp(list, "auto") != 0 && facade_is_wanted(soname);
}

static bool are_partners(const struct gw_audit_facade *a, const struct gw_audit_facade *b)
{
	const char *major_a = strstr(a->soname, ".so"), *major_b = strstr(b->soname, ".so");

	return a != b && strcmp(a->group, b->group) == 0 && major_a && major_b &&
	       strcmp(major_a, major_b) == 0;
}

/*
 * Is a real library of this facade's suite and major here, mapped or about to be found? The two
 * would then be mixed, and the real one would call into the facade's private symbols, which cannot
 * answer.
 */
static const char *real_partner(const struct gw_audit_facade *facade, struct link_map *loader)
{
	for (const struct gw_audit_facade *other = gw_audit_facades; other->soname; other++) {
		unsigned char how = mapped[other - gw_audit_facades];

		if (!are_partners(facade, other) || how == MAPPED_FACADE)
			continue;
		if (how == MAPPED_REAL || gw_audit_search_has(loader, other->soname))
			return other->soname;
	}
	return NULL;
}

static char *join(char *path, const char *directory, const char *name)
{
	size_t length = strlen(directory), extra = strlen(name);

	if (!length || length + extra + 2 > GW_AUDIT_PATH)
		return NULL;
	memcpy(path, directory, length);
	path[length] = '/';
	memcpy(path + length + 1, name, extra + 1);
	return path;
}

static const char no_target[] = "there is a facade, but no newer library for it to forward to";

/* The facade's path, or NULL with the reason why there is none in *WHY. */
static char *offer_facade(const char *name, struct link_map *loader, const char **why)
{
	const struct gw_audit_facade *facade = gw_audit_facade_find(name);

	*why = NULL;
	if (!facade)
		return NULL;
	if (!facade_is_wanted(name))
		*why = "there is a facade, but --facades does not allow it";
	else if (!state.preloaded)
		*why = "there is a facade, but libgangway.so is not preloaded";
	else if (!facade_is_named(name) && !targets_mapped[facade - gw_audit_facades] &&
		 !gw_audit_target_exists(facade))
		*why = no_target;
	else if (real_partner(facade, loader))
		*why = "there is a facade, but a real library of its suite and major is here, and "
		       "the two do "
		       "not mix";
	else if (!join(state.path, gw_audit_settings.facade_dir, name) ||
		 !gw_audit_file_stops(state.path))
		*why = "its facade is not in the directory of facades";
	if (*why)
		return NULL;
	state.offered = facade;
	return state.path;
}

/* The search for state.name has found nothing, and SHOWN is its first candidate in a default
 * directory. */
static char *end_search(char *shown, struct link_map *loader)
{
	const char *why;
	unsigned found;

	if (gw_audit_defaults_have(state.name, shown))
		return shown;
	found = gw_audit_settings.disabled ? 0 : gw_audit_python_find(state.name, state.path);
	if (found == 1) {
		gw_audit_note(GW_AUDIT_PYTHON, state.name, state.path, NULL);
		return state.path;
	}
	if (offer_facade(state.name, loader, &why)) {
		gw_audit_note(GW_AUDIT_FACADE, state.name, state.path,
			      found ? "several different files of that name are on the Python paths"
				    : NULL);
		return state.path;
	}
	if (found)
		why = "several different files of that name are on the Python paths";
	gw_audit_note(GW_AUDIT_MISSING, state.name, NULL, why);
	if (why == no_target && !gw_audit_settings.disabled)
		gw_audit_tell_no_target(gw_audit_facade_find(state.name));
	else if (!gw_audit_settings.disabled && (!why || found))
		gw_audit_tell_missing(state.name, loader, why);
	return shown;
}

/*
 * A file of the Python paths is best answered before the search begins: then the loader knows it by
 * its true path, and its $ORIGIN works. Only where nothing that the search would go through has a
 * file of that name.
 */
static char *answer_early(char *name, struct link_map *loader)
{
	if (!state.may_rename || gw_audit_settings.disabled || !loader)
		return name;
	if (gw_audit_python_find(name, state.path) != 1 || gw_audit_search_has(loader, name))
		return name;
	state.watched = false;
	gw_audit_note(GW_AUDIT_PYTHON, name, state.path, NULL);
	return state.path;
}

/* Before the loader looks anywhere. NULL: it shall not find anything. */
static char *begin_search(char *name, struct link_map *loader)
{
	enum gw_audit_pairing pairing = GW_AUDIT_PAIR_NONE;

	if (state.may_rename && loader)
		pairing = gw_audit_pair(state.name, loader, state.path);
	if (pairing == GW_AUDIT_PAIR_NONE)
		return answer_early(name, loader);
	state.watched = false;
	return pairing == GW_AUDIT_PAIR_ANSWER ? state.path : NULL;
}

static bool is_on(const char *variable)
{
	const char *value = gw_audit_setting(variable);
	return *value && strcmp(value, "0") != 0;
}

static bool is_off(const char *variable)
{
	const char *value = gw_audit_setting(variable);
	return strcmp(value, "off") == 0 || strcmp(value, "0") == 0;
}

/* Once, as soon as the loader has announced itself, and before its first search. */
static void read_settings(void)
{
	gw_audit_settings = (struct gw_audit_settings){
		.facades = gw_audit_setting("GANGWAY_FACADES"),
		.facade_dir = gw_audit_setting("GANGWAY_FACADE_DIR"),
		.python_paths = gw_audit_setting("GANGWAY_PYTHON_PATHS"),
		.library_path = gw_audit_setting("GANGWAY_LIBRARY_PATH"),
		.loader_path = gw_audit_setting("LD_LIBRARY_PATH"),
		.log = gw_audit_setting("GANGWAY_LOG"),
		.findings = gw_audit_setting("GANGWAY_FINDINGS"),
		.explain = is_on("GANGWAY_EXPLAIN"),
		.disabled = is_on("GANGWAY_DISABLE"),
		.no_pairing = is_off("GANGWAY_PAIRING"),
		.quiet = is_on("GANGWAY_QUIET"),
	};
}

/* A loader that knows the second version of this interface (2.35) keeps names; whether an older one
 * does, its C library will tell. */
EXPORT unsigned int la_version(unsigned int version)
{
	state.may_rename = version > 1;
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	char *same = (char *)name;

	if (flag == LA_SER_ORIG) {
		size_t length = strlen(name);

		state.watched = !strchr(name, '/') && length < sizeof state.name &&
				!cookie_is_foreign(cookie);
		if (!state.watched)
			return same;
		memcpy(state.name, name, length + 1);
		return begin_search(same, cookie_map(cookie));
	}
	if (flag != LA_SER_DEFAULT || !state.watched)
		return same;
	state.watched = false;
	return end_search(same, cookie_map(cookie));
}

/* Is BASE the file name of a library of this SONAME: libx.so.1, or libx.so.1.2.3? */
static bool bears(const char *base, const char *soname)
{
	size_t length = strlen(soname);
	return strncmp(base, soname, length) == 0 && (!base[length] || base[length] == '.');
}

static bool is_in_facade_dir(const char *path, const char *base)
{
	size_t length = strlen(gw_audit_settings.facade_dir);

	return length && (size_t)(base - path) == length + 1 &&
	       memcmp(path, gw_audit_settings.facade_dir, length) == 0;
}

static const struct gw_audit_facade *facade_of_file(const char *base)
{
	for (const struct gw_audit_facade *facade = gw_audit_facades; facade->soname; facade++)
		if (bears(base, facade->soname))
			return facade;
	return NULL;
}

/* Counts a file that comes or goes for the facades that would forward to it. */
static void count_target(const char *base, int change)
{
	for (const struct gw_audit_facade *facade = gw_audit_facades; facade->soname; facade++)
		for (const char *const *target = facade->targets; *target; target++)
			if (bears(base, *target))
				targets_mapped[facade - gw_audit_facades] += (unsigned)change;
}

EXPORT unsigned int la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie)
{
	const char *path = map->l_name ? map->l_name : "";
	const char *base = strrchr(path, '/');
	const struct gw_audit_facade *facade;
	bool ours;

	*cookie = (uintptr_t)map | (lmid != LM_ID_BASE);
	if (lmid != LM_ID_BASE) {
		state.offered = NULL;
		return 0;
	}
	base = base ? base + 1 : path;
	if (gw_audit_loader_meet(map))
		read_settings();
	if (!state.may_rename)
		state.may_rename = gw_audit_loader_is_new(map);
	if (strcmp(base, "libgangway.so") == 0)
		state.preloaded = true;
	facade = facade_of_file(base);
	ours = facade && (state.offered == facade || is_in_facade_dir(path, base));
	if (facade)
		mapped[facade - gw_audit_facades] = ours ? MAPPED_FACADE : MAPPED_REAL;
	if (!ours) {
		count_target(base, 1);
		gw_audit_member_add(map);
	}
	state.offered = NULL;
	return 0;
}

EXPORT unsigned int la_objclose(uintptr_t *cookie)
{
	const struct link_map *map = cookie_map(cookie);
	const char *base;
	const struct gw_audit_facade *facade;

	if (!map || cookie_is_foreign(cookie) || !map->l_name)
		return 0;
	base = strrchr(map->l_name, '/');
	base = base ? base + 1 : map->l_name;
	gw_audit_member_remove(map);
	facade = facade_of_file(base);
	if (!facade || mapped[facade - gw_audit_facades] != MAPPED_FACADE)
		count_target(base, -1);
	if (facade)
		mapped[facade - gw_audit_facades] = MAPPED_NO;
	return 0;
}
