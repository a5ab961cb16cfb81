/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the steps of gangway-verify share. A step runs in a process of its own, so it may end there and then: a crash, a hang or a call that
 * fails costs that step alone. It says in order what it opens, what it calls and what came out; main.c writes its line.
 */
#ifndef GW_VERIFY_STEP_H
#define GW_VERIFY_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gw_outcome {
	GW_OK,
	GW_WRONG,      /* it computed something else */
	GW_FAILED,     /* a call answered an error */
	GW_CRASHED,
	GW_HUNG,
	GW_MISSING,    /* a library is not there, or cannot be loaded */
	GW_NO_DEVICE,  /* no driver, or no GPU that it drives */
	GW_NOT_HERE,   /* this GPU or library has nothing of the kind: no fault */
	GW_OUTCOMES
};
extern const char *const gw_outcome_names[GW_OUTCOMES];

/* ---- report.c */

/* What the step does next: told when it never comes back. */
void gw_doing(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Which library the step is about; kept. */
void gw_about(const char *library);
/* Which part of the step this and all that follows is, to be named with it; kept. NULL: none. */
void gw_part(const char *name);
_Noreturn void gw_end(enum gw_outcome outcome, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A fact about the machine: "gpu": "NVIDIA H200". */
void gw_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Results: COUNT numbers, and what they have to be. The error is the largest difference in units of the largest number that is wanted; beyond
 * LIMIT the step's outcome is GW_WRONG, and it goes on.
 */
void gw_case(const char *name, const double *got, const double *wanted, size_t count, double limit);
/* The room for numbers that live as long as the step. */
void *gw_room(size_t count, size_t size) __attribute__((returns_nonnull));
/* For main.c: what DOING is shared through, and where the line goes. */
void gw_report_start(const char *step, char *doing, size_t doing_size, int out);
/* Writes a line about a step that did not come back. */
void gw_report_lost(int out, const char *step, enum gw_outcome outcome, const char *doing, const char *why);

/* ---- library.c: what `--library NAME=FILE` said, opened as a program would have it */

/* Opens it; ends the step where that cannot be. LATER libraries find it in the global scope, as with DT_NEEDED. */
void *gw_library(const char *name);
/* The same where the step can do without; NULL. */
void *gw_library_if_there(const char *name);
/* A function of it; ends the step where it has none of that name. */
void *gw_function(void *library, const char *name) __attribute__((returns_nonnull));
/* NULL where it has none. */
void *gw_function_if_there(void *library, const char *name);
/* NAME=FILE of the command line; false where it is not of that form, or there are too many. */
bool gw_library_told(const char *text);
struct gw_library_file {
	const char *name, *path;
	const char *release; /* "" where it does not say */
};
/* The next file of a vendor's library that is mapped; false at the end. */
bool gw_library_mapped(size_t *cursor, struct gw_library_file *file);

#define GW_CALL(library, name) ((gw_signature_##name *)gw_function(library, #name))

/* ---- device.c: memory of GPU 0, through the driver. Each function ends the step where the driver refuses. */
void gw_device_open(void);
/* 90 for compute capability 9.0. */
int gw_device_capability(void);
void *gw_device_room(size_t size);
/* Room with a copy of DATA in it. */
void *gw_device_put(const void *data, size_t size);
/* Waits for all that was started, then copies. */
void gw_device_get(void *data, const void *device, size_t size);
/* Ends the step unless STATUS of the driver's function CALL is success. */
void gw_driver_must(int status, const char *call);
void *gw_driver(void);

/* ---- number.c: numbers that every run has alike, and the formats of GPUs */
struct gw_format {
	unsigned size;               /* bytes */
	unsigned exponent, mantissa; /* bits of a small floating format; 0 for double, float and integers */
	bool is_integer;
};
/* In [-1, 1], a multiple of 1/STEPS; STEPS 0: of any value that a double has there. */
double gw_random(uint64_t *state, unsigned steps);
/* VALUE, rounded to the nearest of the format, at DATA[INDEX]. */
void gw_number_store(const struct gw_format *format, void *data, size_t index, double value);
double gw_number_load(const struct gw_format *format, const void *data, size_t index);

/* ---- product.c: the reference. C (m x n) = A^T B, A is k x m and B is k x n, both by columns. */
void gw_product(const double *a, const double *b, double *c, unsigned m, unsigned n, unsigned k);
/* y = convolution of x (n, c, h, w) with the filter f (o, c, 3, 3), padded by 1: all four by n, c, h, w in that order. */
struct gw_convolution {
	unsigned n, c, h, w, o;
};
void gw_convolve(const struct gw_convolution *shape, const double *x, const double *f, double *y);

/* ---- the steps */
void gw_step_driver(const char *which);
void gw_step_runtime(const char *which);
void gw_step_nvrtc(const char *which);
void gw_step_product(const char *which);
void gw_step_blas(const char *which);
void gw_step_convolution(const char *which);
void gw_step_fused(const char *which);
void gw_step_graph(const char *which);
void gw_step_solver(const char *which);
void gw_step_nccl(const char *which);

#endif
