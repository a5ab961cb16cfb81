/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a file about to be opened with RTLD_DEEPBIND would hide its vendor calls from us. */
#ifndef GW_DEEPBIND_H
#define GW_DEEPBIND_H

#include <stdbool.h>

/* Does the ELF file PATH import a function that we wrap, by name, or dlsym, with which it finds them? False for anything that cannot be read. Maps the file. */
bool gw_deepbind_matters(const char *path) __attribute__((nonnull));

#endif
