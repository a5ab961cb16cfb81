/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a library, loaded in a child process, which version it is. */
#ifndef GW_ABI_ASK_H
#define GW_ABI_ASK_H

#include <stddef.h>

struct gw_answer {
	int part[3];	/* major, minor, patch */
	int status;	/* not 0: the function itself failed */
	char error[256];
};

/*
 * FUNCTION takes (int property, int *value), as all of this vendor's …GetProperty do. NEEDED: the library's needed sonames, which are
 * loaded first where they lie beside it. 0, or -errno with out->error set.
 */
int gw_ask_version(const char *path, const char *const needed[], size_t needed_count, const char *function,
		   struct gw_answer *out);

#endif
