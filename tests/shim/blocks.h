/* SPDX-License-Identifier: Apache-2.0 */
/* One part of a process (blocks_part.c), compiled against the header of one release: what blocks.c asks it to do. */
#ifndef GW_TEST_BLOCKS_H
#define GW_TEST_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum kind { DESC, LAYOUT, PREFERENCE, KINDS };

struct part {
	size_t size[KINDS];	/* of the block, as this release's header has it */
	int (*init)(enum kind kind, void *block);	/* layouts: 2 x 2 floats */
	int (*create)(enum kind kind, void **block);
	int (*destroy)(enum kind kind, void *block);
	int (*set)(enum kind kind, void *block, int id, const void *value, size_t size);
	int (*get)(enum kind kind, void *block, int id, void *value, size_t size, size_t *written);
	void *(*handle)(void);
	int (*matmul)(void *handle, void *desc, void *layout, const float *a, const float *b, float *d);
	int (*heuristic)(void *handle, void *desc, void *layout, void *preference, int *count);
	int (*check)(void *handle, void *desc, void *layout, void *preference);	/* of the heuristic's first answer */
	int (*transform)(void *handle, void *layout, const float *a, float *c);
};

#endif
