/* SPDX-License-Identifier: Apache-2.0 */
/* What the part of lt_mixed that is built against a later header gives to the one that is built against an older header. Results are statuses. */
#ifndef GPU_LT_MIXED_H
#define GPU_LT_MIXED_H

enum { MIXED_M = 128, MIXED_N = 64, MIXED_K = 128 };

/* Blocks of the caller's own header, or of the later one; types by their numbers in library_types.h. */
struct mixed_later {
	int (*scales)(void *desc, const void *a, const void *b);
	int (*bias_type)(void *desc, int type);
	int (*layout)(void **layout, int type, int rows, int columns);
	/* A whole MatmulDesc of its own: A transposed, this epilogue and bias; NULL where it cannot be made. */
	void *(*desc)(int epilogue, void *bias);
	int narrow;	/* the type of the narrow matrices, E4M3 */
};

#endif
