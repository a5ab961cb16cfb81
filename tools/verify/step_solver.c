/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eigenvalues of a Hermitian matrix through cuSOLVER, as custom operators ask for them: the size of a buffer, then the call; in single and double,
 * and through the 64 bit interface. The matrix is made of its eigenvalues: A = Q D Q*, Q a reflection.
 */
#include "step.h"

#include <complex.h>
#include <math.h>

#include "gw_signatures.h"
#include "gw_values.h"
#include "tools/verify/facts.h"

enum { N = 16 };

/* cusolverDn.h; the same in CUDA 11, 12 and 13. */
typedef int size_function(void *handle, int job, int half, int n, const void *a, int lda, const void *w, int *size);
typedef int solve_function(void *handle, int job, int half, int n, void *a, int lda, void *w, void *work, int size, int *info);

static void *solver, *handle;
static double eigenvalue[N];
static double complex matrix[N * N];

static void must(int status, const char *call)
{
	if (status != GW_VALUE_CUSOLVER_STATUS_SUCCESS)
		gw_end(GW_FAILED, "%s answered %d", call, status);
}

/* A[i + j N] */
static void make_matrix(void)
{
	double complex v[N], q[N][N];
	double length = 0;
	uint64_t seed = 21;

	for (int i = 0; i < N; i++) {
		double real = gw_random(&seed, 0);

		v[i] = real + gw_random(&seed, 0) * I;
		length += creal(v[i]) * creal(v[i]) + cimag(v[i]) * cimag(v[i]);
		eigenvalue[i] = -4 + i * 0.75; /* apart from each other, in the order in which they come back */
	}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			q[i][j] = (i == j) - 2 * v[i] * conj(v[j]) / length;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			matrix[i + j * N] = 0;
			for (int k = 0; k < N; k++)
				matrix[i + j * N] += q[i][k] * eigenvalue[k] * conj(q[j][k]);
		}
}

/* The matrix on the device, in single or double. */
static void *put(bool single)
{
	const struct gw_format format = {.size = single ? 4 : 8};
	char *raw = gw_room(2 * N * N, format.size);

	for (size_t i = 0; i < N * N; i++) {
		gw_number_store(&format, raw, 2 * i, creal(matrix[i]));
		gw_number_store(&format, raw, 2 * i + 1, cimag(matrix[i]));
	}
	return gw_device_put(raw, 2 * N * N * format.size);
}

/* Vectors may have any phase: what has to hold is A v = w v. Told as the lengths of A v - w v, which have to be 0, beside 1. */
static void compare_vectors(const double complex *vectors, const char *name, double limit)
{
	double *rest = gw_room(N + 1, sizeof *rest), *wanted = gw_room(N + 1, sizeof *wanted);

	rest[N] = wanted[N] = 1;
	for (int k = 0; k < N; k++) {
		double sum = 0;

		for (int i = 0; i < N; i++) {
			double complex of = -eigenvalue[k] * vectors[i + k * N];

			for (int j = 0; j < N; j++)
				of += matrix[i + j * N] * vectors[j + k * N];
			sum += creal(of) * creal(of) + cimag(of) * cimag(of);
		}
		rest[k] = sqrt(sum);
	}
	gw_case(name, rest, wanted, N + 1, limit);
}

static void compare(const void *w, const void *a, const int *info, bool single, const char *name, const char *vectors_name, double limit)
{
	const struct gw_format format = {.size = single ? 4 : 8};
	char *raw = gw_room(2 * N * N, format.size);
	double *got = gw_room(N, sizeof *got);
	double complex *vectors = gw_room(N * N, sizeof *vectors);
	int told = -1;

	gw_device_get(&told, info, sizeof told);
	if (told)
		gw_end(GW_FAILED, "%s: the eigenvalues did not converge: info is %d", name, told);
	gw_device_get(raw, w, N * format.size);
	for (size_t i = 0; i < N; i++)
		got[i] = gw_number_load(&format, raw, i);
	gw_case(name, got, eigenvalue, N, limit);
	gw_device_get(raw, a, 2 * N * N * format.size);
	for (size_t i = 0; i < N * N; i++)
		vectors[i] = gw_number_load(&format, raw, 2 * i) + gw_number_load(&format, raw, 2 * i + 1) * I;
	compare_vectors(vectors, vectors_name, 10 * limit);
}

static void old_interface(bool single)
{
	const char *name = single ? "cusolverDnCheevd" : "cusolverDnZheevd";
	size_function *ask = (size_function *)gw_function(solver, single ? "cusolverDnCheevd_bufferSize" : "cusolverDnZheevd_bufferSize");
	solve_function *solve;
	size_t real = single ? 4 : 8;
	void *a = put(single), *w = gw_device_room(N * real), *work;
	int size = 0, *info = gw_device_room(sizeof *info);

	must(ask(handle, GW_VALUE_CUSOLVER_EIG_MODE_VECTOR, GW_VALUE_CUBLAS_FILL_MODE_LOWER, N, a, N, w, &size), single ? "cusolverDnCheevd_bufferSize" :
														      "cusolverDnZheevd_bufferSize");
	work = gw_device_room((size_t)size * 2 * real);
	solve = (solve_function *)gw_function(solver, name);
	must(solve(handle, GW_VALUE_CUSOLVER_EIG_MODE_VECTOR, GW_VALUE_CUBLAS_FILL_MODE_LOWER, N, a, N, w, work, size, info), name);
	compare(w, a, info, single, name, single ? "cusolverDnCheevd, vectors" : "cusolverDnZheevd, vectors", single ? 5e-6 : 1e-14);
}

/* Since 11.1. */
static void new_interface(void)
{
	int (*make)(void **) = (int (*)(void **))gw_function_if_there(solver, "cusolverDnCreateParams");
	int (*ask)(void *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *, int, size_t *, size_t *);
	int (*solve)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int, void *, size_t, void *, size_t, int *);
	size_t device_size = 0, host_size = 0;
	void *parameters = NULL, *a, *w;
	int *info;

	if (!make || !gw_function_if_there(solver, "cusolverDnXsyevd"))
		return;
	a = put(false);
	w = gw_device_room(N * sizeof(double));
	info = gw_device_room(sizeof *info);
	must(make(&parameters), "cusolverDnCreateParams");
	ask = (int (*)(void *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *, int, size_t *, size_t *))gw_function(
		solver, "cusolverDnXsyevd_bufferSize");
	must(ask(handle, parameters, GW_VALUE_CUSOLVER_EIG_MODE_VECTOR, GW_VALUE_CUBLAS_FILL_MODE_LOWER, N, GW_VALUE_CUDA_C_64F, a, N, GW_VALUE_CUDA_R_64F, w,
		 GW_VALUE_CUDA_C_64F, &device_size, &host_size),
	     "cusolverDnXsyevd_bufferSize");
	solve = (int (*)(void *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int, void *, size_t, void *, size_t, int *))gw_function(
		solver, "cusolverDnXsyevd");
	must(solve(handle, parameters, GW_VALUE_CUSOLVER_EIG_MODE_VECTOR, GW_VALUE_CUBLAS_FILL_MODE_LOWER, N, GW_VALUE_CUDA_C_64F, a, N, GW_VALUE_CUDA_R_64F,
		   w, GW_VALUE_CUDA_C_64F, gw_device_room(device_size), device_size, gw_room(host_size, 1), host_size, info),
	     "cusolverDnXsyevd");
	compare(w, a, info, false, "cusolverDnXsyevd", "cusolverDnXsyevd, vectors", 1e-14);
}

void gw_step_solver(const char *which)
{
	int (*make)(void **);

	(void)which;
	gw_library_if_there("cublasLt");
	gw_library_if_there("cublas");
	solver = gw_library("cusolver");
	gw_device_open();
	make = (int (*)(void **))gw_function(solver, "cusolverDnCreate");
	must(make(&handle), "cusolverDnCreate");
	make_matrix();
	old_interface(true);
	old_interface(false);
	new_interface();
}
