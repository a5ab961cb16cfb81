/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_filter.h. */
#include "rnn_filter.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "gw_via.h"

enum { BLANKS = 512, WINDOW = 32 };

static _Atomic(cudnnFilterDescriptor_t) blanks[BLANKS];
static _Atomic unsigned used;	/* slots in use: without one, nothing is searched */

/* A descriptor is remembered in one of the WINDOW slots from here on. */
static unsigned slot_of(cudnnFilterDescriptor_t descriptor)
{
	return (unsigned)(((uint64_t)(uintptr_t)descriptor >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static bool is_blank(cudnnFilterDescriptor_t descriptor)
{
	unsigned i, at = slot_of(descriptor);

	if (!descriptor || !atomic_load_explicit(&used, memory_order_acquire))
		return false;
	for (i = 0; i < WINDOW; i++)
		if (atomic_load_explicit(&blanks[(at + i) % BLANKS], memory_order_acquire) == descriptor)
			return true;
	return false;
}

void gw_rnn_filter_unblank(cudnnFilterDescriptor_t descriptor)
{
	unsigned i, at = slot_of(descriptor);

	if (!descriptor || !atomic_load_explicit(&used, memory_order_acquire))
		return;
	for (i = 0; i < WINDOW; i++) {
		cudnnFilterDescriptor_t there = descriptor;

		if (atomic_compare_exchange_strong(&blanks[(at + i) % BLANKS], &there, NULL))
			atomic_fetch_sub(&used, 1);
	}
}

bool gw_rnn_filter_blank(cudnnFilterDescriptor_t descriptor)
{
	unsigned i, at = slot_of(descriptor);

	if (is_blank(descriptor))
		return true;
	for (i = 0; i < WINDOW; i++) {
		cudnnFilterDescriptor_t nobody = NULL;

		atomic_fetch_add(&used, 1);
		if (atomic_compare_exchange_strong(&blanks[(at + i) % BLANKS], &nobody, descriptor))
			return true;
		atomic_fetch_sub(&used, 1);
	}
	return false;
}

cudnnStatus_t gw_via_filter_get(struct gw_call *call, cudnnStatus_t (*real)(const cudnnFilterDescriptor_t, int,
				cudnnDataType_t *, cudnnTensorFormat_t *, int *, int *),
				const cudnnFilterDescriptor_t filterDesc, int nbDimsRequested, cudnnDataType_t *dataType,
				cudnnTensorFormat_t *format, int *nbDims, int *filterDimA)
{
	cudnnStatus_t status = real(filterDesc, nbDimsRequested, dataType, format, nbDims, filterDimA);
	int i;

	(void)call;
	if (status || !is_blank(filterDesc) || !dataType || !format || !nbDims)
		return status;
	*dataType = 0;
	*format = 0;
	*nbDims = 0;
	for (i = 0; filterDimA && i < nbDimsRequested; i++)
		filterDimA[i] = 0;
	return status;
}

cudnnStatus_t gw_via_filter_get_4d(struct gw_call *call, cudnnStatus_t (*real)(const cudnnFilterDescriptor_t, cudnnDataType_t *,
				   cudnnTensorFormat_t *, int *, int *, int *, int *), const cudnnFilterDescriptor_t filterDesc,
				   cudnnDataType_t *dataType, cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w)
{
	cudnnStatus_t status = real(filterDesc, dataType, format, k, c, h, w);

	(void)call;
	if (status || !is_blank(filterDesc) || !dataType || !format || !k || !c || !h || !w)
		return status;
	*dataType = 0;
	*format = 0;
	*k = *c = *h = *w = 0;
	return status;
}

cudnnStatus_t gw_via_filter_size(struct gw_call *call, cudnnStatus_t (*real)(const cudnnFilterDescriptor_t, size_t *),
				 const cudnnFilterDescriptor_t filterDesc, size_t *size)
{
	cudnnStatus_t status = real(filterDesc, size);

	(void)call;
	if (!status && size && is_blank(filterDesc))
		*size = 0;
	return status;
}

cudnnStatus_t gw_via_filter_set(struct gw_call *call, cudnnStatus_t (*real)(cudnnFilterDescriptor_t, cudnnDataType_t,
				cudnnTensorFormat_t, int, const int *), cudnnFilterDescriptor_t filterDesc,
				cudnnDataType_t dataType, cudnnTensorFormat_t format, int nbDims, const int *filterDimA)
{
	cudnnStatus_t status = real(filterDesc, dataType, format, nbDims, filterDimA);

	(void)call;
	if (!status)
		gw_rnn_filter_unblank(filterDesc);
	return status;
}

cudnnStatus_t gw_via_filter_set_4d(struct gw_call *call, cudnnStatus_t (*real)(cudnnFilterDescriptor_t, cudnnDataType_t,
				   cudnnTensorFormat_t, int, int, int, int), cudnnFilterDescriptor_t filterDesc,
				   cudnnDataType_t dataType, cudnnTensorFormat_t format, int k, int c, int h, int w)
{
	cudnnStatus_t status = real(filterDesc, dataType, format, k, c, h, w);

	(void)call;
	if (!status)
		gw_rnn_filter_unblank(filterDesc);
	return status;
}

cudnnStatus_t gw_via_filter_destroy(struct gw_call *call, cudnnStatus_t (*real)(cudnnFilterDescriptor_t),
				    cudnnFilterDescriptor_t filterDesc)
{
	(void)call;
	gw_rnn_filter_unblank(filterDesc);
	return real(filterDesc);
}
