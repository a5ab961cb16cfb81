/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors in host memory and the basic operations on them, for any element type. No state, any thread. */
#ifndef FAKE_VECTOR_H
#define FAKE_VECTOR_H

#include "number.h"

/* A strided vector as BLAS has it: a negative increment walks from the far end. */
struct fake_vector {
	void *data;
	enum fake_type type;
	int64_t n, inc;
};

struct fake_number fake_at(const struct fake_vector *x, int64_t i);
void fake_put(const struct fake_vector *x, int64_t i, struct fake_number value);

void fake_axpy(struct fake_number alpha, const struct fake_vector *x, const struct fake_vector *y);
void fake_scal(struct fake_number alpha, const struct fake_vector *x);
void fake_copy(const struct fake_vector *x, const struct fake_vector *y);
void fake_swap(const struct fake_vector *x, const struct fake_vector *y);
struct fake_number fake_dot(const struct fake_vector *x, const struct fake_vector *y, bool conjugate);
double fake_nrm2(const struct fake_vector *x);
double fake_asum(const struct fake_vector *x);	/* complex: |re| + |im|, as BLAS has it */
int64_t fake_extreme(const struct fake_vector *x, bool largest);	/* counted from one; 0 for an empty vector */

#endif
