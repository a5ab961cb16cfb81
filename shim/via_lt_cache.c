/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capacity of cublasLt's cache of heuristics. Old releases give back the number that was set; newer ones round it up, and one so large that
 * this overflows turns the cache off. A caller built for an old release reads what it set, and has a cache of at least that size, or of the size
 * that it had. The oldest releases have no such cache: the number is kept for the process, and as the cache changes how long a search takes, never
 * what it finds, a caller loses nothing. Costs 24 bytes; knows of nothing else in cublasLt.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "binding.h"
#include "call.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"

#define SUCCESS 0	/* of every status there ever was */

/* What an old caller set last, and what the library made of it. Read in the order opposite to writing: a mixed pair answers the real number. */
static _Atomic size_t asked, made;

/* What stands for the capacity of a library that has no cache. */
static _Atomic size_t none = GW_VALUE_LT_HEURISTICS_CACHE_CAPACITY;

static bool lacks(struct gw_call *call)
{
	if (!call->absent || !call->binding->loaded)
		return false;
	call->absent = 0;
	return true;
}

/* Whether every release that the caller may have been built for keeps the number as it is. */
static bool caller_keeps(const struct gw_call *call)
{
	const struct gw_release *last = call->binding->caller_last ? call->binding->caller_last : call->binding->caller_release;

	return last && last - gw_families[GW_FAMILY_cublasLt].releases <= GW_UNTIL_cublasLtHeuristicsCacheSetCapacity;
}

cublasStatus_t gw_via_lt_set_capacity(struct gw_call *call, cublasStatus_t (*real)(size_t), size_t capacity)
{
	cublasStatus_t (*get)(size_t *) = NULL;
	cublasStatus_t status;
	size_t before, now;

	if (lacks(call)) {
		atomic_store(&none, capacity);
		return SUCCESS;
	}
	if (caller_keeps(call) && !call->absent)
		get = (cublasStatus_t (*)(size_t *))gw_binding_target((struct gw_binding *)(uintptr_t)call->binding,
								      GW_FN_cublasLtHeuristicsCacheGetCapacity);
	if (!get || get(&before) != SUCCESS)
		return real(capacity);
	status = real(capacity);
	if (status != SUCCESS || get(&now) != SUCCESS)
		return status;
	/* It overflowed. No larger number is tried: the library may allocate what it is told. */
	if (now < capacity && (real(before) != SUCCESS || get(&now) != SUCCESS))
		return status;
	atomic_store_explicit(&asked, capacity, memory_order_relaxed);
	atomic_store_explicit(&made, now, memory_order_release);
	return status;
}

cublasStatus_t gw_via_lt_get_capacity(struct gw_call *call, cublasStatus_t (*real)(size_t *), size_t *capacity)
{
	cublasStatus_t status;

	if (lacks(call)) {
		if (capacity)
			*capacity = atomic_load(&none);
		return capacity ? SUCCESS : GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	}
	status = real(capacity);
	if (!caller_keeps(call) || status != SUCCESS || call->absent || !capacity)
		return status;
	/* Another number was set since by somebody else: theirs counts. */
	if (*capacity == atomic_load_explicit(&made, memory_order_acquire) && *capacity != 0)
		*capacity = atomic_load_explicit(&asked, memory_order_relaxed);
	return status;
}
