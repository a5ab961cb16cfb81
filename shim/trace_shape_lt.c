/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of cublasLt's calls. Descriptors are opaque, but whether two hold the same is a hash of their bytes, those aside that are pointers: which these are is
 * learnt from the library once, by setting each attribute that is a pointer in a block of our own. What a new one holds is read through the library's own
 * functions, attribute after attribute. Padding that Init leaves as it was does not count: it is learnt in the same way.
 */
#include "trace_shape.h"

#include <errno.h>
#include <string.h>

#include "binding.h"
#include "gw_lt.h"
#include "gw_values.h"
#include "lt_attribute.h"
#include "lt_descriptor.h"
#include "thread.h"

#define WORDS (GW_LT_BLOCK_MOST / 8)
#define LIBRARIES 8u

typedef uint64_t __attribute__((may_alias, aligned(1))) word_of_block;

/* What one library's blocks look like. */
struct learnt {
	_Atomic(const void *) library;	/* whose; NULL: free */
	uint32_t length;		/* bytes that Init writes, when it is told that there is room enough */
	unsigned char format;		/* their first byte: a block with another one is smaller */
	uint32_t pointers;		/* words that are pointers: a bit each */
	uint64_t held[GW_LT_BLOCK_KINDS][WORDS];	/* the bytes that Init writes, all bits set: the rest is padding, where anything may be */
	_Atomic bool known;
};

static struct learnt libraries[LIBRARIES];

/* Arguments of a call, by their place. */
struct problem {
	const void *desc, *a, *b, *c, *d, *algorithm, *preference, *transform;
	uint64_t workspace;
};

static bool is_pointer(const struct gw_lt_attribute *attribute)
{
	static const char end[] = "_POINTER";
	const char *name = gw_string(attribute->name);
	size_t length = strlen(name);

	return attribute->size == 8 && length > sizeof(end) && !strcmp(name + length - (sizeof(end) - 1), end);
}

static const struct gw_release *release_of(const struct gw_call *call)
{
	const struct gw_release *release = atomic_load_explicit(&((struct gw_binding *)(uintptr_t)call->binding)->loaded_release, memory_order_relaxed);

	return release ? release : call->binding->major_last;
}

static bool initialise(struct gw_call *call, enum gw_lt_block_kind kind, unsigned char *block, int poison)
{
	static const uint32_t functions[GW_LT_BLOCK_KINDS] = {
		[GW_LT_MATMUL_DESC] = GW_FN_cublasLtMatmulDescInit_internal, [GW_LT_MATRIX_LAYOUT] = GW_FN_cublasLtMatrixLayoutInit_internal,
		[GW_LT_MATMUL_PREFERENCE] = GW_FN_cublasLtMatmulPreferenceInit_internal,
		[GW_LT_MATRIX_TRANSFORM_DESC] = GW_FN_cublasLtMatrixTransformDescInit_internal,
	};
	void *function = gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, functions[kind]);
	int32_t (*init_desc)(void *, size_t, int, int) = function;
	int32_t (*init_layout)(void *, size_t, int, uint64_t, uint64_t, int64_t) = function;
	int32_t (*init_preference)(void *, size_t) = function;
	int32_t (*init_transform)(void *, size_t, int) = function;

	memset(block, poison, GW_LT_BLOCK_MOST);
	if (!function)
		return false;
	switch (kind) {
	case GW_LT_MATMUL_DESC: return !init_desc(block, GW_LT_BLOCK_MOST, 0, 0);
	case GW_LT_MATRIX_LAYOUT: return !init_layout(block, GW_LT_BLOCK_MOST, 0, 1, 1, 1);
	case GW_LT_MATMUL_PREFERENCE: return !init_preference(block, GW_LT_BLOCK_MOST);
	default: return !init_transform(block, GW_LT_BLOCK_MOST, 0);
	}
}

/* Bytes that come out the same whatever was there before. */
static bool learn_held(struct gw_call *call, enum gw_lt_block_kind kind, uint64_t *held)
{
	unsigned char one[GW_LT_BLOCK_MOST] __attribute__((aligned(16))), other[GW_LT_BLOCK_MOST] __attribute__((aligned(16)));
	unsigned i;

	if (!initialise(call, kind, one, 0xa5) || !initialise(call, kind, other, 0x5a))
		return false;
	for (i = 0; i < GW_LT_BLOCK_MOST; i++)
		if (one[i] == other[i])
			held[i / 8] |= UINT64_C(0xff) << i % 8 * 8;
	return true;
}

static void learn(struct gw_call *call, struct learnt *learnt)
{
	unsigned char plain[GW_LT_BLOCK_MOST] __attribute__((aligned(16))), set[GW_LT_BLOCK_MOST] __attribute__((aligned(16)));
	uint64_t marker = UINT64_C(0x5a17b3c4d2e6f800);
	int id, i;

	for (i = 0; i < GW_LT_BLOCK_KINDS; i++)
		if (!learn_held(call, (enum gw_lt_block_kind)i, learnt->held[i]))
			return;
	if (!initialise(call, GW_LT_MATMUL_DESC, plain, 0xa5))
		return;
	learnt->format = plain[0];
	learnt->length = GW_LT_BLOCK_MOST;
	while (learnt->length > GW_LT_BLOCK_LEAST && plain[learnt->length - 1] == 0xa5)
		learnt->length--;
	learnt->length = learnt->length / 8 * 8;
	for (id = 0; id < GW_LT_ATTRIBUTE_IDS; id++) {
		const struct gw_lt_attribute *attribute = gw_lt_attribute_find(GW_LT_MATMUL_DESC, id, release_of(call));

		if (!attribute || !is_pointer(attribute))
			continue;
		memcpy(set, plain, sizeof(set));
		if (gw_lt_native_set(call, GW_LT_MATMUL_DESC, set, id, &marker, sizeof(marker)))
			continue;
		for (i = 0; i < WORDS; i++)
			if (!memcmp(set + (size_t)i * 8, &marker, 8))
				learnt->pointers |= UINT32_C(1) << i;
	}
	atomic_store_explicit(&learnt->known, true, memory_order_release);
}

static const struct learnt *learnt_of(struct gw_call *call)
{
	const void *library = call->binding->library;
	unsigned i;

	for (i = 0; i < LIBRARIES; i++) {
		const void *none = NULL;

		if (atomic_load_explicit(&libraries[i].library, memory_order_acquire) == library)
			return atomic_load_explicit(&libraries[i].known, memory_order_acquire) ? &libraries[i] : NULL;
		if (!library || !atomic_compare_exchange_strong(&libraries[i].library, &none, library))
			continue;
		learn(call, &libraries[i]);
		return atomic_load(&libraries[i].known) ? &libraries[i] : NULL;
	}
	return NULL;
}

/* HELD: the bits that count, or NULL. */
static inline uint64_t hash_words(uint64_t hash, const void *block, uint32_t words, const uint64_t *held)
{
	const word_of_block *word = block;
	uint64_t lane[4] = { hash, 2, 3, 4 };
	uint32_t i;

	for (i = 0; i + 4 <= words; i += 4) {
		lane[0] = gw_trace_mix(lane[0], held ? word[i] & held[i] : word[i]);
		lane[1] = gw_trace_mix(lane[1], held ? word[i + 1] & held[i + 1] : word[i + 1]);
		lane[2] = gw_trace_mix(lane[2], held ? word[i + 2] & held[i + 2] : word[i + 2]);
		lane[3] = gw_trace_mix(lane[3], held ? word[i + 3] & held[i + 3] : word[i + 3]);
	}
	for (; i < words; i++)
		lane[0] = gw_trace_mix(lane[0], held ? word[i] & held[i] : word[i]);
	return gw_trace_mix(gw_trace_mix(lane[0], lane[1]), gw_trace_mix(lane[2], lane[3]));
}

/* Of a product's descriptor: with whether each pointer is set instead of where it points. */
static uint64_t hash_desc(uint64_t hash, const struct learnt *learnt, const unsigned char *desc)
{
	uint32_t words = desc[0] == learnt->format ? learnt->length / 8 : GW_LT_BLOCK_LEAST / 8, i;
	word_of_block copy[WORDS];

	memcpy(copy, desc, (size_t)words * 8);
	for (i = 0; i < words; i++)
		if (learnt->pointers >> i & 1)
			copy[i] = copy[i] != 0;
	return hash_words(hash, copy, words, learnt->held[GW_LT_MATMUL_DESC]);
}

static uint64_t hash_of(const struct gw_call *call, const struct learnt *learnt, const struct problem *problem)
{
	const void *const layouts[] = { problem->a, problem->b, problem->c, problem->d };
	uint64_t hash = gw_trace_mix(problem->workspace, call->fn + 1);
	unsigned i;

	if (problem->desc)
		hash = hash_desc(hash, learnt, problem->desc);
	for (i = 0; i < 4; i++)
		hash = layouts[i] ? hash_words(hash, layouts[i], GW_LT_BLOCK_LEAST / 8, learnt->held[GW_LT_MATRIX_LAYOUT]) : gw_trace_mix(hash, i);
	if (problem->algorithm)
		hash = hash_words(hash, problem->algorithm, GW_SIZE_cublasLtMatmulAlgo_t / 8, NULL);
	if (problem->preference)
		hash = hash_words(hash, problem->preference, GW_LT_BLOCK_LEAST / 8, learnt->held[GW_LT_MATMUL_PREFERENCE]);
	if (problem->transform)
		hash = hash_words(hash, problem->transform, GW_LT_BLOCK_LEAST / 8, learnt->held[GW_LT_MATRIX_TRANSFORM_DESC]);
	return hash;
}

/* The enum whose constants an attribute's values are, by what the attribute's name ends in; -1: it is a number. */
static int enum_of(const char *name)
{
	static const struct {
		const char *end;
		int type;
	} ends[] = {
		{ "_COMPUTE_TYPE", GW_ENUM_cublasComputeType_t }, { "_SCALE_TYPE", GW_ENUM_cudaDataType_t }, { "_DATA_TYPE", GW_ENUM_cudaDataType_t },
		{ "_LAYOUT_TYPE", GW_ENUM_cudaDataType_t }, { "_TRANSA", GW_ENUM_cublasOperation_t }, { "_TRANSB", GW_ENUM_cublasOperation_t },
		{ "_TRANSC", GW_ENUM_cublasOperation_t }, { "_EPILOGUE", GW_ENUM_cublasLtEpilogue_t }, { "_POINTER_MODE", GW_ENUM_cublasLtPointerMode_t },
		{ "_ORDER", GW_ENUM_cublasLtOrder_t }, { "_SCALE_MODE", GW_ENUM_cublasLtMatmulMatrixScale_t },
	};
	size_t length = strlen(name), i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (length > strlen(ends[i].end) && !strcmp(name + length - strlen(ends[i].end), ends[i].end))
			return ends[i].type;
	return -1;
}

/* CUBLASLT_MATMUL_DESC_TRANSA is "transa". */
static void key_of(const char *name, const char *prefix, char *key, size_t size)
{
	size_t i, skip = strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);

	for (i = 0; name[skip + i] && i + 1 < size; i++)
		key[i] = name[skip + i] >= 'A' && name[skip + i] <= 'Z' ? (char)(name[skip + i] | 0x20) : name[skip + i];
	key[i] = 0;
}

/* Members for what the block holds that is not the default; the first two attributes of each kind always. */
static void put_block(struct gw_line *line, struct gw_call *call, enum gw_lt_block_kind kind, const void *block, const char *prefix)
{
	int id;

	for (id = 0; id < GW_LT_ATTRIBUTE_IDS; id++) {
		const struct gw_lt_attribute *attribute = gw_lt_attribute_find(kind, id, release_of(call));
		const char *name, *constant;
		uint64_t value = 0;
		int64_t wide;
		char key[64];

		if (!attribute || (attribute->size != 4 && attribute->size != 8 && attribute->size != 1 && attribute->size != 2) ||
		    gw_lt_native_get(call, kind, block, id, &value, attribute->size) || (!attribute->given && value == attribute->value))
			continue;
		name = gw_string(attribute->name);
		key_of(name, prefix, key, sizeof(key));
		wide = attribute->size == 4 ? (int32_t)value : (int64_t)value;
		if (is_pointer(attribute)) {	/* where it points is no shape */
			gw_line_key(line, key);
			gw_line_text(line, "true");
			continue;
		}
		constant = gw_trace_shape_constant(enum_of(name), wide);
		if (constant)
			gw_trace_shape_text(line, key, constant);
		else
			gw_trace_shape_number(line, key, wide);
	}
}

static void put_layout(struct gw_line *line, struct gw_call *call, const char *key, const void *layout)
{
	if (!layout)
		return;
	gw_line_key(line, key);
	gw_line_char(line, '{');
	put_block(line, call, GW_LT_MATRIX_LAYOUT, layout, "CUBLASLT_MATRIX_LAYOUT_");
	gw_line_char(line, '}');
}

static void put_algorithm(struct gw_line *line, struct gw_call *call, const void *algorithm)
{
	static const struct {
		const char *key;
		int id;
	} members[] = {
		{ "id", GW_CUBLASLT_ALGO_CONFIG_ID }, { "tile", GW_CUBLASLT_ALGO_CONFIG_TILE_ID }, { "splitk", GW_CUBLASLT_ALGO_CONFIG_SPLITK_NUM },
		{ "reduction", GW_CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME }, { "swizzle", GW_CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING },
		{ "custom", GW_CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION }, { "stages", GW_CUBLASLT_ALGO_CONFIG_STAGES_ID },
		{ "inner_shape", GW_CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID }, { "cluster", GW_CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID },
	};
	int32_t (*get)(const void *, int, void *, size_t, size_t *) =
		gw_binding_target((struct gw_binding *)(uintptr_t)call->binding, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	unsigned i;

	if (!get)
		return;
	gw_line_key(line, "algorithm");
	gw_line_char(line, '{');
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		uint32_t value = 0;
		size_t written;

		if (get(algorithm, members[i].id, &value, 4, &written) && get(algorithm, members[i].id, &value, 2, &written))
			continue;
		gw_trace_shape_number(line, members[i].key, value);
	}
	gw_line_char(line, '}');
}

static int64_t get_of(struct gw_call *call, enum gw_lt_block_kind kind, const void *block, int id, size_t size)
{
	int64_t value = 0;

	return block && !gw_lt_native_get(call, kind, block, id, &value, size) ? value : 0;
}

/* "bf16 4096x16x4096 TN + bias", and m, n, k. */
static void put_product(struct gw_line *line, struct gw_call *call, const struct problem *problem)
{
	const void *out = problem->d ? problem->d : problem->c;
	int64_t a = get_of(call, GW_LT_MATMUL_DESC, problem->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSA, 4);
	int64_t b = get_of(call, GW_LT_MATMUL_DESC, problem->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSB, 4);
	int64_t epilogue = get_of(call, GW_LT_MATMUL_DESC, problem->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_EPILOGUE, 4);
	int64_t m = get_of(call, GW_LT_MATRIX_LAYOUT, out, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_ROWS, 8);
	int64_t n = get_of(call, GW_LT_MATRIX_LAYOUT, out, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_COLS, 8);
	int64_t rows = get_of(call, GW_LT_MATRIX_LAYOUT, problem->a, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_ROWS, 8);
	int64_t cols = get_of(call, GW_LT_MATRIX_LAYOUT, problem->a, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_COLS, 8);
	int64_t batch = get_of(call, GW_LT_MATRIX_LAYOUT, out, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4);
	const char *names[3] = { gw_trace_shape_constant(GW_ENUM_cublasOperation_t, a), gw_trace_shape_constant(GW_ENUM_cublasOperation_t, b),
				 gw_trace_shape_constant(GW_ENUM_cublasLtEpilogue_t, epilogue) };
	bool plain = a == GW_VALUE_CUBLAS_OP_N;
	char text[256];
	struct gw_line words;

	gw_line_start(&words, text, sizeof(text) - 1);
	gw_trace_shape_type(&words, get_of(call, GW_LT_MATRIX_LAYOUT, problem->a, GW_VALUE_CUBLASLT_MATRIX_LAYOUT_TYPE, 4));
	gw_line_char(&words, ' ');
	gw_line_signed(&words, m);
	gw_line_char(&words, 'x');
	gw_line_signed(&words, n);
	gw_line_char(&words, 'x');
	gw_line_signed(&words, plain ? cols : rows);
	if (batch > 1) {
		gw_line_text(&words, " batch ");
		gw_line_signed(&words, batch);
	}
	gw_line_char(&words, ' ');
	gw_line_char(&words, names[0] ? names[0][strlen(names[0]) - 1] : '?');
	gw_line_char(&words, names[1] ? names[1][strlen(names[1]) - 1] : '?');
	if (names[2] && epilogue != GW_CUBLASLT_EPILOGUE_DEFAULT) {
		const char *c = names[2] + (strncmp(names[2], "CUBLASLT_EPILOGUE_", 18) ? 0 : 18);

		gw_line_text(&words, " + ");
		for (; *c; c++)
			gw_line_char(&words, *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c);
	}
	gw_line_key(line, "text");
	gw_line_string(line, text, words.length);
	gw_trace_shape_product(line, (uint64_t)m, (uint64_t)n, (uint64_t)(plain ? cols : rows), batch > 1 ? (uint64_t)batch : 1);
}

static __attribute__((noinline, cold)) uint32_t define(struct gw_call *call, const struct problem *problem, const char *kind, uint64_t hash)
{
	char text[GW_TRACE_SHAPE_TEXT];
	struct gw_line line;
	uint32_t number = gw_trace_shape_begin(&line, text, gw_function_name(call->fn), kind);

	if (!number)
		return 0;
	if (problem->desc) {
		put_product(&line, call, problem);
		gw_line_key(&line, "descriptor");
		gw_line_char(&line, '{');
		put_block(&line, call, GW_LT_MATMUL_DESC, problem->desc, "CUBLASLT_MATMUL_DESC_");
		gw_line_char(&line, '}');
	} else {
		gw_trace_shape_text(&line, "text", "transform");
	}
	put_layout(&line, call, "A", problem->a);
	put_layout(&line, call, "B", problem->b);
	put_layout(&line, call, "C", problem->c);
	put_layout(&line, call, "D", problem->d);
	if (problem->algorithm)
		put_algorithm(&line, call, problem->algorithm);
	if (problem->preference) {
		gw_line_key(&line, "preference");
		gw_line_char(&line, '{');
		put_block(&line, call, GW_LT_MATMUL_PREFERENCE, problem->preference, "CUBLASLT_MATMUL_PREF_");
		gw_line_char(&line, '}');
	}
	if (problem->transform) {
		gw_line_key(&line, "descriptor");
		gw_line_char(&line, '{');
		put_block(&line, call, GW_LT_MATRIX_TRANSFORM_DESC, problem->transform, "CUBLASLT_MATRIX_TRANSFORM_DESC_");
		gw_line_char(&line, '}');
	}
	gw_trace_shape_number(&line, "workspace", (int64_t)problem->workspace);
	return gw_trace_shape_end(&line, hash, number);
}

/* Blocks that are tokens are looked at where the library's own are kept. */
static bool open_block(struct gw_call *call, enum gw_lt_block_kind kind, const void **block, struct gw_lt_record *record)
{
	void *own = (void *)(uintptr_t)*block;

	if (!gw_lt_block_is_token(kind, own))
		return true;
	if (!gw_lt_block_read(own, record) || record->library != call->binding->library)
		return false;
	*block = record->native;
	return true;
}

static uint32_t shape_of(struct gw_call *call, struct problem *problem, const char *kind)
{
	struct gw_lt_record desc, preference, layout[4];
	const struct learnt *learnt;
	uint32_t number;
	uint64_t hash;
	int error = errno;

	if (call->absent || gw_thread.trace_busy)
		return 0;
	learnt = learnt_of(call);
	if (!learnt || !open_block(call, GW_LT_MATMUL_DESC, &problem->desc, &desc) || !open_block(call, GW_LT_MATRIX_LAYOUT, &problem->a, &layout[0]) ||
	    !open_block(call, GW_LT_MATRIX_LAYOUT, &problem->b, &layout[1]) || !open_block(call, GW_LT_MATRIX_LAYOUT, &problem->c, &layout[2]) ||
	    !open_block(call, GW_LT_MATRIX_LAYOUT, &problem->d, &layout[3]) ||
	    !open_block(call, GW_LT_MATMUL_PREFERENCE, &problem->preference, &preference))
		return 0;
	hash = hash_of(call, learnt, problem);
	number = gw_trace_shape_known(hash);
	if (!number) {
		number = define(call, problem, kind, hash);
		errno = error;
	}
	return number;
}

uint32_t gw_trace_shape_lt_matmul(struct gw_call *call, const union gw_value *v)
{
	struct problem problem = { .desc = v[1].p, .a = v[4].p, .b = v[6].p, .c = v[9].p, .d = v[11].p, .algorithm = v[12].p, .workspace = (uint64_t)v[14].i };

	return problem.desc && problem.a && problem.b && problem.d ? shape_of(call, &problem, "matmul") : 0;
}

uint32_t gw_trace_shape_lt_heuristic(struct gw_call *call, const union gw_value *v)
{
	struct problem problem = { .desc = v[1].p, .a = v[2].p, .b = v[3].p, .c = v[4].p, .d = v[5].p, .preference = v[6].p };

	return problem.desc && problem.a && problem.b && problem.d && problem.preference ? shape_of(call, &problem, "heuristic") : 0;
}

uint32_t gw_trace_shape_lt_check(struct gw_call *call, const union gw_value *v)
{
	struct problem problem = { .desc = v[1].p, .a = v[2].p, .b = v[3].p, .c = v[4].p, .d = v[5].p, .algorithm = v[6].p };

	return problem.desc && problem.a && problem.b && problem.d && problem.algorithm ? shape_of(call, &problem, "check") : 0;
}

uint32_t gw_trace_shape_lt_transform(struct gw_call *call, const union gw_value *v)
{
	struct problem problem = { .transform = v[1].p, .a = v[4].p, .b = v[7].p, .c = v[9].p };

	return problem.transform && problem.a && problem.c ? shape_of(call, &problem, "transform") : 0;
}
