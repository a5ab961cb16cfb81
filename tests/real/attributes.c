/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An old program: compiled against the real header of one release, it sets and reads back every attribute of the list that
 * attributes.py writes (attributes.inc), on descriptors that it keeps on its own stack and on created ones. One line an
 * attribute; knows nothing of gangway. A caller's block lies between guards: nothing may write beyond it.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cublasLt.h>

typedef cublasStatus_t (*setter)(void *object, int attribute, const void *value, size_t size);
typedef cublasStatus_t (*getter)(const void *object, int attribute, void *value, size_t size, size_t *written);

struct attribute {
	const char *name;
	int value;
};

#define GUARD 256
#define BLOCK(type) struct { unsigned char before[GUARD]; type block; unsigned char after[GUARD]; }

static int bad;

static void guard(void *block, size_t size)
{
	memset((unsigned char *)block - GUARD, 0xa5, size + 2 * GUARD);
}

static void guarded(const char *what, const void *block, size_t size)
{
	const unsigned char *byte = (const unsigned char *)block - GUARD;
	size_t i;

	for (i = 0; i < GUARD; i++)
		if (byte[i] != 0xa5 || byte[GUARD + size + i] != 0xa5) {
			printf("%s WROTE BEYOND THE CALLER'S %zu BYTES\n", what, size);
			bad = 1;
			return;
		}
}

/* What to try, in order: the first one that is accepted and is not what stood there before. */
static const uint64_t values[] = {1, 2, 3, 0, 4, 8, 16, 32, 64, 68, 10, 5, 6, 7, 112, 256, 0x7f0000001000};

/* What an attribute was left at, so that all can be read again once all are set. */
struct left {
	unsigned char value[64];
	size_t size;	/* 0: nothing was set */
};

static void one(const char *what, void *object, const struct attribute *attribute, setter set, getter get, struct left *left)
{
	unsigned char before[64] = {0}, now[64], wanted[64];
	size_t size = 0, got = 0, i;
	cublasStatus_t status;

	printf("%s %s ", what, attribute->name);
	status = get(object, attribute->value, NULL, 0, &size);
	if (status != CUBLAS_STATUS_SUCCESS || size == 0 || size > sizeof(before)) {
		printf("unknown: status %d\n", (int)status);
		return;
	}
	status = get(object, attribute->value, before, size, &got);
	if (status != CUBLAS_STATUS_SUCCESS) {
		printf("size %zu cannot be read: status %d\n", size, (int)status);
		return;
	}
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t value = i == 0 && size == 8 ? 0x10000 + 16u * (unsigned)attribute->value : values[i];

		memset(wanted, 0, sizeof(wanted));
		memcpy(wanted, &value, size < sizeof(value) ? size : sizeof(value));
		if (!memcmp(wanted, before, size) || set(object, attribute->value, wanted, size) != CUBLAS_STATUS_SUCCESS)
			continue;
		memset(now, 0xee, sizeof(now));
		status = get(object, attribute->value, now, size, &got);
		printf("size %zu was", size);
		for (i = size; i-- > 0;)
			printf("%s%02x", i == size - 1 ? " " : "", before[i]);
		printf(" set %#llx %s\n", (unsigned long long)value,
		       status == CUBLAS_STATUS_SUCCESS && got == size && !memcmp(now, wanted, size) ? "read back" : "NOT READ BACK");
		bad |= status != CUBLAS_STATUS_SUCCESS || memcmp(now, wanted, size);
		memcpy(left->value, wanted, size);
		left->size = size;
		return;
	}
	printf("size %zu takes none of the values\n", size);
}

static void each(const char *what, void *object, const struct attribute *attributes, setter set, getter get)
{
	struct left left[64] = {0};
	unsigned char now[64];
	size_t i, got;

	for (i = 0; attributes[i].name; i++)
		one(what, object, &attributes[i], set, get, &left[i]);
	for (i = 0; attributes[i].name; i++)
		if (left[i].size && (get(object, attributes[i].value, now, left[i].size, &got) != CUBLAS_STATUS_SUCCESS ||
				     memcmp(now, left[i].value, left[i].size))) {
			printf("%s %s was changed by another one\n", what, attributes[i].name);
			bad = 1;
		}
}

static void status(const char *what, cublasStatus_t result)
{
	if (result != CUBLAS_STATUS_SUCCESS) {
		printf("%s: status %d\n", what, (int)result);
		bad = 1;
	}
}

#include "attributes.inc"

#define ACCESS(kind) (setter)cublasLt##kind##SetAttribute, (getter)cublasLt##kind##GetAttribute

static void own_blocks(void)
{
	BLOCK(cublasLtMatmulDescOpaque_t) desc;
	BLOCK(cublasLtMatrixLayoutOpaque_t) layout;
	BLOCK(cublasLtMatmulPreferenceOpaque_t) preference;
	BLOCK(cublasLtMatrixTransformDescOpaque_t) transform;
	cublasLtMatmulDescOpaque_t copy;

	guard(&desc.block, sizeof(desc.block));
	guard(&layout.block, sizeof(layout.block));
	guard(&preference.block, sizeof(preference.block));
	guard(&transform.block, sizeof(transform.block));
	status("MatmulDescInit", cublasLtMatmulDescInit(&desc.block, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	status("MatrixLayoutInit", cublasLtMatrixLayoutInit(&layout.block, CUDA_R_16F, 48, 32, 64));
	status("MatmulPreferenceInit", cublasLtMatmulPreferenceInit(&preference.block));
	status("MatrixTransformDescInit", cublasLtMatrixTransformDescInit(&transform.block, CUDA_R_32F));
	each("own MatmulDesc", &desc.block, matmul_desc, ACCESS(MatmulDesc));
	each("own MatrixLayout", &layout.block, matrix_layout, ACCESS(MatrixLayout));
	each("own MatmulPreference", &preference.block, matmul_preference, ACCESS(MatmulPreference));
	each("own MatrixTransformDesc", &transform.block, matrix_transform_desc, ACCESS(MatrixTransformDesc));
	memcpy(&copy, &desc.block, sizeof(copy));
	each("copied MatmulDesc", &copy, matmul_desc, ACCESS(MatmulDesc));
	guarded("MatmulDesc", &desc.block, sizeof(desc.block));
	guarded("MatrixLayout", &layout.block, sizeof(layout.block));
	guarded("MatmulPreference", &preference.block, sizeof(preference.block));
	guarded("MatrixTransformDesc", &transform.block, sizeof(transform.block));
}

static void created(void)
{
	cublasLtMatmulDesc_t desc = NULL;
	cublasLtMatrixLayout_t layout = NULL;
	cublasLtMatmulPreference_t preference = NULL;
	cublasLtMatrixTransformDesc_t transform = NULL;

	status("MatmulDescCreate", cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	status("MatrixLayoutCreate", cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, 48, 32, 64));
	status("MatmulPreferenceCreate", cublasLtMatmulPreferenceCreate(&preference));
	status("MatrixTransformDescCreate", cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F));
	if (bad)
		return;
	each("created MatmulDesc", desc, matmul_desc, ACCESS(MatmulDesc));
	each("created MatrixLayout", layout, matrix_layout, ACCESS(MatrixLayout));
	each("created MatmulPreference", preference, matmul_preference, ACCESS(MatmulPreference));
	each("created MatrixTransformDesc", transform, matrix_transform_desc, ACCESS(MatrixTransformDesc));
	status("MatmulDescDestroy", cublasLtMatmulDescDestroy(desc));
	status("MatrixLayoutDestroy", cublasLtMatrixLayoutDestroy(layout));
	status("MatmulPreferenceDestroy", cublasLtMatmulPreferenceDestroy(preference));
	status("MatrixTransformDescDestroy", cublasLtMatrixTransformDescDestroy(transform));
}

static cublasStatus_t algo_cap(const void *algo, int attribute, void *value, size_t size, size_t *written)
{
	return cublasLtMatmulAlgoCapGetAttribute(algo, (cublasLtMatmulAlgoCapAttributes_t)attribute, value, size, written);
}

/* Making an algorithm needs a GPU; the empty one that a caller starts from does not. */
static void algorithm(void)
{
	BLOCK(cublasLtMatmulAlgo_t) algo;
	const struct attribute *cap;

	guard(&algo.block, sizeof(algo.block));
	memset(&algo.block, 0, sizeof(algo.block));
	each("algorithm", &algo.block, algo_config, ACCESS(MatmulAlgoConfig));
	for (cap = algo_cap_list; cap->name; cap++) {
		size_t size = 0;
		cublasStatus_t result = algo_cap(&algo.block, cap->value, NULL, 0, &size);

		printf("algorithm %s size %zu status %d\n", cap->name, size, (int)result);
	}
	guarded("algorithm", &algo.block, sizeof(algo.block));
}

int main(void)
{
	fprintf(stderr, "header %d, library %zu, cudart %zu\n", CUBLAS_VERSION, cublasLtGetVersion(), cublasLtGetCudartVersion());
	own_blocks();
	created();
	algorithm();
	return bad;
}
