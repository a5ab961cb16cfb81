/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each difference between releases is treated, as the build wrote it (translations.txt: docs/translations.md). Ownership: everything lives in
 * struct gw_translations until finish. One thread.
 */
#ifndef GW_TRANSLATIONS_H
#define GW_TRANSLATIONS_H

#include "abi/db.h"

struct gw_treated {
	const char *how, *status, *finding, *note;	/* status, finding: "-" for none */
};

struct gw_translations {
	char *text;
	struct gw_treated *treated;
	struct gw_translation *row;	/* of one family */
	size_t treated_count, row_count;
};

/* Reads the rows of FAMILY. Leaves *TRANSLATIONS empty where no file, or none of this form, is installed: nothing is known then. */
void gw_translations_load(struct gw_translations *translations, const char *family) __attribute__((nonnull));
void gw_translations_finish(struct gw_translations *translations) __attribute__((nonnull));

/* How the thing NAME (abi_subject) that APPEARS, VANISHES or CHANGES is treated, or NULL. FORM is that word. */
const struct gw_treated *gw_translations_find(const struct gw_translations *translations, enum abi_kind kind,
					      const char *name, const char *form) __attribute__((nonnull));

#endif
