/* SPDX-License-Identifier: Apache-2.0 */
/* See lt_algo.h. What the library made is remembered by hash; what replaced something, by its bytes. */
#include "lt_algo.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "binding.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_lt.h"
#include "lt_ids.h"

#define WORDS (GW_SIZE_cublasLtMatmulAlgo_t / 8)
#define KNOWN 4096u		/* hashes, 32 KiB; in sets of one cache line */
#define WAYS 8u
#define REPLACEMENTS 128u	/* 80 bytes each */
#define PREFERENCE 256u		/* bytes for a preference; the library initialises as many as it has */

_Static_assert(GW_SIZE_cublasLtMatmulAlgo_t % 8 == 0, "an algorithm is hashed and kept by words");
_Static_assert(GW_LEAST_cublasLtMatmulDescOpaque_t % 8 == 0 && GW_LEAST_cublasLtMatrixLayoutOpaque_t % 8 == 0, "so are the blocks");

static _Alignas(64) _Atomic uint64_t known[KNOWN];

/* Written by whoever makes VERSION odd; a reader that met a writer reads nothing. */
static struct replacement {
	_Atomic uint64_t version, key, algo[WORDS];
} replacements[REPLACEMENTS];

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

__extension__ typedef unsigned __int128 wide;

/* COUNT words, an even number. No multiplication waits for another. */
static uint64_t hash_words(uint64_t hash, const void *from, size_t count)
{
	const unsigned char *bytes = from;
	uint64_t word[2], salt = UINT64_C(0xa0761d6478bd642f);
	size_t i;

	for (i = 0; i < count; i += 2) {
		wide product;

		memcpy(word, bytes + i * 8, sizeof(word));
		product = (wide)(word[0] ^ salt) * (word[1] ^ UINT64_C(0xe7037ed1a0b428db));
		salt += UINT64_C(0x9e3779b97f4a7c16);
		hash = (hash << 23 | hash >> 41) ^ (uint64_t)product ^ (uint64_t)(product >> 64);
	}
	return mix(hash, count);
}

/* Algorithms are a library's: two libraries of one process do not share them. Never 0. */
static uint64_t hash_algo(const struct gw_binding *binding, const void *algo)
{
	uint64_t hash = hash_words((uintptr_t)binding->library, algo, WORDS);

	return hash ? hash : 1;
}

static uint64_t hash_block(uint64_t hash, const void *block, size_t least)
{
	return block ? hash_words(hash, block, least / 8) : mix(hash, 0);
}

/* Of each block as much is read as every release's has. What lies behind decides nothing that the library does not decide again. */
static uint64_t hash_problem(uint64_t hash, const struct gw_lt_problem *p)
{
	hash = mix(mix(hash, (uintptr_t)p->handle), p->workspaceSizeInBytes);
	hash = hash_block(hash, p->operationDesc, GW_LEAST_cublasLtMatmulDescOpaque_t);
	hash = hash_block(hash, p->Adesc, GW_LEAST_cublasLtMatrixLayoutOpaque_t);
	hash = hash_block(hash, p->Bdesc, GW_LEAST_cublasLtMatrixLayoutOpaque_t);
	hash = hash_block(hash, p->Cdesc, GW_LEAST_cublasLtMatrixLayoutOpaque_t);
	hash = hash_block(hash, p->Ddesc, GW_LEAST_cublasLtMatrixLayoutOpaque_t);
	return hash ? hash : 1;
}

/* What MATRIX is aligned to, where that is less than the 256 bytes that are the default; 0: as much, or not known. */
static uint32_t alignment_of(const void *matrix)
{
	return (uint32_t)((uintptr_t)matrix & -(uintptr_t)matrix & 0xff);
}

/* A choice is made for matrices as they are aligned: it may not do for others. */
static uint64_t hash_alignment(uint64_t hash, const struct gw_lt_problem *p)
{
	hash = mix(hash, (uint64_t)alignment_of(p->A) << 24 | alignment_of(p->B) << 16 | alignment_of(p->C) << 8 | alignment_of(p->D));
	return hash ? hash : 1;
}

static _Atomic uint64_t *set_of(uint64_t hash)
{
	return &known[hash % (KNOWN / WAYS) * WAYS];
}

static bool is_known(uint64_t hash)
{
	_Atomic uint64_t *set = set_of(hash);
	unsigned i;

	for (i = 0; i < WAYS; i++)
		if (atomic_load_explicit(&set[i], memory_order_relaxed) == hash)
			return true;
	return false;
}

/* One that is pushed out is checked again when it is used. */
static void remember(uint64_t hash)
{
	_Atomic uint64_t *set = set_of(hash);
	unsigned i;

	if (is_known(hash))
		return;
	for (i = 0; i < WAYS; i++) {
		uint64_t empty = 0;

		if (atomic_compare_exchange_strong_explicit(&set[i], &empty, hash, memory_order_relaxed, memory_order_relaxed))
			return;
	}
	atomic_store_explicit(&set[(hash >> 32) % WAYS], hash, memory_order_relaxed);
}

static bool recall(uint64_t key, cublasLtMatmulAlgo_t *algo)
{
	struct replacement *r = &replacements[key % REPLACEMENTS];
	uint64_t version = atomic_load_explicit(&r->version, memory_order_acquire), word;
	size_t i;

	if (version & 1 || atomic_load_explicit(&r->key, memory_order_acquire) != key)
		return false;
	for (i = 0; i < WORDS; i++) {
		word = atomic_load_explicit(&r->algo[i], memory_order_acquire);	/* before the version is read again */
		memcpy((char *)algo + i * 8, &word, 8);
	}
	return atomic_load_explicit(&r->version, memory_order_relaxed) == version;
}

static void keep(uint64_t key, const cublasLtMatmulAlgo_t *algo)
{
	struct replacement *r = &replacements[key % REPLACEMENTS];
	uint64_t version = atomic_load_explicit(&r->version, memory_order_relaxed), word;
	size_t i;

	if (version & 1 || !atomic_compare_exchange_strong(&r->version, &version, version + 1))
		return;		/* another thread is writing: this one's is found again */
	atomic_store_explicit(&r->key, key, memory_order_release);	/* after the version became odd */
	for (i = 0; i < WORDS; i++) {
		memcpy(&word, (const char *)algo + i * 8, 8);
		atomic_store_explicit(&r->algo[i], word, memory_order_release);
	}
	atomic_store_explicit(&r->version, version + 2, memory_order_release);
}

void gw_lt_algo_made(struct gw_call *call, const cublasLtMatmulAlgo_t *algo)
{
	if (algo && call->binding->differs)
		remember(hash_algo(call->binding, algo));
}

uint64_t gw_lt_algo_hash(const struct gw_call *call, const cublasLtMatmulAlgo_t *algo)
{
	return hash_algo(call->binding, algo);
}

bool gw_lt_algo_known(const struct gw_call *call, const cublasLtMatmulAlgo_t *algo)
{
	return is_known(hash_algo(call->binding, algo));
}

static void *target(const struct gw_call *call, uint32_t fn)
{
	return gw_binding_target((struct gw_binding *)call->binding, fn);
}

/* The fields of a heuristic result that are looked at. */
struct result {
	_Alignas(max_align_t) unsigned char bytes[GW_SIZE_cublasLtMatmulHeuristicResult_t];
};

_Static_assert(GW_OFFSET_cublasLtMatmulHeuristicResult_t_algo == 0, "a result begins with its algorithm");

static int32_t state_of(const void *result)
{
	int32_t state;

	memcpy(&state, (const char *)result + GW_OFFSET_cublasLtMatmulHeuristicResult_t_state, sizeof(state));
	return state;
}

static size_t workspace_of(const void *result)
{
	size_t size;

	memcpy(&size, (const char *)result + GW_OFFSET_cublasLtMatmulHeuristicResult_t_workspaceSize, sizeof(size));
	return size;
}

bool gw_lt_algo_readable(struct gw_call *call, const cublasLtMatmulAlgo_t *algo)
{
	static const struct {
		cublasLtMatmulAlgoConfigAttributes_t attribute;
		enum gw_lt_kind kind;
		uint8_t size;
	} ids[] = {
		{ GW_CUBLASLT_ALGO_CONFIG_TILE_ID, GW_LT_TILE, sizeof(uint32_t) },
		{ GW_CUBLASLT_ALGO_CONFIG_STAGES_ID, GW_LT_STAGES, sizeof(uint32_t) },
		{ GW_CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, GW_LT_INNER_SHAPE, sizeof(uint16_t) },
		{ GW_CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, GW_LT_CLUSTER_SHAPE, sizeof(uint16_t) },
	};
	cublasStatus_t (*get)(const cublasLtMatmulAlgo_t *, cublasLtMatmulAlgoConfigAttributes_t, void *, size_t, size_t *) =
		target(call, GW_FN_cublasLtMatmulAlgoConfigGetAttribute);
	const struct gw_release *release = call->binding->loaded_release;
	size_t written;
	unsigned i;

	for (i = 0; get && release && i < sizeof(ids) / sizeof(ids[0]); i++) {
		uint32_t id = 0;	/* little-endian, whichever its size */

		if (!get(algo, ids[i].attribute, &id, ids[i].size, &written) && !gw_lt_known(release, ids[i].kind, id))
			return false;
	}
	return true;
}

static bool accepted(const struct gw_call *call, const struct gw_lt_problem *p, const cublasLtMatmulAlgo_t *algo)
{
	cublasStatus_t (*check)(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
				cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *, cublasLtMatmulHeuristicResult_t *) =
		target(call, GW_FN_cublasLtMatmulAlgoCheck);
	struct result result = {{0}};

	if (!check)
		return true;	/* nobody can tell */
	return !check(p->handle, p->operationDesc, p->Adesc, p->Bdesc, p->Cdesc, p->Ddesc, algo, (void *)&result) && !state_of(&result) &&
	       workspace_of(&result) <= p->workspaceSizeInBytes;
}

/* A preference for what PROBLEM has: its workspace, and its matrices as they are aligned. */
static bool prefer(const struct gw_call *call, const struct gw_lt_problem *p, void *preference)
{
	cublasStatus_t (*init)(cublasLtMatmulPreference_t, size_t) = target(call, GW_FN_cublasLtMatmulPreferenceInit_internal);
	cublasStatus_t (*set)(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t) =
		target(call, GW_FN_cublasLtMatmulPreferenceSetAttribute);
	static const cublasLtMatmulPreferenceAttributes_t attributes[] = {
		GW_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, GW_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
		GW_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, GW_CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
	};
	const void *matrices[] = { p->A, p->B, p->C, p->D };
	uint64_t workspace = p->workspaceSizeInBytes;
	unsigned i;

	if (!init || !set || init(preference, PREFERENCE) ||
	    set(preference, GW_CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace)))
		return false;
	for (i = 0; i < 4; i++) {
		uint32_t alignment = alignment_of(matrices[i]);

		if (alignment && set(preference, attributes[i], &alignment, sizeof(alignment)))
			return false;
	}
	return true;
}

static bool choose(const struct gw_call *call, const struct gw_lt_problem *p, cublasLtMatmulAlgo_t *algo)
{
	cublasStatus_t (*heuristic)(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
				    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
				    cublasLtMatmulHeuristicResult_t *, int *) = target(call, GW_FN_cublasLtMatmulAlgoGetHeuristic);
	_Alignas(max_align_t) unsigned char preference[PREFERENCE] = {0};
	struct result result = {{0}};
	int count = 0;

	if (!heuristic || !prefer(call, p, preference) ||
	    heuristic(p->handle, p->operationDesc, p->Adesc, p->Bdesc, p->Cdesc, p->Ddesc, (void *)preference, 1, (void *)&result, &count) ||
	    count < 1 || state_of(&result))
		return false;
	memcpy(algo, result.bytes, GW_SIZE_cublasLtMatmulAlgo_t);
	return true;
}

static void tell_replaced(const struct gw_binding *binding)
{
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "an algorithm that the program kept or was given by another release of cublasLt is none that ");
	gw_line_text(&line, binding->path);
	gw_line_text(&line, " can use; its heuristic's choice was used in its place");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_ALGORITHM, binding->path, text, NULL);
}

const cublasLtMatmulAlgo_t *gw_lt_algo_usable(struct gw_call *call, const struct gw_lt_problem *problem, const cublasLtMatmulAlgo_t *algo,
					      cublasLtMatmulAlgo_t *replacement)
{
	bool readable;
	uint64_t key, choice;

	/* What is no problem at all the product itself refuses; cublasLtMatmulAlgoCheck would crash on it (measured, 12.9 and 13.0). */
	if (!algo || !call->binding->differs || !problem->handle || !problem->operationDesc || !problem->Adesc || !problem->Bdesc ||
	    !problem->Cdesc || !problem->Ddesc)
		return algo;
	key = hash_algo(call->binding, algo);
	if (is_known(key))
		return algo;
	key = hash_problem(key, problem);
	if (is_known(key))
		return algo;
	choice = hash_alignment(key, problem);
	if (recall(choice, replacement))
		return replacement;
	readable = gw_lt_algo_readable(call, algo);
	if (readable && accepted(call, problem, algo)) {
		remember(key);
		return algo;
	}
	if (!choose(call, problem, replacement))
		return readable ? algo : NULL;
	keep(choice, replacement);
	tell_replaced(call->binding);
	return replacement;
}
