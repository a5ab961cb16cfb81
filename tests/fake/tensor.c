/* SPDX-License-Identifier: Apache-2.0 */
/* Walking tensors, activation functions, pooling and reduction, element by element. */
#include "tensor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool fake_next(const int *dim, int rank, int *at)
{
	for (int i = rank - 1; i >= 0; i--) {
		if (++at[i] < dim[i])
			return true;
		at[i] = 0;
	}
	return false;
}

int64_t fake_place(const struct fake_tensor *tensor, const int *at)
{
	int64_t place = 0;

	for (int i = 0; i < tensor->rank; i++) {
		int64_t index = tensor->dim[i] == 1 ? 0 : at[i];	/* broadcast */

		if (i == 1 && tensor->vector > 1)
			place += index / tensor->vector * tensor->stride[i] * tensor->vector + index % tensor->vector;
		else
			place += index * tensor->stride[i] * (tensor->vector > 1 ? tensor->vector : 1);
	}
	return place;
}

double fake_get(const struct fake_tensor *tensor, const int *at)
{
	return fake_load(tensor->data, tensor->type, fake_place(tensor, at)).re;
}

void fake_blend(const struct fake_tensor *tensor, const int *at, double value, double alpha, double beta)
{
	int64_t place = fake_place(tensor, at);
	double old = beta != 0 ? beta * fake_load(tensor->data, tensor->type, place).re : 0;

	fake_store(tensor->data, tensor->type, place, (struct fake_number){ alpha * value + old, 0 });
}

int64_t fake_elements(const struct fake_tensor *tensor)
{
	int64_t count = 1;

	for (int i = 0; i < tensor->rank; i++)
		count *= tensor->dim[i];
	return count;
}

double fake_activated(const struct fake_activate *a, double x)
{
	switch (a->mode) {
	case FAKE_ACT_RELU: return x > 0 ? x : 0;
	case FAKE_ACT_SIGMOID: return 1 / (1 + exp(-x));
	case FAKE_ACT_TANH: return tanh(x);
	case FAKE_ACT_CLIPPED: return x < 0 ? 0 : x > a->coefficient ? a->coefficient : x;
	case FAKE_ACT_ELU: return x > 0 ? x : a->coefficient * expm1(x);
	case FAKE_ACT_SWISH: return x / (1 + exp(-a->swish_beta * x));
	default: return x;
	}
}

double fake_slope(const struct fake_activate *a, double x, double y)
{
	double s;

	switch (a->mode) {
	case FAKE_ACT_RELU: return x > 0;
	case FAKE_ACT_SIGMOID: return y * (1 - y);
	case FAKE_ACT_TANH: return 1 - y * y;
	case FAKE_ACT_CLIPPED: return x > 0 && x < a->coefficient;
	case FAKE_ACT_ELU: return x > 0 ? 1 : y + a->coefficient;
	case FAKE_ACT_SWISH:
		s = 1 / (1 + exp(-a->swish_beta * x));
		return s + a->swish_beta * x * s * (1 - s);
	default: return 1;
	}
}

int fake_pool_shape(const struct fake_pool *p, const struct fake_tensor *x, int *dim)
{
	if (x->rank != p->rank + 2)
		return -EINVAL;
	dim[0] = x->dim[0];
	dim[1] = x->dim[1];
	for (int i = 0; i < p->rank; i++) {
		dim[i + 2] = 1 + (x->dim[i + 2] + 2 * p->pad[i] - p->window[i]) / p->stride[i];
		if (dim[i + 2] <= 0)
			return -EINVAL;
	}
	return 0;
}

/* Maps window position IN of output OUT to x's position; false where that is padding. */
static bool pooled(const struct fake_pool *p, const struct fake_tensor *x, const int *out, const int *in, int *at)
{
	at[0] = out[0];
	at[1] = out[1];
	for (int i = 0; i < p->rank; i++) {
		at[i + 2] = out[i + 2] * p->stride[i] - p->pad[i] + in[i];
		if (at[i + 2] < 0 || at[i + 2] >= x->dim[i + 2])
			return false;
	}
	return true;
}

static double pool_one(const struct fake_pool *p, const struct fake_tensor *x, const int *out, int *best, int *count)
{
	int in[FAKE_RANK] = { 0 }, at[FAKE_RANK], all = 0;
	double sum = 0, most = -INFINITY;

	*count = 0;
	do {
		all++;
		if (!pooled(p, x, out, in, at))
			continue;
		++*count;
		sum += fake_get(x, at);
		if (fake_get(x, at) > most) {
			most = fake_get(x, at);
			for (int i = 0; i < x->rank; i++)
				best[i] = at[i];
		}
	} while (fake_next(p->window, p->rank, in));
	if (p->mode == FAKE_POOL_MAX)
		return most;
	if (p->mode == FAKE_POOL_AVERAGE_ALL)
		*count = all;
	return *count ? sum / *count : 0;
}

static bool same_shape(const int *dim, const struct fake_tensor *y)
{
	for (int i = 0; i < y->rank; i++)
		if (dim[i] != y->dim[i])
			return false;
	return true;
}

int fake_pool_forward(const struct fake_pool *p, const struct fake_tensor *x, const struct fake_tensor *y, double alpha,
		      double beta)
{
	int dim[FAKE_RANK], at[FAKE_RANK] = { 0 }, best[FAKE_RANK], count;

	if (fake_pool_shape(p, x, dim) || y->rank != x->rank || !same_shape(dim, y))
		return -EINVAL;
	do
		fake_blend(y, at, pool_one(p, x, at, best, &count), alpha, beta);
	while (fake_next(y->dim, y->rank, at));
	return 0;
}

int fake_pool_backward(const struct fake_pool *p, const struct fake_tensor *x, const struct fake_tensor *dy,
		       const struct fake_tensor *dx, double alpha, double beta)
{
	int dim[FAKE_RANK], at[FAKE_RANK] = { 0 }, best[FAKE_RANK], count, to[FAKE_RANK];

	if (fake_pool_shape(p, x, dim) || dy->rank != x->rank || !same_shape(dim, dy) || !same_shape(x->dim, dx))
		return -EINVAL;
	do
		fake_blend(dx, at, 0, 0, beta);
	while (fake_next(dx->dim, dx->rank, at));
	do {
		int in[FAKE_RANK] = { 0 };

		pool_one(p, x, at, best, &count);
		if (p->mode == FAKE_POOL_MAX) {
			fake_blend(dx, best, fake_get(dy, at), alpha, 1);
			continue;
		}
		do
			if (pooled(p, x, at, in, to))
				fake_blend(dx, to, fake_get(dy, at) / count, alpha, 1);
		while (fake_next(p->window, p->rank, in));
	} while (fake_next(dy->dim, dy->rank, at));
	return 0;
}

static double combine(enum fake_reduction how, double sum, double value)
{
	switch (how) {
	case FAKE_PRODUCT: return sum * value;
	case FAKE_PRODUCT_NO_ZEROS: return value != 0 ? sum * value : sum;
	case FAKE_MIN: return value < sum ? value : sum;
	case FAKE_MAX: return value > sum ? value : sum;
	case FAKE_AMAX: return fabs(value) > sum ? fabs(value) : sum;
	case FAKE_NORM1: return sum + fabs(value);
	case FAKE_NORM2: return sum + value * value;
	default: return sum + value;
	}
}

static double neutral(enum fake_reduction how)
{
	switch (how) {
	case FAKE_PRODUCT: case FAKE_PRODUCT_NO_ZEROS: return 1;
	case FAKE_MIN: return INFINITY;
	case FAKE_MAX: return -INFINITY;
	default: return 0;
	}
}

int fake_reduce(enum fake_reduction how, const struct fake_tensor *x, const struct fake_tensor *y, double alpha, double beta)
{
	int at[FAKE_RANK] = { 0 }, inner[FAKE_RANK];
	int64_t merged = 1;

	if (x->rank != y->rank)
		return -EINVAL;
	for (int i = 0; i < x->rank; i++) {
		if (y->dim[i] != x->dim[i] && y->dim[i] != 1)
			return -EINVAL;
		inner[i] = y->dim[i] == 1 ? x->dim[i] : 1;
		merged *= inner[i];
	}
	do {
		int in[FAKE_RANK] = { 0 }, from[FAKE_RANK];
		double sum = neutral(how);

		do {
			for (int i = 0; i < x->rank; i++)
				from[i] = at[i] + in[i];
			sum = combine(how, sum, fake_get(x, from));
		} while (fake_next(inner, x->rank, in));
		if (how == FAKE_MEAN)
			sum /= (double)merged;
		if (how == FAKE_NORM2)
			sum = sqrt(sum);
		fake_blend(y, at, sum, alpha, beta);
	} while (fake_next(y->dim, y->rank, at));
	return 0;
}
