/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations, element by element. */
#include "vector.h"

#include <math.h>

static int64_t place(const struct fake_vector *x, int64_t i)
{
	return x->inc < 0 ? (x->n - 1 - i) * -x->inc : i * x->inc;
}

struct fake_number fake_at(const struct fake_vector *x, int64_t i)
{
	return fake_load(x->data, x->type, place(x, i));
}

void fake_put(const struct fake_vector *x, int64_t i, struct fake_number value)
{
	fake_store(x->data, x->type, place(x, i), value);
}

static struct fake_number product(struct fake_number a, struct fake_number b)
{
	return (struct fake_number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

void fake_axpy(struct fake_number alpha, const struct fake_vector *x, const struct fake_vector *y)
{
	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number p = product(alpha, fake_at(x, i)), q = fake_at(y, i);

		fake_put(y, i, (struct fake_number){ p.re + q.re, p.im + q.im });
	}
}

void fake_scal(struct fake_number alpha, const struct fake_vector *x)
{
	for (int64_t i = 0; i < x->n; i++)
		fake_put(x, i, product(alpha, fake_at(x, i)));
}

void fake_copy(const struct fake_vector *x, const struct fake_vector *y)
{
	for (int64_t i = 0; i < x->n; i++)
		fake_put(y, i, fake_at(x, i));
}

void fake_swap(const struct fake_vector *x, const struct fake_vector *y)
{
	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number kept = fake_at(x, i);

		fake_put(x, i, fake_at(y, i));
		fake_put(y, i, kept);
	}
}

struct fake_number fake_dot(const struct fake_vector *x, const struct fake_vector *y, bool conjugate)
{
	struct fake_number sum = { 0, 0 };

	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number a = fake_at(x, i), p;

		if (conjugate)
			a.im = -a.im;
		p = product(a, fake_at(y, i));
		sum.re += p.re;
		sum.im += p.im;
	}
	return sum;
}

double fake_nrm2(const struct fake_vector *x)
{
	double sum = 0;

	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number a = fake_at(x, i);

		sum += a.re * a.re + a.im * a.im;
	}
	return sqrt(sum);
}

double fake_asum(const struct fake_vector *x)
{
	double sum = 0;

	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number a = fake_at(x, i);

		sum += fabs(a.re) + fabs(a.im);
	}
	return sum;
}

int64_t fake_extreme(const struct fake_vector *x, bool largest)
{
	int64_t best = 0;
	double value = 0;

	for (int64_t i = 0; i < x->n; i++) {
		struct fake_number a = fake_at(x, i);
		double size = fabs(a.re) + fabs(a.im);

		if (!best || (largest ? size > value : size < value)) {
			best = i + 1;
			value = size;
		}
	}
	return best;
}
