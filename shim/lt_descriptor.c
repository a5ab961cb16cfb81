/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_descriptor.h. What an attribute that the library lacks means for a product is via_lt.c's to know. */
#include "lt_descriptor.h"

#include <string.h>

#include "binding.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_values.h"
#include "line.h"

typedef int32_t set_function(void *, int, const void *, size_t);
typedef int32_t get_function(const void *, int, void *, size_t, size_t *);

static const struct {
	uint32_t init, set, get;
} functions[GW_LT_BLOCK_KINDS] = {
	[GW_LT_MATMUL_DESC] = { GW_FN_cublasLtMatmulDescInit_internal, GW_FN_cublasLtMatmulDescSetAttribute,
				GW_FN_cublasLtMatmulDescGetAttribute },
	[GW_LT_MATRIX_LAYOUT] = { GW_FN_cublasLtMatrixLayoutInit_internal, GW_FN_cublasLtMatrixLayoutSetAttribute,
				  GW_FN_cublasLtMatrixLayoutGetAttribute },
	[GW_LT_MATMUL_PREFERENCE] = { GW_FN_cublasLtMatmulPreferenceInit_internal, GW_FN_cublasLtMatmulPreferenceSetAttribute,
				      GW_FN_cublasLtMatmulPreferenceGetAttribute },
	[GW_LT_MATRIX_TRANSFORM_DESC] = { GW_FN_cublasLtMatrixTransformDescInit_internal,
					  GW_FN_cublasLtMatrixTransformDescSetAttribute,
					  GW_FN_cublasLtMatrixTransformDescGetAttribute },
};

static void *target(struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, fn);
}

static get_function *getter(struct gw_call *call, enum gw_lt_block_kind kind)
{
	return target(call, functions[kind].get);
}

static set_function *setter(struct gw_call *call, enum gw_lt_block_kind kind)
{
	return target(call, functions[kind].set);
}

int32_t gw_lt_native_get(struct gw_call *call, enum gw_lt_block_kind kind, const void *native, int id, void *value, size_t size)
{
	get_function *get = getter(call, kind);
	size_t written;

	return get ? get(native, id, value, size, &written) : GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
}

int32_t gw_lt_native_set(struct gw_call *call, enum gw_lt_block_kind kind, void *native, int id, const void *value, size_t size)
{
	set_function *set = setter(call, kind);

	return set ? set(native, id, value, size) : GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
}

/*
 * A release that knows more attributes than the caller's: what a part of the process that was built later goes by. Not of another SIZE (0:
 * any) where nothing tells what the caller was built for: what it means is then for the library to say.
 */
static const struct gw_lt_attribute *callers(const struct gw_call *call, enum gw_lt_block_kind kind, int id, size_t size)
{
	const struct gw_binding *binding = call->binding;
	const struct gw_lt_attribute *attribute = gw_lt_attribute_find(kind, id, binding->caller_release);

	if (attribute)
		return attribute;
	attribute = gw_lt_attribute_find(kind, id, binding->loaded_release);
	return attribute && !binding->caller_release && size && size != attribute->size ? NULL : attribute;
}

/*
 * Where nothing tells which of a soname's releases the caller was built for, and the library refused: who asks for an attribute has it, so
 * the newest of them is asked what it is.
 */
static const struct gw_lt_attribute *newest_callers(const struct gw_call *call, enum gw_lt_block_kind kind, int id)
{
	return call->binding->caller_release ? NULL : gw_lt_attribute_find(kind, id, call->binding->caller_last);
}

static bool library_has(const struct gw_call *call, const struct gw_lt_attribute *attribute)
{
	const struct gw_lt_attribute *own;

	own = gw_lt_attribute_find(attribute->kind, attribute->id, call->binding->loaded_release);
	return !call->binding->loaded_release || gw_lt_attribute_same(attribute, own);
}

/* Initialises a block of the library's own size; what it is told besides is overwritten by the attributes that follow. */
static bool initialise(struct gw_call *call, enum gw_lt_block_kind kind, void *native, const void *like)
{
	void *function = target(call, functions[kind].init);
	int32_t (*init_desc)(void *, size_t, int, int) = function;
	int32_t (*init_layout)(void *, size_t, int, uint64_t, uint64_t, int64_t) = function;
	int32_t (*init_preference)(void *, size_t) = function;
	int32_t (*init_transform)(void *, size_t, int) = function;
	int32_t compute = 0, scale = 0;

	if (!function)
		return false;
	switch (kind) {
	case GW_LT_MATMUL_DESC:
		gw_lt_native_get(call, kind, like, GW_VALUE_CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &compute, sizeof(compute));
		gw_lt_native_get(call, kind, like, GW_VALUE_CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, sizeof(scale));
		return !init_desc(native, GW_LT_BLOCK_MOST, compute, scale);
	case GW_LT_MATRIX_LAYOUT:
		return !init_layout(native, GW_LT_BLOCK_MOST, 0, 1, 1, 1);
	case GW_LT_MATMUL_PREFERENCE:
		return !init_preference(native, GW_LT_BLOCK_MOST);
	default:
		return !init_transform(native, GW_LT_BLOCK_MOST, 0);
	}
}

/* One attribute, where FROM has it; what has its default needs no setting. */
static bool clone_one(set_function *set, get_function *get, const void *from, void *to, int id)
{
	unsigned char value[8] = { 0 }, fresh[8] = { 0 };
	static const unsigned char nothing[8];
	size_t size = 0, written;

	if (get(from, id, NULL, 0, &size) || !size || size > sizeof(value) || get(from, id, value, size, &written))
		return true;
	if (get(to, id, fresh, size, &written))
		return !memcmp(value, nothing, sizeof(value));	/* of a release that nobody has heard of, and not in use */
	return !memcmp(value, fresh, size) || !set(to, id, value, size);
}

bool gw_lt_descriptor_clone(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, struct gw_lt_record *record)
{
	set_function *set = setter(call, kind);
	get_function *get = getter(call, kind);
	int id;

	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->library = call->binding->library;
	if (!set || !get || !initialise(call, kind, record->native, block))
		return false;
	for (id = 0; id < GW_LT_ATTRIBUTE_IDS; id++)
		if (!gw_lt_attribute_is_beyond(kind, id, block, call->binding->loaded_release) &&
		    !clone_one(set, get, block, record->native, id))
			return false;
	return true;
}

static void tell_dropped(struct gw_call *call)
{
	char text[512];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, " was given a block whose contents are no longer kept; the call got 'invalid value'");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_BLOCK_DROPPED, gw_function_name(call->fn), text, NULL);
}

/* A record of another library is as good as none: its blocks mean nothing here. */
static bool read_token(struct gw_call *call, const void *block, struct gw_lt_record *record)
{
	if (gw_lt_block_read(block, record) && record->library == call->binding->library)
		return true;
	tell_dropped(call);
	return false;
}

bool gw_lt_descriptor_open(struct gw_call *call, enum gw_lt_block_kind kind, void **block, struct gw_lt_record *record)
{
	if (!gw_lt_block_is_token(kind, *block))
		return true;
	if (!read_token(call, *block, record))
		return false;
	*block = record->native;
	return true;
}

/* The record behind BLOCK, or one of what it holds now. Status. */
static int32_t take(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, struct gw_lt_record *record)
{
	bool good = gw_lt_block_is_token(kind, block) ? read_token(call, block, record) :
							gw_lt_descriptor_clone(call, kind, block, record);

	return good ? 0 : GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
}

static void tell_unknown(struct gw_call *call, const struct gw_lt_attribute *attribute)
{
	const struct gw_release *loaded = call->binding->loaded_release;
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_string(attribute->name));
	gw_line_text(&line, " does not exist in ");
	gw_line_text(&line, call->binding->path);
	if (loaded) {
		gw_line_text(&line, " (cublasLt ");
		gw_line_text(&line, loaded->version);
		gw_line_text(&line, " or near it)");
	}
	gw_line_text(&line, "; the first release that has it is ");
	gw_line_text(&line, gw_lt_attribute_since(attribute)->version);
	gw_line_text(&line, "; a value other than its default was refused");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_ATTRIBUTE, gw_string(attribute->name), text, NULL);
}

/* Attributes that were dropped, and that the shim itself honours where a product is asked for (via_lt.c). */
static bool is_honoured(enum gw_lt_block_kind kind, int id)
{
	if (kind == GW_LT_MATMUL_DESC)
		return id == GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_ROWS ||
		       id == GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_NUM_CHUNKS_D_COLS ||
		       id == GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_IN_COUNTERS_POINTER ||
		       id == GW_VALUE_CUBLASLT_MATMUL_DESC_ATOMIC_SYNC_OUT_COUNTERS_POINTER;
	return kind == GW_LT_MATMUL_PREFERENCE &&
	       (id == GW_VALUE_CUBLASLT_MATMUL_PREF_MATH_MODE_MASK || id == GW_VALUE_CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK ||
		id == GW_VALUE_CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK || id == GW_VALUE_CUBLASLT_MATMUL_PREF_EPILOGUE_MASK ||
		id == GW_VALUE_CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET);
}

/* The library has no such attribute. */
static int32_t set_extra(struct gw_call *call, const struct gw_lt_attribute *attribute, void *block, const void *value)
{
	bool token = gw_lt_block_is_token(attribute->kind, block), is_default;
	struct gw_lt_record record;
	uint64_t number = 0;
	int32_t status;

	memcpy(&number, value, attribute->size);
	is_default = number == attribute->value;
	if (is_default && !token)
		return 0;
	if (!is_default && (gw_lt_attribute_is_newer(attribute, call->binding->loaded_release) ||
			    !is_honoured(attribute->kind, attribute->id))) {
		tell_unknown(call, attribute);
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	}
	status = take(call, attribute->kind, block, &record);
	if (status)
		return status;
	if (!gw_lt_record_put(&record, attribute->id, number, is_default ? 0 : attribute->size) || !gw_lt_block_write(block, &record))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	return 0;
}

int32_t gw_lt_descriptor_set(struct gw_call *call, enum gw_lt_block_kind kind, void *block, int id, const void *value, size_t size,
			     int32_t refused)
{
	const struct gw_lt_attribute *attribute = callers(call, kind, id, size);
	struct gw_lt_record record;
	unsigned char now[8];
	int32_t status;

	if (refused && refused != GW_VALUE_CUBLAS_STATUS_INVALID_VALUE)
		return refused;
	if (!block || !value || (attribute && attribute->size != size))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	if (!attribute || library_has(call, attribute)) {
		if (!refused && !gw_lt_block_is_token(kind, block) &&
		    !gw_lt_attribute_is_beyond(kind, id, block, call->binding->loaded_release)) {
			refused = gw_lt_native_set(call, kind, block, id, value, size);
			if (refused != GW_VALUE_CUBLAS_STATUS_INVALID_VALUE)
				return refused;
		}
		status = take(call, kind, block, &record);
		if (status)
			return status;
		status = gw_lt_native_set(call, kind, record.native, id, value, size);
		if (!status)
			return gw_lt_block_write(block, &record) ? 0 : GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
		if (!attribute)
			attribute = newest_callers(call, kind, id);
		/* Either it refuses the value, or it is of another release than it was taken for. */
		if (!attribute || attribute->size != size || !gw_lt_native_get(call, kind, record.native, id, now, size))
			return status;
	}
	return set_extra(call, attribute, block, value);
}

static int32_t answer(const struct gw_lt_attribute *attribute, uint64_t number, void *value, size_t size, size_t *written)
{
	if (size)
		memcpy(value, &number, attribute->size);
	if (written)
		*written = attribute->size;
	return 0;
}

int32_t gw_lt_descriptor_get(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, int id, void *value, size_t size,
			     size_t *written, int32_t refused)
{
	const struct gw_lt_attribute *attribute = callers(call, kind, id, size);
	get_function *get = getter(call, kind);
	const struct gw_lt_extra *extra = NULL;
	struct gw_lt_record record;
	const void *native = block;
	int32_t status;

	if (refused && refused != GW_VALUE_CUBLAS_STATUS_INVALID_VALUE)
		return refused;
	if (!block || !get)
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	if (gw_lt_block_is_token(kind, block)) {
		if (!read_token(call, block, &record))
			return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
		native = record.native;
	}
	if (!refused && (!attribute || library_has(call, attribute)) &&
	    !gw_lt_attribute_is_beyond(kind, id, native, call->binding->loaded_release)) {
		status = get(native, id, value, size, written);
		if (status != GW_VALUE_CUBLAS_STATUS_INVALID_VALUE)
			return status;
	}
	if (!attribute)
		attribute = newest_callers(call, kind, id);
	if (!attribute)
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	if (native != block && !library_has(call, attribute))
		extra = gw_lt_record_extra(&record, id);
	if ((size ? !value || size != attribute->size : !written) || (attribute->given && !extra))
		return GW_VALUE_CUBLAS_STATUS_INVALID_VALUE;
	return answer(attribute, extra ? extra->value : attribute->value, value, size, written);
}

void gw_lt_descriptor_restore(struct gw_call *call, enum gw_lt_block_kind kind, void *block)
{
	struct gw_lt_record record;

	if (!gw_lt_block_read(block, &record)) {	/* whichever: it is about to go */
		memset(&record, 0, sizeof(record));
		if (!initialise(call, kind, record.native, record.native))
			return;
	}
	memcpy(block, record.native, GW_LT_TOKEN);
}
