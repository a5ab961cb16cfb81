/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps' results have to be, computed in double on this machine's own processor (step.h). */
#include "step.h"

void gw_product(const double *a, const double *b, double *c, unsigned m, unsigned n, unsigned k)
{
	for (unsigned j = 0; j < n; j++)
		for (unsigned i = 0; i < m; i++) {
			double sum = 0;

			for (unsigned l = 0; l < k; l++)
				sum += a[(size_t)i * k + l] * b[(size_t)j * k + l];
			c[(size_t)j * m + i] = sum;
		}
}

static double at(const struct gw_convolution *shape, const double *x, unsigned n, unsigned c, long h, long w)
{
	if (h < 0 || w < 0 || h >= (long)shape->h || w >= (long)shape->w)
		return 0;
	return x[(((size_t)n * shape->c + c) * shape->h + (size_t)h) * shape->w + (size_t)w];
}

static double one(const struct gw_convolution *shape, const double *x, const double *f, unsigned n, unsigned h, unsigned w)
{
	double sum = 0;

	for (unsigned c = 0; c < shape->c; c++)
		for (unsigned r = 0; r < 9; r++)
			sum += f[c * 9 + r] * at(shape, x, n, c, (long)(h + r / 3) - 1, (long)(w + r % 3) - 1);
	return sum;
}

void gw_convolve(const struct gw_convolution *shape, const double *x, const double *f, double *y)
{
	size_t next = 0;

	for (unsigned n = 0; n < shape->n; n++)
		for (unsigned o = 0; o < shape->o; o++)
			for (unsigned h = 0; h < shape->h; h++)
				for (unsigned w = 0; w < shape->w; w++)
					y[next++] = one(shape, x, f + (size_t)o * shape->c * 9, n, h, w);
}
