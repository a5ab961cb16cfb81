/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_rescue.h: who is asked, and what is remembered. Any thread, fixed memory. */
#include "lt_rescue.h"

#include <errno.h>
#include <string.h>

#include "driver.h"
#include "gw_lt.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"
#include "scratch.h"

#define REMEMBERED 1024u

typedef bool rescuer(struct gw_call *, const struct gw_lt_product *, const struct gw_lt_terms *, enum gw_rescue, int32_t *);

/* A line of abi/redirects without a function here does not compile. */
static rescuer *const rescuers[GW_RESCUE_COUNT] = {
#define GW_RESCUER(function, id, name) [GW_RESCUE_##id] = gw_lt_rescue_##id,
	GW_RESCUES(GW_RESCUER)
#undef GW_RESCUER
};

_Atomic int gw_lt_rescued_any;
static _Atomic uint64_t remembered[REMEMBERED];

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t mix_block(uint64_t hash, const void *block, size_t size)
{
	uint64_t word;
	size_t i;

	for (i = 0; block && i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, (const char *)block + i, sizeof(word));
		hash = mix(hash, word);
	}
	return hash;
}

/* As much of each block as every release has. Should another problem have this hash: the rescuer looks at the problem itself. */
static uint64_t hash_of(const struct gw_call *call, const struct gw_lt_product *p)
{
	uint64_t hash = mix((uintptr_t)call->binding, (uintptr_t)p->handle);
	int i;

	hash = mix_block(hash, p->desc, GW_LEAST_cublasLtMatmulDescOpaque_t);
	for (i = 0; i < 4; i++)
		hash = mix_block(hash, p->layout[i], GW_LEAST_cublasLtMatrixLayoutOpaque_t);
	hash = mix(hash, (uint64_t)gw_lt_alignment(p->A) << 48 | (uint64_t)gw_lt_alignment(p->B) << 32 | gw_lt_alignment(p->C) << 16 |
		   gw_lt_alignment(p->D));
	return hash | 1;
}

bool gw_lt_rescued_before(const struct gw_call *call, const struct gw_lt_product *product)
{
	uint64_t hash = hash_of(call, product);

	return atomic_load_explicit(&remembered[hash >> 32 & (REMEMBERED - 1)], memory_order_relaxed) == hash;
}

static void remember(const struct gw_call *call, const struct gw_lt_product *product)
{
	uint64_t hash = hash_of(call, product);

	atomic_store_explicit(&remembered[hash >> 32 & (REMEMBERED - 1)], hash, memory_order_relaxed);
	atomic_store_explicit(&gw_lt_rescued_any, 1, memory_order_relaxed);
}

static void shape_of(const struct gw_lt_terms *terms, struct gw_shape *shape)
{
	const struct gw_driver *driver = gw_driver();

	gw_lt_terms_sizes(terms, &shape->m, &shape->n, &shape->k);
	shape->batch = terms->matrix[3].batch;
	shape->architecture = driver ? gw_driver_architecture(driver) : 0;
}

static bool lays_out(enum gw_rescue rescue)
{
	return rescue == GW_RESCUE_int8_order || rescue == GW_RESCUE_alignment;
}

/* What is wrong with the call, not with the device or the handle; SUCCESS: the library was not asked. */
static bool may_be_otherwise(int32_t status)
{
	return !status || status == GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED || status == GW_VALUE_CUBLAS_STATUS_INVALID_VALUE ||
	       status == GW_VALUE_CUBLAS_STATUS_ARCH_MISMATCH;
}

bool gw_lt_rescue(struct gw_call *call, const struct gw_lt_product *product, int32_t *status)
{
	struct gw_lt_terms terms;
	struct gw_shape shape;
	int error = errno, i;
	bool done = false;

	if (!may_be_otherwise(*status) || !gw_lt_product_read(call, product, &terms))
		return false;
	shape_of(&terms, &shape);
	for (i = 0; i < GW_RESCUE_COUNT && !done; i++) {
		/* What was done before by laying out anew is not asked about again. */
		if ((!*status && !lays_out((enum gw_rescue)i)) || !gw_redirect_wanted(call, (enum gw_rescue)i, &shape))
			continue;
		done = rescuers[i](call, product, &terms, (enum gw_rescue)i, status);
		if (done && !*status && lays_out((enum gw_rescue)i))
			remember(call, product);
	}
	errno = error;
	return done;
}

cublasStatus_t gw_via_lt_destroy(struct gw_call *call, cublasStatus_t (*real)(cublasLtHandle_t), cublasLtHandle_t handle)
{
	if (!call->nested)
		gw_scratch_forget(handle);
	return real(handle);
}
