/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of cuDNN share: the handle, the numbers and what they have to become. Each function ends the step where it fails. */
#ifndef GW_VERIFY_CONVOLUTION_H
#define GW_VERIFY_CONVOLUTION_H

#include "gw_types.h"
#include "step.h"

struct gw_tensors {
	const struct gw_format *format;
	bool channels_last;
	size_t count; /* of y */
	void *x, *f, *y, *bias; /* on the device */
	double *wanted, *bias_values;
};

/* Opens cuDNN as a framework has it, and a handle. */
void *gw_dnn_open(cudnnHandle_t *made);
void gw_dnn_must(cudnnStatus_t status, const char *call);
struct gw_tensors gw_dnn_tensors(const struct gw_convolution *of, const struct gw_format *format, bool channels_last);
/* N * C * PLACES new numbers, by n, c and place in VALUES, in the layout of ALL on the device. */
void *gw_dnn_put(const struct gw_tensors *all, double *values, size_t count, uint64_t seed, unsigned n, unsigned c, unsigned places);
/* Compares y; FUSED: it has bias and ReLU. Once: what is wanted is changed. */
void gw_dnn_compare(const struct gw_tensors *all, const struct gw_convolution *of, bool fused, const char *name, double limit);

#endif
