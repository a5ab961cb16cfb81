/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, its two gradients, and the fused bias and activation. */
#include "tensor.h"

#include <errno.h>
#include <stdlib.h>

int fake_convolution_shape(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w, int *dim)
{
	if (x->rank != c->rank + 2 || w->rank != x->rank || c->groups < 1 || x->dim[1] != w->dim[1] * c->groups ||
	    w->dim[0] % c->groups)
		return -EINVAL;
	dim[0] = x->dim[0];
	dim[1] = w->dim[0];
	for (int i = 0; i < c->rank; i++) {
		int extent = x->dim[i + 2] + 2 * c->pad[i] - ((w->dim[i + 2] - 1) * c->dilation[i] + 1);

		if (extent < 0)
			return -EINVAL;
		dim[i + 2] = 1 + extent / c->stride[i];
	}
	return 0;
}

static int check(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w,
		 const struct fake_tensor *y)
{
	int dim[FAKE_RANK];

	if (fake_convolution_shape(c, x, w, dim) || y->rank != x->rank)
		return -EINVAL;
	for (int i = 0; i < y->rank; i++)
		if (y->dim[i] != dim[i])
			return -EINVAL;
	return 0;
}

/*
 * For output position AT and filter tap TAP (its channel and space dimensions from 1 on): where in x it reads and where in w.
 * False where that is padding.
 */
static bool taps(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w, const int *at,
		 const int *tap, int *in, int *filter)
{
	int per_group = w->dim[0] / c->groups;

	in[0] = at[0];
	in[1] = at[1] / per_group * w->dim[1] + tap[1];
	filter[0] = at[1];
	filter[1] = tap[1];
	for (int i = 0; i < c->rank; i++) {
		filter[i + 2] = c->flip ? w->dim[i + 2] - 1 - tap[i + 2] : tap[i + 2];
		in[i + 2] = at[i + 2] * c->stride[i] - c->pad[i] + tap[i + 2] * c->dilation[i];
		if (in[i + 2] < 0 || in[i + 2] >= x->dim[i + 2])
			return false;
	}
	return true;
}

int fake_convolve(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w,
		  const struct fake_tensor *y, double alpha, double beta, const struct fake_tensor *z, double alpha2,
		  const struct fake_tensor *bias, const struct fake_activate *act)
{
	int at[FAKE_RANK] = { 0 }, in[FAKE_RANK], filter[FAKE_RANK], taps_dim[FAKE_RANK];

	if (check(c, x, w, y))
		return -EINVAL;
	for (int i = 0; i < w->rank; i++)
		taps_dim[i] = i ? w->dim[i] : 1;
	do {
		int tap[FAKE_RANK] = { 0 };
		double sum = 0;

		do
			if (taps(c, x, w, at, tap, in, filter))
				sum += fake_get(x, in) * fake_get(w, filter);
		while (fake_next(taps_dim, w->rank, tap));
		sum *= alpha;
		if (z && alpha2 != 0)
			sum += alpha2 * fake_get(z, at);
		if (bias)
			sum += fake_get(bias, at);
		fake_blend(y, at, act ? fake_activated(act, sum) : sum, 1, beta);
	} while (fake_next(y->dim, y->rank, at));
	return 0;
}

/* Gradients add up many contributions: in doubles first, so that narrow types round once. */
static int scatter(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w,
		   const struct fake_tensor *dy, bool into_x, double alpha, double beta)
{
	const struct fake_tensor *to = into_x ? x : w, *from = into_x ? w : x;
	double *sums = calloc((size_t)fake_elements(to), sizeof *sums);
	struct fake_tensor dense = *to;
	int at[FAKE_RANK] = { 0 }, in[FAKE_RANK], filter[FAKE_RANK], taps_dim[FAKE_RANK];
	int64_t stride = 1;

	if (!sums)
		return -ENOMEM;
	dense.data = sums;
	dense.type = FAKE_F64;
	dense.vector = 1;
	for (int i = to->rank - 1; i >= 0; i--) {
		dense.stride[i] = stride;
		stride *= to->dim[i];
	}
	for (int i = 0; i < w->rank; i++)
		taps_dim[i] = i ? w->dim[i] : 1;
	do {
		int tap[FAKE_RANK] = { 0 };

		do
			if (taps(c, x, w, at, tap, in, filter))
				sums[fake_place(&dense, into_x ? in : filter)] += fake_get(dy, at) * fake_get(from, into_x ? filter : in);
		while (fake_next(taps_dim, w->rank, tap));
	} while (fake_next(dy->dim, dy->rank, at));
	do
		fake_blend(to, at, fake_get(&dense, at), alpha, beta);
	while (fake_next(to->dim, to->rank, at));
	free(sums);
	return 0;
}

int fake_convolve_data(const struct fake_convolution *c, const struct fake_tensor *w, const struct fake_tensor *dy,
		       const struct fake_tensor *dx, double alpha, double beta)
{
	return check(c, dx, w, dy) ? -EINVAL : scatter(c, dx, w, dy, true, alpha, beta);
}

int fake_convolve_filter(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *dy,
			 const struct fake_tensor *dw, double alpha, double beta)
{
	return check(c, x, dw, dy) ? -EINVAL : scatter(c, x, dw, dy, false, alpha, beta);
}
