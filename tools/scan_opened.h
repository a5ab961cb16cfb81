/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of gw_scan_opened share (scan.h): scan_opened.c, scan_opened_names.c, scan_opened_parts.c. */
#ifndef GW_TOOLS_SCAN_OPENED_H
#define GW_TOOLS_SCAN_OPENED_H

#include "scan.h"

#define GW_OPENED_MAX 256

/* How a name is known, as the JSON's "opened" says it. */
enum gw_opened_how { GW_OPENED_STRINGS, GW_OPENED_FRAMEWORK, GW_OPENED_VERSION };

struct gw_opened {
	char *name;
	char stem[GW_KNOWN_STEM];
	const char *family; /* NULL where only the database knows it */
	enum gw_opened_how how;
	bool guessed;  /* put together from a name without a version */
	bool required; /* its framework does without the GPU where it is missing */
	/* what it gets */
	const char *status, *rule;
	char *path, *lacking;
	bool through;
};

struct gw_opened_list {
	struct gw_scan_walk *walk;
	const struct gw_mapped *object; /* who opens them */
	const struct gw_strings *strings;
	struct gw_opened item[GW_OPENED_MAX];
	size_t count;
	/* the object itself, as one of the vendor's: NULL where it is none */
	const char *family, *version;
	char stem[GW_KNOWN_STEM];
};

/* scan_opened_names.c: fills the list with names. */
void gw_opened_collect(struct gw_opened_list *list) __attribute__((nonnull));

/* scan_opened_parts.c: is it a part of cuDNN that cuDNN's front opens? The front does nothing without its parts: the program ends at its first
 * call. */
bool gw_opened_is_part(const struct gw_opened_list *list, const struct gw_opened *item) __attribute__((nonnull));
/* How to get a part that does for the front, to free; NULL. */
char *gw_opened_fit(const struct gw_opened_list *list, const struct gw_opened *item) __attribute__((nonnull));
/* Tells of a part that was found where it does not do. True where that was told. */
bool gw_opened_check_part(struct gw_opened_list *list, const struct gw_opened *item) __attribute__((nonnull));

#endif
