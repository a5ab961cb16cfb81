/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader looks for one name that one object needs, in its order. */
#ifndef GW_TOOLS_LOADER_SEARCH_H
#define GW_TOOLS_LOADER_SEARCH_H

#include <limits.h>
#include "loader.h"

/* Which rule names a candidate. */
enum gw_rule {
	GW_RULE_PATH, /* the name has a slash */
	GW_RULE_AGAINST,
	GW_RULE_RPATH,
	GW_RULE_LIBRARY_PATH,
	GW_RULE_RUNPATH,
	GW_RULE_CACHE,
	GW_RULE_DEFAULT,
	GW_RULE_FALLBACK, /* the loader has nothing; gw_loader.fallback has */
};

/* One object of the chain that led to a search: it, and the one that needed it. */
struct gw_needer {
	const struct gw_file *file;
	const struct gw_needer *by; /* NULL for the first */
};

struct gw_candidate {
	const char *path; /* gone after the visit */
	enum gw_rule rule;
	const struct gw_file *owner; /* whose RPATH or RUNPATH it is; NULL for other rules */
};

/* Returns true to end the search. */
typedef bool gw_candidate_visit(void *context, const struct gw_candidate *candidate);

struct gw_search {
	struct gw_loader *loader;
	const struct gw_needer *needer;
	const struct gw_file *program; /* the main program, whose RPATH counts for all; or NULL */
	bool secure;                   /* it gains rights: the environment does not count */
	gw_candidate_visit *visit;
	void *context;
	/* Set: a file of that name was passed over, since it is for another class or machine. */
	char other[PATH_MAX];
};

/* Visits each file that the loader would take for NAME if none came before it; files that it would
 * choke on, too. True when a visit ended the search. */
bool gw_loader_search(struct gw_search *search, const char *name) __attribute__((nonnull));

/* "LD_LIBRARY_PATH", "RUNPATH", …: how a user calls a rule. */
const char *gw_rule_name(enum gw_rule rule);

#endif
