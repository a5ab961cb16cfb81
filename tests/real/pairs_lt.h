/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about cublasLt's descriptors: each attribute of the program's own header on blocks that the caller allocates (between
 * guards), on their copies, on blocks that are initialised again, and on created descriptors.
 */
typedef cublasStatus_t (*lt_setter)(void *object, int attribute, const void *value, size_t size);
typedef cublasStatus_t (*lt_getter)(const void *object, int attribute, void *value, size_t size, size_t *written);

struct lt_attribute {
	const char *name;
	int attribute;
	const struct constant *values;	/* of its enum; NULL: a number */
};

struct lt_kind {
	const char *name;
	const struct lt_attribute *attributes;
	lt_setter set;	/* NULL: read alone */
	lt_getter get;
	size_t size;
	cublasStatus_t (*init)(void *block);
	cublasStatus_t (*create)(void **object);
	cublasStatus_t (*destroy)(void *object);
};

#define GUARD 256
#define S(status) named(e_cublasStatus_t, (long long)(status))

struct lt_block {
	unsigned char bytes[GUARD + 1024 + GUARD] __attribute__((aligned(64)));
};

static void *lt_guarded(struct lt_block *block)
{
	memset(block->bytes, 0xa5, sizeof(block->bytes));
	return block->bytes + GUARD;
}

static void lt_check(const char *name, const struct lt_block *block, size_t size)
{
	size_t i;

	for (i = 0; i < GUARD; i++)
		if (block->bytes[i] != 0xa5 || block->bytes[GUARD + size + i] != 0xa5) {
			say("%s\twrites beyond the caller's %zu bytes\n", name, size);
			return;
		}
	say("%s\tkeeps to the caller's %zu bytes\n", name, size);
}

static void lt_value(const unsigned char *value, size_t size, const struct constant *list)
{
	uint64_t number = 0;
	size_t i;

	if (size <= 8) {
		memcpy(&number, value, size);
		say(" %s", list && size == 4 ? named(list, (int32_t)number) : "");
		if (!list || size != 4)
			say("%#llx", (unsigned long long)number);
		return;
	}
	say(" ");
	for (i = 0; i < size && i < 64; i++)
		say("%02x", value[i]);
}

/* What the attribute is now. Returns its size, 0 when it cannot be read. */
static size_t lt_read(const struct lt_kind *kind, const void *object, const struct lt_attribute *a)
{
	unsigned char value[64];
	size_t size = 0, written = 0;
	cublasStatus_t status = kind->get(object, a->attribute, NULL, 0, &size);

	if (status != CUBLAS_STATUS_SUCCESS || size == 0 || size > sizeof(value)) {
		say(" %s size %zu", S(status), size);
		return 0;
	}
	memset(value, 0xee, sizeof(value));
	status = kind->get(object, a->attribute, value, size, &written);
	say(" %s size %zu written %zu", S(status), size, written);
	lt_value(value, size, a->values);
	return size;
}

static void lt_set(const struct lt_kind *kind, const char *what, void *object, const struct lt_attribute *a, uint64_t number, size_t size)
{
	unsigned char value[64] = {0};

	memcpy(value, &number, size < 8 ? size : 8);
	say("%s %s %s set ", what, kind->name, a->name);
	if (a->values && size == 4)
		say("%s\t", named(a->values, (int32_t)number));
	else
		say("%#llx\t", (unsigned long long)number);
	say("%s:", S(kind->set(object, a->attribute, value, size)));
	lt_read(kind, object, a);
	say("\n");
}

static void lt_sizes(const struct lt_kind *kind, const char *what, void *object, const struct lt_attribute *a, size_t size)
{
	unsigned char value[128] = {0}, got[128];
	const size_t sizes[] = {0, 1, size / 2, size - 1, size + 1, size * 2, 64};
	size_t i, written;

	kind->get(object, a->attribute, value, size, &written);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i] == size)
			continue;
		written = 77;
		memset(got, 0xee, sizeof(got));
		say("%s %s %s size %zu\t", what, kind->name, a->name, sizes[i]);
		say("get %s written %zu", S(kind->get(object, a->attribute, got, sizes[i], &written)), written);
		if (kind->set)
			say(" set %s", S(kind->set(object, a->attribute, value, sizes[i])));
		say("\n");
	}
	written = 77;
	say("%s %s %s NULL\t", what, kind->name, a->name);
	say("get %s written %zu", S(kind->get(object, a->attribute, NULL, size, &written)), written);
	say(" get without written %s", S(kind->get(object, a->attribute, got, size, NULL)));
	say(" neither %s", S(kind->get(object, a->attribute, NULL, 0, NULL)));
	if (kind->set)
		say(" set %s", S(kind->set(object, a->attribute, NULL, size)));
	say("\n");
}

static void lt_each(const struct lt_kind *kind, const char *what, void *object)
{
	const struct lt_attribute *a;
	const struct constant *c;
	size_t size;

	for (a = kind->attributes; a->name; a++) {
		say("%s %s %s at first\t", what, kind->name, a->name);
		size = lt_read(kind, object, a);
		say("\n");
		if (!size)
			size = 4;
		lt_sizes(kind, what, object, a, size);
		if (!kind->set)
			continue;
		for (c = a->values; c && c->name; c++)
			lt_set(kind, what, object, a, (uint64_t)c->value, size);
		if (!a->values) {
			lt_set(kind, what, object, a, 1, size);
			lt_set(kind, what, object, a, 2, size);
			lt_set(kind, what, object, a, 0x10000 + 16u * (unsigned)a->attribute, size);
		}
	}
}

static void lt_now(const struct lt_kind *kind, const char *what, const void *object)
{
	const struct lt_attribute *a;

	for (a = kind->attributes; a->name; a++) {
		say("%s %s %s now\t", what, kind->name, a->name);
		lt_read(kind, object, a);
		say("\n");
	}
}

static void lt_unknown(const struct lt_kind *kind, const char *what, void *object)
{
	static const int unknown[] = {-1, 999, 0x7fffffff};
	unsigned char value[64] = {0};
	size_t i, written;

	for (i = 0; i < 3; i++) {
		written = 77;
		say("%s %s attribute %d\t", what, kind->name, unknown[i]);
		say("get %s written %zu", S(kind->get(object, unknown[i], value, 4, &written)), written);
		if (kind->set)
			say(" set %s", S(kind->set(object, unknown[i], value, 4)));
		say("\n");
	}
}

static void lt_own(const struct lt_kind *kind)
{
	struct lt_block block, copy;
	void *own = lt_guarded(&block), *other = lt_guarded(&copy);

	if (!kind->size)
		return;
	say("own %s init\t%s\n", kind->name, S(kind->init(own)));
	lt_now(kind, "own fresh", own);
	lt_each(kind, "own", own);
	lt_unknown(kind, "own", own);
	lt_now(kind, "own", own);
	memcpy(other, own, kind->size);
	lt_now(kind, "copied", other);
	lt_each(kind, "copy", other);
	lt_now(kind, "copied from", own);
	say("own %s init again\t%s\n", kind->name, S(kind->init(own)));
	lt_now(kind, "initialised again", own);
	lt_now(kind, "copy, after that", other);
	lt_check(kind->name, &block, kind->size);
	lt_check(kind->name, &copy, kind->size);
}

static void lt_created(const struct lt_kind *kind)
{
	void *object = NULL;

	if (!kind->create)
		return;
	say("created %s\t%s\n", kind->name, S(kind->create(&object)));
	if (!object)
		return;
	lt_now(kind, "created fresh", object);
	lt_each(kind, "created", object);
	lt_unknown(kind, "created", object);
	lt_now(kind, "created", object);
	say("created %s destroyed\t%s\n", kind->name, S(kind->destroy(object)));
}

/* Each type with each other one: what can be made at all. */
static void lt_types(void)
{
	const struct constant *a, *b;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t layout;
	cublasLtMatrixTransformDesc_t transform;

	for (a = e_cublasComputeType_t; a->name; a++)
		for (b = e_cudaDataType_t; b->name; b++) {
			cublasStatus_t status = cublasLtMatmulDescCreate(&desc, (cublasComputeType_t)a->value, (cudaDataType_t)b->value);

			say("MatmulDescCreate %s %s\t%s\n", a->name, b->name, S(status));
			if (status == CUBLAS_STATUS_SUCCESS)
				cublasLtMatmulDescDestroy(desc);
		}
	for (b = e_cudaDataType_t; b->name; b++) {
		cublasStatus_t status = cublasLtMatrixLayoutCreate(&layout, (cudaDataType_t)b->value, 48, 32, 64);

		say("MatrixLayoutCreate %s\t%s\n", b->name, S(status));
		if (status == CUBLAS_STATUS_SUCCESS)
			cublasLtMatrixLayoutDestroy(layout);
		status = cublasLtMatrixTransformDescCreate(&transform, (cudaDataType_t)b->value);
		say("MatrixTransformDescCreate %s\t%s\n", b->name, S(status));
		if (status == CUBLAS_STATUS_SUCCESS)
			cublasLtMatrixTransformDescDestroy(transform);
	}
}

static cublasStatus_t init_MatmulDesc(void *block) { return cublasLtMatmulDescInit(block, CUBLAS_COMPUTE_32F, CUDA_R_32F); }
static cublasStatus_t init_MatrixLayout(void *block) { return cublasLtMatrixLayoutInit(block, CUDA_R_16F, 48, 32, 64); }
static cublasStatus_t init_MatmulPreference(void *block) { return cublasLtMatmulPreferenceInit(block); }
static cublasStatus_t init_MatrixTransformDesc(void *block) { return cublasLtMatrixTransformDescInit(block, CUDA_R_32F); }
static cublasStatus_t init_algo(void *block)
{
	memset(block, 0, sizeof(cublasLtMatmulAlgo_t));
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t create_MatmulDesc(void **object)
{
	return cublasLtMatmulDescCreate((cublasLtMatmulDesc_t *)object, CUBLAS_COMPUTE_32F, CUDA_R_32F);
}
static cublasStatus_t create_MatrixLayout(void **object)
{
	return cublasLtMatrixLayoutCreate((cublasLtMatrixLayout_t *)object, CUDA_R_16F, 48, 32, 64);
}
static cublasStatus_t create_MatmulPreference(void **object)
{
	return cublasLtMatmulPreferenceCreate((cublasLtMatmulPreference_t *)object);
}
static cublasStatus_t create_MatrixTransformDesc(void **object)
{
	return cublasLtMatrixTransformDescCreate((cublasLtMatrixTransformDesc_t *)object, CUDA_R_32F);
}
#ifdef HAVE_cublasLtEmulationDescCreate
static cublasStatus_t init_EmulationDesc(void *block) { return cublasLtEmulationDescInit(block); }
static cublasStatus_t create_EmulationDesc(void **object) { return cublasLtEmulationDescCreate((cublasLtEmulationDesc_t *)object); }
#endif
