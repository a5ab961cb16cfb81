/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of up to FAKE_RANK dimensions in host memory, and what cuDNN does with them. Knows no library and no release. No state,
 * any thread. Functions with a status return 0, -EINVAL where shapes do not fit, or -ENOMEM.
 */
#ifndef FAKE_TENSOR_H
#define FAKE_TENSOR_H

#include "number.h"

#define FAKE_RANK 8

/* Dimension 0 is the batch, 1 the channels, the rest space. */
struct fake_tensor {
	void *data;
	enum fake_type type;
	int rank;
	int dim[FAKE_RANK];
	int64_t stride[FAKE_RANK];	/* elements; of vectors of channels where vector > 1 */
	int vector;			/* channels that lie side by side: 1, 4, 32 */
};

/* The walk over all positions: begin with all zeros; false after the last. */
bool fake_next(const int *dim, int rank, int *at);

int64_t fake_place(const struct fake_tensor *tensor, const int *at);
double fake_get(const struct fake_tensor *tensor, const int *at);
/* y = alpha value + beta y */
void fake_blend(const struct fake_tensor *tensor, const int *at, double value, double alpha, double beta);

int64_t fake_elements(const struct fake_tensor *tensor);

struct fake_convolution {
	int rank;		/* space dimensions */
	int pad[FAKE_RANK], stride[FAKE_RANK], dilation[FAKE_RANK];
	int groups;
	bool flip;		/* a true convolution, not a cross-correlation */
};

/* The shape of y; -EINVAL where x and w do not fit each other. dim[] has x's rank. */
int fake_convolution_shape(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w, int *dim);

struct fake_activate {
	enum { FAKE_ACT_IDENTITY, FAKE_ACT_RELU, FAKE_ACT_SIGMOID, FAKE_ACT_TANH, FAKE_ACT_CLIPPED, FAKE_ACT_ELU, FAKE_ACT_SWISH } mode;
	double coefficient, swish_beta;
};

double fake_activated(const struct fake_activate *a, double x);
double fake_slope(const struct fake_activate *a, double x, double y);

/* y = act(alpha conv(x, w) + alpha2 z + bias) + beta y; z, bias and act may be NULL. */
int fake_convolve(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *w,
		  const struct fake_tensor *y, double alpha, double beta, const struct fake_tensor *z, double alpha2,
		  const struct fake_tensor *bias, const struct fake_activate *act);
int fake_convolve_data(const struct fake_convolution *c, const struct fake_tensor *w, const struct fake_tensor *dy,
		       const struct fake_tensor *dx, double alpha, double beta);
int fake_convolve_filter(const struct fake_convolution *c, const struct fake_tensor *x, const struct fake_tensor *dy,
			 const struct fake_tensor *dw, double alpha, double beta);

struct fake_pool {
	enum { FAKE_POOL_MAX, FAKE_POOL_AVERAGE_ALL, FAKE_POOL_AVERAGE_INSIDE } mode;
	int rank, window[FAKE_RANK], pad[FAKE_RANK], stride[FAKE_RANK];
};

int fake_pool_shape(const struct fake_pool *p, const struct fake_tensor *x, int *dim);
int fake_pool_forward(const struct fake_pool *p, const struct fake_tensor *x, const struct fake_tensor *y, double alpha,
		      double beta);
int fake_pool_backward(const struct fake_pool *p, const struct fake_tensor *x, const struct fake_tensor *dy,
		       const struct fake_tensor *dx, double alpha, double beta);

enum fake_reduction {
	FAKE_SUM, FAKE_PRODUCT, FAKE_MIN, FAKE_MAX, FAKE_AMAX, FAKE_MEAN, FAKE_NORM1, FAKE_NORM2, FAKE_PRODUCT_NO_ZEROS
};

/* y's dimensions are 1 where x is reduced. */
int fake_reduce(enum fake_reduction how, const struct fake_tensor *x, const struct fake_tensor *y, double alpha, double beta);

#endif
