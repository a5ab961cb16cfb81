/* SPDX-License-Identifier: Apache-2.0 */
/*
 * int8 products that no kernel of the library takes, in tiled orders or with odd sizes: both factors are laid out row by row in memory of our
 * own (nothing is remembered of them), the library multiplies that, and a kernel of ours turns the sums into D. Sums are exact in int32, so the
 * result has the bits that a kernel for the order would give.
 */
#include "lt_rescue.h"

#include <string.h>

#include "gw_lt.h"
#include "gw_values.h"
#include "kernel.h"
#include "kernels/int8.h"
#include "line.h"
#include "lt_descriptor.h"
#include "scratch.h"

#define MOST 0x7fffff00	/* rows and columns that the kernels count in 32 bits */
#define BATCHES 65535	/* of a grid */
#define WORKSPACE ((size_t)4 << 20)
#define ALIGNED(size) (((size) + 255) / 256 * 256)

_Static_assert(GW_VALUE_CUBLASLT_ORDER_COL == GW_INT8_COL && GW_VALUE_CUBLASLT_ORDER_ROW == GW_INT8_ROW &&
	       GW_VALUE_CUBLASLT_ORDER_COL32 == GW_INT8_COL32 && GW_VALUE_CUBLASLT_ORDER_COL4_4R2_8C == GW_INT8_COL4_4R2_8C &&
	       GW_VALUE_CUBLASLT_ORDER_COL32_2R_4R4 == GW_INT8_COL32_2R_4R4, "the kernels have cublasLt's numbers");

/* One product, worked out. Factors: P, whose rows the result's x runs over, and Q, for y. */
struct work {
	const struct gw_lt_terms *terms;
	struct gw_int8_gather gather;
	struct gw_int8_finish finish;
	struct gw_lt_block_room desc, layouts[3];
	void *layout[4];
	uint32_t alignment[4];
	cublasLtMatmulAlgo_t *algo;
	int64_t x, y, k, padded_x, padded_k, batch;
	size_t place[3], workspace, size;	/* of P, Q, the sums and the product's own workspace in our memory */
	bool kept[2];		/* factors that can be used where they lie */
};

static int64_t round_up(int64_t value, int64_t to)
{
	return (value + to - 1) / to * to;
}

/* The least leading dimension of a matrix in its order. */
static int64_t least_ld(const struct gw_lt_matrix *m)
{
	switch (m->order) {
	case GW_INT8_COL: return (int64_t)m->rows;
	case GW_INT8_ROW: return (int64_t)m->cols;
	case GW_INT8_COL32: return 32 * (int64_t)m->rows;
	case GW_INT8_COL4_4R2_8C: return 32 * round_up((int64_t)m->rows, 8);
	case GW_INT8_COL32_2R_4R4: return 32 * round_up((int64_t)m->rows, 32);
	default: return INT64_MAX;
	}
}

static bool is_tiled(const struct gw_lt_matrix *m)
{
	return m->order > GW_INT8_ROW;
}

/* Is this a product that cublasLt has for some GPU, or alignment? */
static bool is_ours(const struct gw_lt_terms *t)
{
	const struct gw_lt_matrix *a = &t->matrix[0], *b = &t->matrix[1], *c = &t->matrix[2], *d = &t->matrix[3];
	bool is_float = d->type == GW_VALUE_CUDA_R_8I;
	int i;

	if (!t->plain || (t->compute != GW_VALUE_CUBLAS_COMPUTE_32I && t->compute != GW_VALUE_CUBLAS_COMPUTE_32I_PEDANTIC) ||
	    a->type != GW_VALUE_CUDA_R_8I || b->type != a->type || c->type != d->type || c->order != d->order || d->order > GW_INT8_COL32 ||
	    (!is_float && d->type != GW_VALUE_CUDA_R_32I) || t->scale != (is_float ? GW_VALUE_CUDA_R_32F : GW_VALUE_CUDA_R_32I))
		return false;
	for (i = 0; i < 4; i++)
		if (t->matrix[i].order < 0 || t->matrix[i].order > GW_INT8_COL32_2R_4R4 || !t->matrix[i].rows || !t->matrix[i].cols ||
		    t->matrix[i].rows > MOST || t->matrix[i].cols > MOST || t->matrix[i].ld < least_ld(&t->matrix[i]))
			return false;
	if (d->batch < 1 || d->batch > BATCHES)
		return false;
	switch (t->epilogue) {
	case GW_VALUE_CUBLASLT_EPILOGUE_DEFAULT: case GW_VALUE_CUBLASLT_EPILOGUE_RELU:
		return true;
	case GW_VALUE_CUBLASLT_EPILOGUE_BIAS: case GW_VALUE_CUBLASLT_EPILOGUE_RELU_BIAS:
		return is_float && t->bias && (t->bias_type == -1 || t->bias_type == GW_VALUE_CUDA_R_32F);
	default:
		return false;
	}
}

/* Can factor WHICH (A: 0, B: 1) be multiplied where it lies? Each row of op(A), column of op(B), in one piece, all aligned. */
static bool can_keep(const struct gw_lt_terms *t, const struct gw_lt_product *p, int which, int64_t k, bool lines_padded)
{
	const struct gw_lt_matrix *m = &t->matrix[which];
	bool transposed = t->transpose[which] != GW_VALUE_CUBLAS_OP_N;
	int32_t order = transposed != (which == 1) ? GW_INT8_COL : GW_INT8_ROW;

	return m->order == order && k % 16 == 0 && m->ld % 16 == 0 && m->stride % 16 == 0 &&
	       gw_lt_alignment(which ? p->B : p->A) >= 16 && (!lines_padded || (transposed == (which == 1) ? m->rows : m->cols) % 4 == 0);
}

static void set_factor(struct work *w, int which, const void *from, int64_t rows)
{
	const struct gw_lt_matrix *m = &w->terms->matrix[which];
	struct gw_int8_factor *f = &w->gather.factor[which];

	f->from = from;
	f->ld = m->ld;
	f->stride = m->stride;
	f->rows = (int32_t)rows;
	f->k = (int32_t)w->k;
	f->pitch = (int32_t)w->padded_k;
	f->order = m->order;
	/* Of A, rows are multiplied; of B, columns. */
	f->transposed = (w->terms->transpose[which] != GW_VALUE_CUBLAS_OP_N) != (which == 1);
	f->vector = is_tiled(m) && !f->transposed && m->ld % 16 == 0 && (w->batch == 1 || m->stride % 16 == 0) && gw_lt_alignment(from) >= 16;
	f->across = (uint32_t)(round_up(w->padded_k, GW_INT8_TILE) / GW_INT8_TILE);
	f->blocks = w->kept[which] ? 0 : f->across * (uint32_t)(round_up(rows, GW_INT8_TILE) / GW_INT8_TILE);
}

static bool set_scalars(struct work *w, const struct gw_lt_product *p)
{
	struct gw_int8_finish *f = &w->finish;
	bool with_beta = p->beta && p->C;

	if (!p->alpha)
		return false;
	f->alpha_stride = w->terms->alpha_stride;
	switch (w->terms->pointer_mode) {
	case GW_VALUE_CUBLASLT_POINTER_MODE_HOST:
		memcpy(&f->alpha, p->alpha, sizeof(f->alpha));
		if (with_beta)
			memcpy(&f->beta, p->beta, sizeof(f->beta));
		break;
	case GW_VALUE_CUBLASLT_POINTER_MODE_DEVICE:
		f->alpha_at = p->alpha;
		f->beta_at = p->beta;
		f->alpha_stride = 0;
		break;
	case GW_VALUE_CUBLASLT_POINTER_MODE_DEVICE_VECTOR:
		f->beta_at = p->beta;
		f->beta_step = 1;
		f->alpha_at = p->alpha;
		f->alpha_step = 1;
		break;
	case GW_VALUE_CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
		if (with_beta)
			memcpy(&f->beta, p->beta, sizeof(f->beta));
		f->alpha_at = p->alpha;
		f->alpha_step = 1;
		break;
	case GW_VALUE_CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO:
		with_beta = false;
		f->alpha_at = p->alpha;
		f->alpha_step = 1;
		break;
	default:
		return false;
	}
	/* A factor of 0 means that C is not read: 0 and -0 alike. */
	f->c = with_beta && (f->beta_at || f->beta << 1 || (!f->is_float && f->beta)) ? p->C : NULL;
	return true;
}

static bool set_finish(struct work *w, const struct gw_lt_product *p)
{
	const struct gw_lt_terms *t = w->terms;
	const struct gw_lt_matrix *c = &t->matrix[2], *d = &t->matrix[3];
	struct gw_int8_finish *f = &w->finish;
	int32_t width = d->type == GW_VALUE_CUDA_R_8I ? 1 : 4;

	f->is_float = width == 1;
	f->d = p->D;
	f->sum_ld = w->padded_x;
	f->sum_stride = w->padded_x * w->y;
	f->ld = d->ld;
	f->stride = d->stride;
	f->c_ld = c->ld;
	f->c_stride = c->stride;
	f->x = (int32_t)w->x;
	f->y = (int32_t)w->y;
	f->order = d->order;
	f->relu = t->epilogue == GW_VALUE_CUBLASLT_EPILOGUE_RELU || t->epilogue == GW_VALUE_CUBLASLT_EPILOGUE_RELU_BIAS;
	f->bias = t->epilogue == GW_VALUE_CUBLASLT_EPILOGUE_BIAS || t->epilogue == GW_VALUE_CUBLASLT_EPILOGUE_RELU_BIAS ? t->bias : NULL;
	f->bias_stride = t->bias_stride;
	f->vector = gw_lt_alignment(p->D) >= (uint32_t)(4 * width) && d->ld % 4 == 0 && (w->batch == 1 || d->stride % 4 == 0);
	return set_scalars(w, p);
}

/* A matrix as the library multiplies it: LINES lines of K elements, columns of a plain matrix. */
static struct gw_lt_matrix lines_of(const struct work *w, int which, int64_t lines)
{
	const struct gw_lt_matrix *m = &w->terms->matrix[which];
	struct gw_lt_matrix plain = { .rows = (uint64_t)w->padded_k, .cols = (uint64_t)lines, .type = GW_VALUE_CUDA_R_8I, .batch = (int32_t)w->batch };

	plain.ld = w->kept[which] ? m->ld : w->padded_k;
	plain.stride = w->kept[which] ? m->stride : w->gather.factor[which].to_stride;
	return plain;
}

/* The sums: transpose(P) Q, or as the library says it, x by y in column order. */
static int32_t set_product(struct work *w, struct gw_call *call, const struct gw_lt_product *p, int first)
{
	struct gw_lt_matrix matrix[3] = { lines_of(w, first, w->padded_x), lines_of(w, 1 - first, w->y),
		{ .rows = (uint64_t)w->padded_x, .cols = (uint64_t)w->y, .ld = w->padded_x, .stride = w->padded_x * w->y,
		  .type = GW_VALUE_CUDA_R_32I, .batch = (int32_t)w->batch } };
	int32_t transpose = GW_VALUE_CUBLAS_OP_T;
	int i;

	if (!gw_lt_make_desc(call, &w->desc, GW_VALUE_CUBLAS_COMPUTE_32I, GW_VALUE_CUDA_R_32I) ||
	    gw_lt_native_set(call, GW_LT_MATMUL_DESC, &w->desc, GW_VALUE_CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose)))
		return GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	for (i = 0; i < 3; i++)
		if (!gw_lt_make_layout(call, &w->layouts[i], &matrix[i]))
			return GW_VALUE_CUBLAS_STATUS_NOT_SUPPORTED;
	for (i = 0; i < 4; i++)
		w->layout[i] = &w->layouts[i < 2 ? i : 2];
	w->alignment[0] = w->kept[first] ? 16 : 0;
	w->alignment[1] = w->kept[1 - first] ? 16 : 0;
	w->alignment[2] = w->alignment[3] = 0;
	return gw_lt_choose(call, p->handle, &w->desc, w->layout, WORKSPACE, w->alignment, w->algo);
}

/* How much of our memory it takes, and where what lies. False: more than a size can say. */
static bool set_places(struct work *w, int first)
{
	__extension__ typedef unsigned __int128 wide;
	int64_t rows[2] = { first ? w->y : w->padded_x, first ? w->padded_x : w->y };
	wide size = 0, part;
	int i;

	for (i = 0; i < 2; i++) {
		w->place[i] = (size_t)size;
		w->gather.factor[i].to_stride = (int64_t)ALIGNED((size_t)rows[i] * (size_t)w->padded_k);
		part = (wide)(size_t)w->gather.factor[i].to_stride * (size_t)w->batch;
		size += w->kept[i] ? 0 : part;
		if (size >> 60)
			return false;
	}
	w->place[2] = (size_t)size;
	size += ALIGNED((wide)(size_t)w->padded_x * (size_t)w->y * (size_t)w->batch * sizeof(int32_t));
	w->workspace = (size_t)size;
	size += WORKSPACE;
	w->size = (size_t)size;
	return !(size >> 60);
}

static bool launch(const struct gw_scratch_stream *look, void *kernel, unsigned x, unsigned y, int64_t batch, void *parameter)
{
	void *parameters[] = { parameter };

	return !look->driver->cuLaunchKernel(kernel, x, y, (unsigned)batch, GW_INT8_THREADS, 1, 1, 0, look->stream, parameters, NULL);
}

/* D is written by the last step alone: whatever fails before it leaves the program's own answer to be given. */
static bool run(struct work *w, const struct gw_lt_product *p, const struct gw_scratch_stream *look, const struct gw_kernels *kernels, uint64_t at,
		int first)
{
	static const int32_t one = 1, zero = 0;
	struct gw_int8_factor *f = w->gather.factor;
	const void *factor[2];
	int i;

	for (i = 0; i < 2; i++) {
		f[i].to = (int8_t *)(uintptr_t)(at + w->place[i]);
		factor[i] = w->kept[i] ? (const void *)f[i].from : f[i].to;
	}
	w->finish.sum = (const int32_t *)(uintptr_t)(at + w->place[2]);
	if (f[0].blocks + f[1].blocks && !launch(look, kernels->gather, f[0].blocks + f[1].blocks, 1, w->batch, &w->gather))
		return false;
	if (p->real(p->handle, (void *)&w->desc, &one, factor[first], w->layout[0], factor[1 - first], w->layout[1], &zero, w->finish.sum, w->layout[2],
		    (void *)(uintptr_t)w->finish.sum, w->layout[3], w->algo, (void *)(uintptr_t)(at + w->workspace), WORKSPACE, p->stream))
		return false;
	return launch(look, kernels->finish, (unsigned)(round_up(w->x, GW_INT8_FINISH_X) / GW_INT8_FINISH_X),
		      (unsigned)(round_up(w->y, GW_INT8_FINISH_Y) / GW_INT8_FINISH_Y), w->batch, &w->finish);
}

/* Everything that does not depend on our memory. Which of A and B is P is *FIRST. */
static bool plan(struct work *w, struct gw_call *call, const struct gw_lt_product *p, int *first)
{
	const struct gw_lt_terms *t = w->terms;
	int64_t m, n;
	int i;

	gw_lt_terms_sizes(t, &m, &n, &w->k);
	w->batch = t->matrix[3].batch;
	*first = t->matrix[3].order == GW_INT8_COL ? 0 : 1;
	w->x = *first ? n : m;
	w->y = *first ? m : n;
	w->padded_x = round_up(w->x, 4);
	w->padded_k = round_up(w->k, 32);
	for (i = 0; i < 2; i++)
		w->kept[i] = can_keep(t, p, i, w->k, i == *first);
	if (w->kept[0] || w->kept[1])
		w->padded_k = w->k;
	/* The kernel writes lines of a multiple of 32 bytes. */
	if (w->padded_k % 32 && !(w->kept[0] && w->kept[1])) {
		w->kept[0] = w->kept[1] = false;
		w->padded_k = round_up(w->k, 32);
	}
	if (round_up(w->y, GW_INT8_FINISH_Y) / GW_INT8_FINISH_Y > BATCHES || !set_places(w, *first))
		return false;
	set_factor(w, 0, p->A, m);
	set_factor(w, 1, p->B, n);
	return set_finish(w, p) && !set_product(w, call, p, *first);
}

static const char *name_of(int32_t order)
{
	static const char *const names[] = { "COL", "ROW", "COL32", "COL4_4R2_8C", "COL32_2R_4R4" };

	return names[order];
}

static void tell(const struct gw_call *call, enum gw_rescue rescue, const struct gw_lt_terms *t)
{
	char text[192];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "no kernel for int8 factors in ");
	gw_line_text(&line, name_of(t->matrix[0].order));
	gw_line_text(&line, " x ");
	gw_line_text(&line, name_of(t->matrix[1].order));
	gw_line_text(&line, rescue == GW_RESCUE_alignment ? " of these sizes and alignments" : " on this GPU");
	line.text[line.length] = 0;
	gw_redirect_tell(call, rescue, text, "; gangway lays them out in plain order and multiplies that");
}

static bool rescue_plainly(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue, int32_t *status)
{
	static const char *const why[] = {
		[GW_SCRATCH_CAPTURING] = "it was first met while a graph is captured, where no memory can be taken",
		[GW_SCRATCH_MEMORY] = "no device memory is left for it",
		[GW_SCRATCH_DRIVER] = "its stream cannot be used now",
	};
	bool done;
	_Alignas(16) unsigned char algo[GW_SIZE_cublasLtMatmulAlgo_t];
	struct work w = { .terms = terms, .algo = (cublasLtMatmulAlgo_t *)(void *)algo };
	const struct gw_driver *driver;
	const struct gw_kernels *kernels;
	struct gw_scratch_stream look;
	enum gw_scratch_failure failure;
	struct gw_scratch *block;
	uint64_t at;
	int first;

	if (!is_ours(terms) || !product->A || !product->B || !product->D)
		return false;
	driver = gw_driver();
	if (!driver || !plan(&w, call, product, &first))
		return false;
	failure = gw_scratch_look(driver, product->stream, &look);
	kernels = failure ? NULL : gw_kernels(driver, look.context, !look.capturing);
	if (!failure && !kernels && look.capturing)
		failure = GW_SCRATCH_CAPTURING;
	if (!failure && kernels)
		failure = gw_scratch_take(&look, product->handle, w.size, &block, &at);
	if (failure || !kernels) {
		gw_redirect_tell_not(call, rescue, failure ? why[failure] : "the driver does not load gangway's kernels");
		return false;
	}
	done = run(&w, product, &look, kernels, at, first);
	gw_scratch_give(&look, block);
	if (!done)
		return false;
	*status = 0;
	tell(call, rescue, terms);
	return true;
}

static bool any_tiled(const struct gw_lt_terms *terms)
{
	return is_tiled(&terms->matrix[0]) || is_tiled(&terms->matrix[1]) || is_tiled(&terms->matrix[3]);
}

bool gw_lt_rescue_int8_order(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			     int32_t *status)
{
	return any_tiled(terms) && rescue_plainly(call, product, terms, rescue, status);
}

bool gw_lt_rescue_alignment(struct gw_call *call, const struct gw_lt_product *product, const struct gw_lt_terms *terms, enum gw_rescue rescue,
			    int32_t *status)
{
	return !any_tiled(terms) && rescue_plainly(call, product, terms, rescue, status);
}
