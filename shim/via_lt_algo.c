/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a caller of another release reads out of cublasLt's algorithms and writes to them. Ids that its header does not name are
 * shown as others (lt_proxy.h), lists of ids hold those alone that it names, attributes that the loaded release has no more or not yet are
 * answered. Called by the generated wrappers where caller and loaded release differ.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "binding.h"
#include "call.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_lt.h"
#include "gw_types.h"
#include "gw_via.h"
#include "lt_algo.h"
#include "lt_ids.h"
#include "lt_memo.h"
#include "lt_proxy.h"

#define SUCCESS 0
#define LISTED 2048u	/* ids of one list, 8 KiB of the stack; a longer list is passed on as it is */

typedef cublasStatus_t (*config_get)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, void *, size_t, size_t *);
typedef cublasStatus_t (*config_set)(cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, const void *, size_t);
typedef cublasStatus_t (*cap_get)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoCapAttributes_t, void *, size_t, size_t *);

static void *target(const struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)call->binding, fn);
}

static bool told_apart(const struct gw_call *call)
{
	return call->binding->caller_release && call->binding->loaded_release;
}

/* The caller's release has this attribute, the loaded one not. */
static bool lacks(const struct gw_call *call, enum gw_lt_kind kind, int attribute)
{
	return gw_lt_known(call->binding->caller_release, kind, attribute) &&
	       !gw_lt_known(call->binding->loaded_release, kind, attribute);
}

/* A configuration attribute that holds an id: of which kind, how wide, and which capability lists what is possible (-1: none does). */
struct id_attribute {
	int attribute;
	enum gw_lt_kind kind;
	size_t size;
	int list;
};

static bool id_attribute(int attribute, struct id_attribute *a)
{
	switch (attribute) {
	case GW_CUBLASLT_ALGO_CONFIG_TILE_ID:
		*a = (struct id_attribute){ attribute, GW_LT_TILE, sizeof(uint32_t), GW_CUBLASLT_ALGO_CAP_TILE_IDS };
		return true;
	case GW_CUBLASLT_ALGO_CONFIG_STAGES_ID:
		*a = (struct id_attribute){ attribute, GW_LT_STAGES, sizeof(uint32_t), GW_CUBLASLT_ALGO_CAP_STAGES_IDS };
		return true;
	case GW_CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID:
		*a = (struct id_attribute){ attribute, GW_LT_INNER_SHAPE, sizeof(uint16_t), -1 };
		return true;
	case GW_CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
		*a = (struct id_attribute){ attribute, GW_LT_CLUSTER_SHAPE, sizeof(uint16_t), -1 };
		return true;
	default:
		return false;
	}
}

/*
 * Of the releases that the caller may be of, the oldest: it may know no more ids than that one names. Who asks for an attribute is of no
 * release that lacks it.
 */
static const struct gw_release *oldest_caller(const struct gw_call *call, const struct id_attribute *a)
{
	const struct gw_binding *binding = call->binding;
	const struct gw_release *oldest = binding->caller_first ? binding->caller_first : binding->caller_release;
	const struct gw_release *first = gw_lt_first(GW_LT_CONFIG, a->attribute);

	return first && first > oldest && gw_lt_known(binding->caller_release, GW_LT_CONFIG, a->attribute) ? first : oldest;
}

static uint32_t read_id(const struct id_attribute *a, const void *from)
{
	uint16_t narrow;
	uint32_t wide;

	if (a->size == sizeof(narrow)) {
		memcpy(&narrow, from, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, from, sizeof(wide));
	return wide;
}

static void write_id(const struct id_attribute *a, void *to, uint32_t id)
{
	uint16_t narrow = (uint16_t)id;

	if (a->size == sizeof(narrow))
		memcpy(to, &narrow, sizeof(narrow));
	else
		memcpy(to, &id, sizeof(id));
}

/* The library's own list; as many as were written, or -1 when there is none, or too long a one. */
static int64_t read_list(cap_get get, const cublasLtMatmulAlgo_t *algo, int capability, uint32_t ids[LISTED])
{
	size_t size = 0, written = 0;

	if (!get || get(algo, capability, NULL, 0, &size) || size > LISTED * sizeof(*ids) || size % sizeof(*ids))
		return -1;
	if (size && (get(algo, capability, ids, size, &written) || written > size))
		return -1;
	return (int64_t)(written / sizeof(*ids));
}

/* The list that proxies of this algorithm rest on; false where there is none. */
static bool list_of(const struct gw_call *call, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, uint32_t ids[LISTED],
		    struct gw_lt_list *list)
{
	config_get get = (config_get)target(call, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	size_t written;
	int64_t count = a->list < 0 ? -1 : read_list((cap_get)target(call, GW_FN_cublasLtMatmulAlgoCapGetAttribute), algo, a->list, ids);

	*list = (struct gw_lt_list){ .caller = oldest_caller(call, a), .loaded = call->binding->loaded_release, .kind = a->kind,
				     .ids = ids, .count = count < 0 ? 0 : (uint32_t)count };
	return count >= 0 && get && !get(algo, GW_CUBLASLT_ALGO_CONFIG_ID, &list->algorithm, sizeof(list->algorithm), &written);
}

/*
 * An attribute that the loaded release has not: it stands at its default, 0, and nothing else can be set. Sizes and pointers are
 * checked by the library itself, with an attribute that it has, whose size stands for this one's.
 */
static size_t as_custom_option(const struct id_attribute *a, size_t size)
{
	return !size ? 0 : size == a->size ? sizeof(uint32_t) : 1;
}

static cublasStatus_t get_lacking(config_get real, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, void *buf, size_t size,
				  size_t *written)
{
	uint32_t option;
	cublasStatus_t status = real(algo, GW_CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, buf ? &option : NULL, as_custom_option(a, size), written);

	if (status)
		return status;
	if (size)
		write_id(a, buf, 0);
	if (written)
		*written = a->size;
	return status;
}

static void tell_refused(const struct gw_binding *binding, enum gw_lt_kind kind, int attribute)
{
	const struct gw_release *first = gw_lt_first(kind, attribute);
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "cublasLtMatmulAlgoConfigSetAttribute was asked to set attribute ");
	gw_line_signed(&line, attribute);
	gw_line_text(&line, ", which ");
	gw_line_text(&line, binding->path);
	gw_line_text(&line, " does not have");
	if (first) {
		gw_line_text(&line, "; the first release that has it is cublasLt ");
		gw_line_text(&line, first->version);
	}
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_CONFIG, binding->path, text, NULL);
}

static cublasStatus_t set_lacking(struct gw_call *call, const struct id_attribute *a, cublasLtMatmulAlgo_t *algo, int attribute,
				  const void *buf, size_t size)
{
	config_get get = (config_get)target(call, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	uint32_t option;
	size_t written;
	cublasStatus_t status = get && buf ? get(algo, GW_CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, &option, as_custom_option(a, size), &written) :
					     GW_CUBLAS_STATUS_INVALID_VALUE;

	if (status || !size)
		return status ? status : GW_CUBLAS_STATUS_INVALID_VALUE;
	if (!read_id(a, buf))
		return SUCCESS;
	tell_refused(call->binding, GW_LT_CONFIG, attribute);
	return GW_CUBLAS_STATUS_INVALID_VALUE;
}

/* What is worked out follows from the algorithm, whether the library made it, the attribute, the id and the oldest release that the caller may be of. */
static uint64_t key_of(const struct gw_call *call, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, bool written, uint32_t id)
{
	uint64_t question = (uint64_t)id << 16 | (uint64_t)gw_lt_algo_known(call, algo) << 8 | (uint64_t)a->kind << 1 | written;

	return (gw_lt_algo_hash(call, algo) ^ (uintptr_t)oldest_caller(call, a)) * UINT64_C(0x9e3779b97f4a7c15) ^
	       question * UINT64_C(0xd6e8feb86659fd93);
}

static bool in_list(const struct gw_lt_list *list, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (list->ids[i] == id)
			return true;
	return false;
}

/*
 * The library itself can have configured ALGO with ID. If not, the caller wrote it, of its own accord, and reads it back: one that no
 * release had named so far, such as its own header's END.
 */
static bool librarys_own(const struct gw_call *call, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, uint32_t id,
			 const struct gw_lt_list *list, bool listed)
{
	cap_get get = (cap_get)target(call, GW_FN_cublasLtMatmulAlgoCapGetAttribute);
	uint32_t tiles[LISTED];

	if (gw_lt_algo_known(call, algo))
		return true;
	if (!gw_lt_known(call->binding->loaded_release, a->kind, id))
		return false;
	return a->list >= 0 ? listed && in_list(list, id) : read_list(get, algo, GW_CUBLASLT_ALGO_CAP_TILE_IDS, tiles) > 0;
}

static __attribute__((noinline)) uint32_t work_out_shown(const struct gw_call *call, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo,
							 uint32_t id)
{
	struct gw_lt_list list;
	uint32_t ids[LISTED];
	bool listed = list_of(call, a, algo, ids, &list);

	if (!librarys_own(call, a, algo, id, &list, listed))
		return id;
	return listed ? gw_lt_proxy_shown(&list, id) : 0;
}

/* What the caller is shown for ID, which its release does not name. */
static uint32_t shown(const struct gw_call *call, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, uint32_t id)
{
	uint64_t key = key_of(call, a, algo, false, id);
	uint32_t answer;

	if (!gw_lt_memo_find(key, &answer)) {
		answer = work_out_shown(call, a, algo, id);
		gw_lt_memo_keep(key, answer);
	}
	return answer;
}

cublasStatus_t gw_via_lt_algo_config_get(struct gw_call *call, config_get real, const cublasLtMatmulAlgo_t *algo,
					 cublasLtMatmulAlgoConfigAttributes_t attribute, void *buf, size_t size, size_t *written)
{
	struct id_attribute a;
	uint32_t id;
	cublasStatus_t status;

	if (!told_apart(call) || !id_attribute(attribute, &a))
		return real(algo, attribute, buf, size, written);
	if (lacks(call, GW_LT_CONFIG, attribute))
		return get_lacking(real, &a, algo, buf, size, written);
	status = real(algo, attribute, buf, size, written);
	if (status || !buf || size < a.size)
		return status;
	id = read_id(&a, buf);
	if (!gw_lt_known(oldest_caller(call, &a), a.kind, id))
		write_id(&a, buf, shown(call, &a, algo, id));
	return status;
}

/*
 * What to write where the caller writes ID. SURE: it is what the caller had in mind, whatever the library says of it. LASTING: it will
 * always be.
 */
static __attribute__((noinline)) uint32_t work_out_meant(const struct gw_call *call, const struct id_attribute *a, int attribute,
							 const cublasLtMatmulAlgo_t *algo, uint32_t id, bool *sure, bool *lasting)
{
	config_get get = (config_get)target(call, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	unsigned char now[sizeof(uint32_t)] = {0};
	struct gw_lt_list list;
	uint32_t ids[LISTED], real;
	size_t written;
	bool listed = list_of(call, a, algo, ids, &list);

	*lasting = true;
	/* What no release that the caller may be of names is nothing that the library would make. */
	*sure = gw_lt_known(list.caller, a->kind, id);
	if (id)
		return listed ? gw_lt_proxy_meant(&list, id, lasting) : id;
	/* 0 where the caller was shown 0 for want of a proxy: it wants what is there. */
	*sure = listed && !gw_lt_proxy_needed(&list);
	if (!get || get(algo, attribute, now, a->size, &written))
		return id;
	real = read_id(a, now);
	if (gw_lt_known(list.caller, a->kind, real) || work_out_shown(call, a, algo, real))
		return id;
	*sure = true;
	return real;
}

static uint32_t meant(const struct gw_call *call, const struct id_attribute *a, int attribute, const cublasLtMatmulAlgo_t *algo, uint32_t id,
		      bool *sure)
{
	uint64_t key = key_of(call, a, algo, true, id);
	uint32_t answer;
	bool lasting;

	if (gw_lt_memo_find(key, &answer)) {
		*sure = answer & 1;
		return answer >> 1;
	}
	answer = work_out_meant(call, a, attribute, algo, id, sure, &lasting);
	if (lasting && answer <= GW_LT_MEMO_MOST >> 1)
		gw_lt_memo_keep(key, answer << 1 | *sure);
	return answer;
}

cublasStatus_t gw_via_lt_algo_config_set(struct gw_call *call, config_set real, cublasLtMatmulAlgo_t *algo,
					 cublasLtMatmulAlgoConfigAttributes_t attribute, const void *buf, size_t size)
{
	struct id_attribute a;
	unsigned char value[sizeof(uint32_t)] = {0};
	bool made = algo && gw_lt_algo_known(call, algo), sure = true;
	cublasStatus_t status;

	if (told_apart(call) && id_attribute(attribute, &a)) {
		if (lacks(call, GW_LT_CONFIG, attribute))
			return set_lacking(call, &a, algo, attribute, buf, size);
		if (algo && buf && size == a.size) {
			uint32_t told = read_id(&a, buf), id = meant(call, &a, attribute, algo, told, &sure);
			write_id(&a, value, id);
			buf = value;
			/* One that the library has no name for, and that it did not list itself: kept, but not to be used unchecked. */
			if (id == told && !gw_lt_known(call->binding->loaded_release, a.kind, id))
				sure = false;
		}
	}
	status = real(algo, attribute, buf, size);
	/* An algorithm of this library stays one, unless it may be half of another that the caller could not see. */
	if (!status && made && sure)
		gw_lt_algo_made(call, algo);
	return status;
}

/* A list, with those alone that the caller's release names. The library's own answer says how it treats sizes and pointers. */
static cublasStatus_t known_ids(struct gw_call *call, cap_get real, const struct id_attribute *a, const cublasLtMatmulAlgo_t *algo, void *buf,
				size_t size, size_t *written)
{
	uint32_t ids[LISTED];
	int64_t i, count = read_list(real, algo, a->list, ids), known = 0;
	size_t bytes;
	cublasStatus_t status;

	for (i = 0; i < count; i++)
		if (gw_lt_known(oldest_caller(call, a), a->kind, ids[i]))
			ids[known++] = ids[i];
	bytes = (size_t)known * sizeof(*ids);
	if (count < 0 || known == count || (size && !buf))
		return real(algo, a->list, buf, size, written);
	if (size < bytes || !size) {
		status = real(algo, a->list, buf, size, written);
		if (status)
			return status;
		if (size)
			bytes = size - size % sizeof(*ids);
	}
	if (size)
		memcpy(buf, ids, bytes);
	if (written)
		*written = bytes;
	return SUCCESS;
}

/*
 * A capability that the loaded release has not. All are 32 bits wide, as another is that every release has: the library checks sizes
 * and pointers with that one. What it does not name it does not support, but the two that became bits of the numerical flags.
 */
static cublasStatus_t lacking_capability(cap_get real, const cublasLtMatmulAlgo_t *algo, int attribute, void *buf, size_t size, size_t *written)
{
	cublasStatus_t status = real(algo, GW_CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, buf, size, written);
	uint64_t flags = 0;
	int32_t value = 0;

	if (status || !buf || size < sizeof(value))
		return status;
	if (attribute == GW_CUBLASLT_ALGO_CAP_MATHMODE_IMPL || attribute == GW_CUBLASLT_ALGO_CAP_GAUSSIAN_IMPL) {
		size_t flags_written;

		status = real(algo, GW_CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags, sizeof(flags), &flags_written);
		if (status)
			return status;
		value = !!(flags & (attribute == GW_CUBLASLT_ALGO_CAP_MATHMODE_IMPL ? GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK :
									    GW_CUBLASLT_NUMERICAL_IMPL_FLAGS_GAUSSIAN));
	}
	memcpy(buf, &value, sizeof(value));
	return status;
}

cublasStatus_t gw_via_lt_algo_cap_get(struct gw_call *call, cap_get real, const cublasLtMatmulAlgo_t *algo,
				      cublasLtMatmulAlgoCapAttributes_t attribute, void *buf, size_t size, size_t *written)
{
	struct id_attribute a;

	if (!told_apart(call))
		return real(algo, attribute, buf, size, written);
	if (lacks(call, GW_LT_CAPABILITY, attribute))
		return lacking_capability(real, algo, attribute, buf, size, written);
	if (attribute == GW_CUBLASLT_ALGO_CAP_TILE_IDS)
		id_attribute(GW_CUBLASLT_ALGO_CONFIG_TILE_ID, &a);
	else if (attribute == GW_CUBLASLT_ALGO_CAP_STAGES_IDS)
		id_attribute(GW_CUBLASLT_ALGO_CONFIG_STAGES_ID, &a);
	else
		return real(algo, attribute, buf, size, written);
	return known_ids(call, real, &a, algo, buf, size, written);
}

cublasStatus_t gw_via_lt_algo_init(struct gw_call *call,
				   cublasStatus_t (*real)(cublasLtHandle_t, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
							  cudaDataType_t, cudaDataType_t, cudaDataType_t, int, cublasLtMatmulAlgo_t *),
				   cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale, cudaDataType_t a,
				   cudaDataType_t b, cudaDataType_t c, cudaDataType_t d, int id, cublasLtMatmulAlgo_t *algo)
{
	cublasStatus_t status = real(handle, compute, scale, a, b, c, d, id, algo);

	if (!status)
		gw_lt_algo_made(call, algo);
	return status;
}
