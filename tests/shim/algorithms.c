/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is compiled with one release's declarations and does with cublasLt's algorithms what programs do. What it prints is the
 * same on every release that it can run on. Numbers that may differ are checked against the header instead: within its ranges or not.
 *
 *	algorithms rebuild           reads each algorithm of the heuristic, writes what it read to the same and to a new one, uses both
 *	algorithms lists             asks for each capability
 *	algorithms newer             asks for those capabilities that some releases do not have
 *	algorithms shapes            writes each shape that the header names, and reads it back
 *	algorithms errors            asks wrongly
 *	algorithms save FILE         keeps the algorithms: their bytes, and what was read of them
 *	algorithms load FILE         uses the bytes that were kept
 *	algorithms build FILE        makes algorithms anew of what was read
 *	algorithms garbage           uses bytes that no library ever made
 *	algorithms newest            uses the greatest tile and stages that the header names
 *	algorithms masks             asks the heuristic with each mask that the release has
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_api.h"

enum { N = 4, MOST = 8, CONFIGS = 16, WORKSPACE = 1 << 23 };

static cublasLtHandle_t handle;
static cublasLtMatmulDesc_t desc;
static cublasLtMatrixLayout_t layout;
static cublasLtMatmulPreference_t preference;
static unsigned char workspace[WORKSPACE];

static const struct {
	int id;
	const char *name;
	size_t size;
	unsigned end;	/* one more than the greatest that the header names; 0: anything */
} configs[] = {
	{ CUBLASLT_ALGO_CONFIG_ID, "id", 4, 0 },
	{ CUBLASLT_ALGO_CONFIG_TILE_ID, "tile", 4, CUBLASLT_MATMUL_TILE_END },
	{ CUBLASLT_ALGO_CONFIG_SPLITK_NUM, "split-k", 4, 0 },
	{ CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, "reduction", 4, 0 },
	{ CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, "swizzling", 4, 0 },
	{ CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, "custom", 4, 0 },
	{ CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages", 4, CUBLASLT_MATMUL_STAGES_END },
#ifdef CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID
	{ CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, "inner shape", 2, CUBLASLT_MATMUL_INNER_SHAPE_END },
	{ CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, "cluster shape", 2, CUBLASLT_CLUSTER_SHAPE_END },
#endif
};

enum { COUNT = sizeof(configs) / sizeof(*configs) };

static void must(int status, const char *what)
{
	if (!status)
		return;
	printf("%s: status %d\n", what, status);
	exit(1);
}

static void begin(void)
{
	uint64_t most = WORKSPACE;

	must((int)cublasLtCreate(&handle), "handle");
	must((int)cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "descriptor");
	must((int)cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, N, N, N), "layout");
	must((int)cublasLtMatmulPreferenceCreate(&preference), "preference");
	must((int)cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most)), "workspace");
}

static int ask(cublasLtMatmulHeuristicResult_t *results, int wanted)
{
	int count = 0;

	must((int)cublasLtMatmulAlgoGetHeuristic(handle, desc, layout, layout, layout, layout, preference, wanted, results, &count), "heuristic");
	return count;
}

/* The product of two fixed matrices; a line that tells status and elements. */
static void multiply(const char *what, const cublasLtMatmulAlgo_t *algo)
{
	float a[N * N], b[N * N], c[N * N] = {0}, alpha = 1, beta = 0;
	int status;

	for (int i = 0; i < N * N; i++) {
		a[i] = (float)(i % 7) - 3;
		b[i] = (float)(i % 5) - 2;
	}
	status = (int)cublasLtMatmul(handle, desc, &alpha, a, layout, b, layout, &beta, c, layout, c, layout, algo, workspace, WORKSPACE, 0);
	printf("%s: status %d:", what, status);
	for (int i = 0; i < N * N; i++)
		printf(" %g", (double)c[i]);
	putchar('\n');
}

static void check(const char *what, const cublasLtMatmulAlgo_t *algo)
{
	cublasLtMatmulHeuristicResult_t result;

	memset(&result, 0, sizeof(result));
	printf("%s: check %d\n", what, (int)cublasLtMatmulAlgoCheck(handle, desc, layout, layout, layout, layout, algo, &result));
}

/* Every setting of ALGO; those that the header bounds are within its bounds. */
static void read_all(const cublasLtMatmulAlgo_t *algo, uint32_t *values)
{
	for (int i = 0; i < COUNT; i++) {
		size_t written = 0;
		int status;

		values[i] = 0;
		status = (int)cublasLtMatmulAlgoConfigGetAttribute(algo, configs[i].id, &values[i], configs[i].size, &written);
		if (!configs[i].end)
			printf("  %s %u: status %d, %zu bytes\n", configs[i].name, values[i], status, written);
		else
			printf("  %s %s: status %d, %zu bytes\n", configs[i].name, values[i] < configs[i].end ? "known" : "UNKNOWN", status,
			       written);
	}
}

static void write_all(cublasLtMatmulAlgo_t *algo, const uint32_t *values)
{
	for (int i = 1; i < COUNT; i++)
		printf("  %s set: status %d\n", configs[i].name,
		       (int)cublasLtMatmulAlgoConfigSetAttribute(algo, configs[i].id, &values[i], configs[i].size));
}

static void make(int id, cublasLtMatmulAlgo_t *algo)
{
	memset(algo, 0, sizeof(*algo));
	must((int)cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, id, algo), "init");
}

static void rebuild(void)
{
	cublasLtMatmulHeuristicResult_t results[MOST];
	int count = ask(results, MOST);

	for (int i = 0; i < count; i++) {
		cublasLtMatmulAlgo_t same = results[i].algo, other;
		uint32_t values[CONFIGS], again[CONFIGS];

		printf("result %d\n", i);
		read_all(&same, values);
		check("as it came", &same);
		multiply("as it came", &same);
		write_all(&same, values);
		printf("  the same bytes: %d\n", !memcmp(&same, &results[i].algo, sizeof(same)));
		multiply("written back", &same);
		make((int)values[0], &other);
		write_all(&other, values);
		check("made anew", &other);
		multiply("made anew", &other);
		read_all(&other, again);
		printf("  the same settings: %d\n", !memcmp(values, again, COUNT * sizeof(*values)));
	}
}

static void capability(const cublasLtMatmulAlgo_t *algo, int id, const char *name, unsigned end)
{
	uint32_t value[2048] = {0};
	size_t needed = 0, written = 0;
	int sized = (int)cublasLtMatmulAlgoCapGetAttribute(algo, id, NULL, 0, &needed), status;
	int bad = 0;

	if (end) {
		status = (int)cublasLtMatmulAlgoCapGetAttribute(algo, id, value, sizeof(value), &written);
		for (size_t i = 0; i < written / 4; i++)
			bad += value[i] >= end;
		printf("  %s: status %d %d, beyond the header %d, as many as announced %d\n", name, sized, status, bad, needed == written);
		if (written < 8)
			return;
		memset(value, 0xee, sizeof(value));
		status = (int)cublasLtMatmulAlgoCapGetAttribute(algo, id, value, 4, &written);
		printf("  first of %s: status %d, %zu bytes, %s, nothing more %d\n", name, status, written, value[0] < end ? "known" : "UNKNOWN",
		       value[1] == 0xeeeeeeee);
		return;
	}
	status = (int)cublasLtMatmulAlgoCapGetAttribute(algo, id, value, needed, &written);
	printf("  %s: status %d %d, %zu %zu bytes, %08x %08x\n", name, sized, status, needed, written, value[0], value[1]);
}

static void lists(void)
{
	cublasLtMatmulHeuristicResult_t results[MOST];
	int count = ask(results, MOST);

	for (int i = 0; i < count; i++) {
		const cublasLtMatmulAlgo_t *algo = &results[i].algo;

		printf("result %d\n", i);
		capability(algo, CUBLASLT_ALGO_CAP_TILE_IDS, "tiles", CUBLASLT_MATMUL_TILE_END);
		capability(algo, CUBLASLT_ALGO_CAP_STAGES_IDS, "stages", CUBLASLT_MATMUL_STAGES_END);
		capability(algo, CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, "split-k", 0);
		capability(algo, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, "flags", 0);
		capability(algo, CUBLASLT_ALGO_CAP_EPILOGUE_MASK, "epilogues", 0);
#ifdef CUBLASLT_ALGO_CAP_MATHMODE_IMPL
		capability(algo, CUBLASLT_ALGO_CAP_MATHMODE_IMPL, "math mode", 0);
		capability(algo, CUBLASLT_ALGO_CAP_GAUSSIAN_IMPL, "gaussian", 0);
#endif
	}
}

/* What only some releases have, and others do not support: apart, since the answers may differ. */
static void newer(void)
{
	cublasLtMatmulHeuristicResult_t results[MOST];
	int count = ask(results, MOST);

	for (int i = 0; i < count; i++) {
		const cublasLtMatmulAlgo_t *algo = &results[i].algo;

		printf("result %d\n", i);
#ifdef CUBLASLT_ALGO_CAP_ATOMIC_SYNC
		capability(algo, CUBLASLT_ALGO_CAP_ATOMIC_SYNC, "atomic", 0);
#endif
#ifdef CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT
		capability(algo, CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT, "pointer arrays", 0);
#endif
#ifdef CUBLASLT_ALGO_CAP_POINTER_ARRAY_GROUPED_SUPPORT
		capability(algo, CUBLASLT_ALGO_CAP_POINTER_ARRAY_GROUPED_SUPPORT, "grouped", 0);
#endif
		printf("  flags of one: %d\n", algo != NULL);
	}
}

/* Of the attributes that the oldest release does not have: their numbers never changed, so each reads as it was written. No cluster is 1. */
static void shapes(void)
{
	cublasLtMatmulHeuristicResult_t results[MOST];

	ask(results, MOST);
	for (int k = 0; k < COUNT; k++) {
		cublasLtMatmulAlgo_t algo = results[0].algo;

		for (uint16_t id = 2, now = 0; configs[k].size == sizeof(id) && id < configs[k].end; id++) {
			size_t written;
			int set = (int)cublasLtMatmulAlgoConfigSetAttribute(&algo, configs[k].id, &id, sizeof(id));
			int got = (int)cublasLtMatmulAlgoConfigGetAttribute(&algo, configs[k].id, &now, sizeof(now), &written);

			printf("%s %u: status %d %d, %u\n", configs[k].name, id, set, got, now);
		}
	}
}

static void errors(void)
{
	static const struct {
		const char *name;
		int id;
	} caps[] = {
		{ "tiles", CUBLASLT_ALGO_CAP_TILE_IDS }, { "split-k", CUBLASLT_ALGO_CAP_SPLITK_SUPPORT }, { "none", 4711 },
#ifdef CUBLASLT_ALGO_CAP_MATHMODE_IMPL
		{ "math mode", CUBLASLT_ALGO_CAP_MATHMODE_IMPL }, { "gaussian", CUBLASLT_ALGO_CAP_GAUSSIAN_IMPL },
#endif
#ifdef CUBLASLT_ALGO_CAP_ATOMIC_SYNC
		{ "atomic", CUBLASLT_ALGO_CAP_ATOMIC_SYNC },
#endif
	};
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 8 };
	cublasLtMatmulHeuristicResult_t results[MOST];
	cublasLtMatmulAlgo_t algo;
	unsigned char value[4096];
	size_t written;

	ask(results, MOST);
	algo = results[0].algo;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memset(value, 0, sizeof(value));
		for (size_t k = 0; k < sizeof(caps) / sizeof(*caps); k++)
			printf("%s of %zu bytes: %d %d %d\n", caps[k].name, sizes[i],
			       (int)cublasLtMatmulAlgoCapGetAttribute(&algo, caps[k].id, value, sizes[i], &written),
			       (int)cublasLtMatmulAlgoCapGetAttribute(&algo, caps[k].id, NULL, sizes[i], &written),
			       (int)cublasLtMatmulAlgoCapGetAttribute(&algo, caps[k].id, value, sizes[i], NULL));
		for (int k = 0; k < COUNT; k++)
			printf("%s of %zu bytes: %d %d %d, set %d %d\n", configs[k].name, sizes[i],
			       (int)cublasLtMatmulAlgoConfigGetAttribute(&algo, configs[k].id, value, sizes[i], &written),
			       (int)cublasLtMatmulAlgoConfigGetAttribute(&algo, configs[k].id, NULL, sizes[i], &written),
			       (int)cublasLtMatmulAlgoConfigGetAttribute(&algo, configs[k].id, value, sizes[i], NULL),
			       (int)cublasLtMatmulAlgoConfigSetAttribute(&algo, configs[k].id, value, sizes[i]),
			       (int)cublasLtMatmulAlgoConfigSetAttribute(&algo, configs[k].id, NULL, sizes[i]));
	}
	printf("no algorithm: %d %d %d %d\n", (int)cublasLtMatmulAlgoConfigGetAttribute(NULL, CUBLASLT_ALGO_CONFIG_TILE_ID, value, 4, &written),
	       (int)cublasLtMatmulAlgoConfigSetAttribute(NULL, CUBLASLT_ALGO_CONFIG_TILE_ID, value, 4),
	       (int)cublasLtMatmulAlgoCapGetAttribute(NULL, CUBLASLT_ALGO_CAP_TILE_IDS, value, 4, &written),
	       (int)cublasLtMatmulAlgoConfigGetAttribute(&algo, 4711, value, 4, &written));
}

struct kept {
	cublasLtMatmulAlgo_t algo;
	uint32_t values[CONFIGS];
};

static void save(const char *file)
{
	cublasLtMatmulHeuristicResult_t results[MOST];
	int count = ask(results, MOST);
	FILE *to = fopen(file, "wb");

	if (!to)
		must(-1, file);
	for (int i = 0; i < count; i++) {
		struct kept kept = { .algo = results[i].algo };

		read_all(&kept.algo, kept.values);
		fwrite(&kept, sizeof(kept), 1, to);
	}
	fclose(to);
}

static void load(const char *file, int anew)
{
	struct kept kept;
	FILE *from = fopen(file, "rb");

	if (!from)
		must(-1, file);
	while (fread(&kept, sizeof(kept), 1, from) == 1) {
		if (anew) {
			make((int)kept.values[0], &kept.algo);
			write_all(&kept.algo, kept.values);
		}
		multiply("kept", &kept.algo);
		multiply("again", &kept.algo);
	}
	fclose(from);
}

/* The first is what a caller has that forgot to fill it. */
static void garbage(void)
{
	cublasLtMatmulAlgo_t algo;
	unsigned state = 1;

	for (int i = 0; i < 100; i++) {
		for (size_t k = 0; k < sizeof(algo); k++) {
			state = state * 1103515245 + 12345;
			((unsigned char *)&algo)[k] = i ? (unsigned char)(state >> 16) : 0;
		}
		multiply("garbage", &algo);
	}
}

/* What a program has that keeps settings, not bytes, and kept them on its own release. */
static void newest(void)
{
	cublasLtMatmulAlgo_t algo;
	uint32_t tile = CUBLASLT_MATMUL_TILE_END - 1, stages = CUBLASLT_MATMUL_STAGES_END - 1;

	make(2, &algo);
	must((int)cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_TILE_ID, &tile, sizeof(tile)), "tile");
	must((int)cublasLtMatmulAlgoConfigSetAttribute(&algo, CUBLASLT_ALGO_CONFIG_STAGES_ID, &stages, sizeof(stages)), "stages");
	check("newest", &algo);
	multiply("newest", &algo);
}

static void masks(void)
{
#ifdef CUBLASLT_MATMUL_PREF_MATH_MODE_MASK
	static const struct {
		int id;
		const char *name;
		uint32_t value;
	} rows[] = {
		{ CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, "math mode", 1 },
		{ CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, "math mode", 0 },
		{ CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, "gaussian", 1 },
		{ CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, "gaussian", 0 },
		{ CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, "pointer mode", CUBLASLT_POINTER_MODE_MASK_NO_FILTERING },
		{ CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, "pointer mode", CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE },
		{ CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, "pointer mode", CUBLASLT_POINTER_MODE_MASK_DEVICE_VECTOR },
		{ CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, "pointer mode", CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO },
		{ CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, "epilogue", CUBLASLT_EPILOGUE_DEFAULT },
		{ CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, "epilogue", CUBLASLT_EPILOGUE_RELU_BIAS },
		{ CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, "epilogue", CUBLASLT_EPILOGUE_GELU },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (int wanted = 1; wanted <= 3; wanted += 2) {
			cublasLtMatmulHeuristicResult_t results[MOST];
			uint32_t gaussian = 1;
			int count = -1, status;

			printf("%s %u, %d wanted:", rows[i].name, rows[i].value, wanted);
			begin();
			must((int)cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_C_32F), "complex descriptor");
			must((int)cublasLtMatrixLayoutCreate(&layout, CUDA_C_32F, N, N, N), "complex layout");
			must((int)cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, &gaussian, 4), "mask");
			must((int)cublasLtMatmulPreferenceSetAttribute(preference, rows[i].id, &rows[i].value, 4), "mask");
			status = (int)cublasLtMatmulAlgoGetHeuristic(handle, desc, layout, layout, layout, layout, preference, wanted, results,
								     &count);
			printf(" status %d, %d:", status, count);
			for (int k = 0; k < count; k++) {
				size_t written;
				int32_t id = -1;

				must((int)cublasLtMatmulAlgoConfigGetAttribute(&results[k].algo, CUBLASLT_ALGO_CONFIG_ID, &id, 4, &written), "id");
				printf(" %d", id);
			}
			putchar('\n');
		}
	}
#endif
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	begin();
	if (!strcmp(what, "rebuild"))
		rebuild();
	else if (!strcmp(what, "lists"))
		lists();
	else if (!strcmp(what, "newer"))
		newer();
	else if (!strcmp(what, "shapes"))
		shapes();
	else if (!strcmp(what, "errors"))
		errors();
	else if (!strcmp(what, "garbage"))
		garbage();
	else if (!strcmp(what, "newest"))
		newest();
	else if (!strcmp(what, "masks"))
		masks();
	else if (argc > 2 && !strcmp(what, "save"))
		save(argv[2]);
	else if (argc > 2 && (!strcmp(what, "load") || !strcmp(what, "build")))
		load(argv[2], *what == 'b');
	else
		return 2;
	return 0;
}
