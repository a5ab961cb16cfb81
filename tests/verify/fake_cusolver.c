/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for libcusolver: eigenvalues of Hermitian matrices by Jacobi's rotations. Faults of `cusolver`: `wrong`, `diverge`, and those of fault.h. */
#include <complex.h>
#include <math.h>
#include <stdint.h>

#include "fault.h"

enum { MOST = 64, C32 = 4 };

EXPORT int cusolverGetProperty(int part, int *value)
{
	*value = part == 0 ? 11 : part == 1 ? 4 : 5;
	return 0;
}

EXPORT int cusolverDnCreate(void **made)
{
	*made = malloc(1);
	return 0;
}

EXPORT int cusolverDnCreateParams(void **made)
{
	*made = malloc(1);
	return 0;
}

/* Makes a[p][q] zero. */
static void rotate(int n, double complex a[MOST][MOST], double complex v[MOST][MOST], int p, int q)
{
	double size = cabs(a[p][q]), angle = 0.5 * atan2(2 * size, creal(a[q][q]) - creal(a[p][p])), c = cos(angle), s = sin(angle);
	double complex phase = size > 0 ? a[p][q] / size : 1;

	for (int k = 0; k < n; k++) {
		double complex x = a[k][p], y = a[k][q];

		a[k][p] = c * x - s * conj(phase) * y;
		a[k][q] = s * phase * x + c * y;
		x = v[k][p], y = v[k][q];
		v[k][p] = c * x - s * conj(phase) * y;
		v[k][q] = s * phase * x + c * y;
	}
	for (int k = 0; k < n; k++) {
		double complex x = a[p][k], y = a[q][k];

		a[p][k] = c * x - s * phase * y;
		a[q][k] = s * conj(phase) * x + c * y;
	}
}

static double complex load(const void *a, int single, int at)
{
	return single ? (double complex)((const float complex *)a)[at] : ((const double complex *)a)[at];
}

static int solve(int single, int n, void *matrix, int lda, void *w, int *info)
{
	static double complex a[MOST][MOST], v[MOST][MOST];
	int order[MOST];

	obey("cusolver");
	*info = has_fault("cusolver", "diverge") ? 3 : 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a[i][j] = i >= j ? load(matrix, single, i + j * lda) : conj(load(matrix, single, j + i * lda));
			v[i][j] = i == j;
		}
	for (int sweep = 0; sweep < 30; sweep++)
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++)
				rotate(n, a, v, p, q);
	for (int i = 0; i < n; i++) {
		int at = i;

		for (; at > 0 && creal(a[order[at - 1]][order[at - 1]]) > creal(a[i][i]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (int k = 0; k < n; k++) {
		double value = creal(a[order[k]][order[k]]) + (has_fault("cusolver", "wrong") && k == 2 ? 0.01 : 0);

		if (single)
			((float *)w)[k] = (float)value;
		else
			((double *)w)[k] = value;
		for (int i = 0; i < n; i++)
			if (single)
				((float complex *)matrix)[i + k * lda] = (float complex)v[i][order[k]];
			else
				((double complex *)matrix)[i + k * lda] = v[i][order[k]];
	}
	return 0;
}

#define OLD(name, single)                                                                                                      \
	EXPORT int cusolverDn##name##_bufferSize(void *h, int job, int half, int n, const void *a, int lda, const void *w, int *size) \
	{                                                                                                                      \
		(void)h, (void)job, (void)half, (void)n, (void)a, (void)lda, (void)w;                                          \
		*size = 1;                                                                                                     \
		return 0;                                                                                                      \
	}                                                                                                                      \
	EXPORT int cusolverDn##name(void *h, int job, int half, int n, void *a, int lda, void *w, void *work, int size, int *info) \
	{                                                                                                                      \
		(void)h, (void)half, (void)work, (void)size;                                                                   \
		return job == 1 && n <= MOST ? solve(single, n, a, lda, w, info) : 3;                                          \
	}

OLD(Cheevd, 1)
OLD(Zheevd, 0)

EXPORT int cusolverDnXsyevd_bufferSize(void *h, void *parameters, int job, int half, int64_t n, int type, const void *a, int64_t lda, int type_w,
				       const void *w, int type_compute, size_t *device, size_t *host)
{
	(void)h, (void)parameters, (void)job, (void)half, (void)n, (void)type, (void)a, (void)lda, (void)type_w, (void)w, (void)type_compute;
	*device = *host = 8;
	return 0;
}

EXPORT int cusolverDnXsyevd(void *h, void *parameters, int job, int half, int64_t n, int type, void *a, int64_t lda, int type_w, void *w, int type_compute,
			    void *device, size_t device_size, void *host, size_t host_size, int *info)
{
	(void)h, (void)parameters, (void)half, (void)type_w, (void)device, (void)device_size, (void)host, (void)host_size;
	return job == 1 && n <= MOST && type == type_compute ? solve(type == C32, (int)n, a, (int)lda, w, info) : 3;
}
