/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files the loader would map for a program, or for a library that is opened, and in which
 * order it would look into them for a symbol. What is not found is noted, and the rest goes on, as
 * under LD_TRACE_LOADED_OBJECTS.
 */
#ifndef GW_TOOLS_LOADER_MAP_H
#define GW_TOOLS_LOADER_MAP_H

#include "loader_search.h"

struct gw_mapped;

struct gw_scope {
	struct gw_mapped **object;
	size_t count;
};

/* One DT_NEEDED, DT_AUXILIARY or DT_FILTER entry (or LD_PRELOAD name), and what it got. */
struct gw_need {
	const char *name;
	enum gw_elf_needed kind;
	struct gw_mapped *object; /* NULL: missing, or refused */
	char *refused; /* the file was found, and the loader ends with this message; else NULL */
	char *refused_path;
	char *other; /* missing: a file for another class or machine was passed over; else NULL */
};

struct gw_mapped {
	struct gw_file *file;
	struct gw_needer needer;
	struct gw_mapped *by; /* who needed it first; NULL for the first object and the loader */
	enum gw_rule rule;    /* which rule found it; GW_RULE_PATH for the first */
	const struct gw_file *owner; /* whose RPATH or RUNPATH that was; or NULL */
	char **names;                /* what it answers to, beside its path */
	size_t name_count;
	struct gw_need *needs; /* one for each DT_NEEDED */
	unsigned walk;	       /* private to loader_map.c */
	bool is_loader;        /* the loader itself */
	bool is_global;        /* it is in the scope of all */
	bool is_local;         /* it is in the scope of what was opened */
	bool is_apart;	       /* of another namespace, or not the loader's: nobody here sees it */
	bool has_own;	       /* it sees OWN beside the global scope, not gw_map.local */
	struct gw_scope own;
	size_t index; /* private to loader_scope.c */
};

struct gw_map {
	struct gw_loader *loader;
	struct gw_scope all;    /* in the order in which they are mapped */
	struct gw_scope global; /* the program's, or the first library's */
	struct gw_scope local;  /* of the library that was opened, itself first */
	struct gw_need *preloads;
	size_t preload_count;
	unsigned walks; /* private to loader_map.c */
	bool secure;   /* the program gains rights: the environment does not count */
	bool bind_now; /* calls are bound at load time, whatever the objects say */
};

/*
 * Maps FILE as the main program and what it needs. A library is mapped as if it were the program.
 * 0; -errno with an error in ERROR where FILE itself cannot be mapped.
 */
int gw_map_program(struct gw_map *map, struct gw_loader *loader, const char *path, char *error,
		   size_t error_size) __attribute__((warn_unused_result, nonnull));
/* Maps PATH as if the main program, which was mapped before, opened it with RTLD_NOW and
 * RTLD_LOCAL. The same results. */
int gw_map_open(struct gw_map *map, const char *path, char *error, size_t error_size)
	__attribute__((warn_unused_result, nonnull));
/* What a process has mapped, the program first: all in one scope, until gw_map_set_scopes. Files that
 * are no ELF files are left out. 0 or -ENOMEM. */
int gw_map_files(struct gw_map *map, struct gw_loader *loader, char *const *paths, size_t count)
	__attribute__((warn_unused_result, nonnull));
enum gw_visibility {
	GW_VISIBLE_TO_ALL,  /* of the program, or opened RTLD_GLOBAL */
	GW_VISIBLE_TO_SOME, /* opened RTLD_LOCAL, or for what was */
	GW_VISIBLE_ELSEWHERE, /* of another namespace */
};
/* loader_scope.c: for a map of gw_map_files, one for each of map->all. 0 or -ENOMEM. */
int gw_map_set_scopes(struct gw_map *map, const enum gw_visibility *visibility) __attribute__((warn_unused_result, nonnull));
void gw_map_finish(struct gw_map *map) __attribute__((nonnull));

/* The object that answers to NAME, as the loader asks when it checks versions; NULL: none. */
struct gw_mapped *gw_map_named(const struct gw_map *map, const char *name) __attribute__((nonnull));

#endif
