/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks the blocks of a product: shapes, types, orders, epilogue. Computes nothing. */
#include "lt_problem.h"

#include "cuda.h"
#include "entry.h"

static bool is_float8(int type)
{
	enum fake_type t;

	return fake_cuda_type(type, &t) && (t == FAKE_E4M3 || t == FAKE_E5M2);
}

static bool is_one_of(int type, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == type)
			return true;
	return false;
}

static bool float_types_fit(const struct lt_types *t)
{
	static const int in[] = { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_8I };
	static const int out[] = { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF };

	if (t->a == CUDA_C_32F)
		return t->scale == CUDA_C_32F && t->b == t->a && t->c == t->a && t->d == t->a;
	if (t->scale != CUDA_R_32F)
		return false;
	if (is_float8(t->a))
		return is_float8(t->b) && (is_one_of(t->d, out, 3) || is_float8(t->d)) && is_one_of(t->c, out, 3);
	return t->a == t->b && t->c == t->d && is_one_of(t->a, in, 4) && is_one_of(t->d, out, 3);
}

cublasStatus_t lt_types_check(const struct lt_types *t)
{
	bool fine;

	switch ((int)t->compute) {
	case CUBLAS_COMPUTE_16F: case CUBLAS_COMPUTE_16F_PEDANTIC:
		fine = t->scale == CUDA_R_16F && t->a == CUDA_R_16F && t->b == t->a && t->c == t->a && t->d == t->a;
		break;
	case CUBLAS_COMPUTE_32I: case CUBLAS_COMPUTE_32I_PEDANTIC:
		fine = t->a == CUDA_R_8I && t->b == CUDA_R_8I && t->c == t->d &&
		       ((t->scale == CUDA_R_32I && t->d == CUDA_R_32I) || (t->scale == CUDA_R_32F && t->d == CUDA_R_8I));
		break;
	case CUBLAS_COMPUTE_64F: case CUBLAS_COMPUTE_64F_PEDANTIC:
		fine = (t->a == CUDA_R_64F || t->a == CUDA_C_64F) && t->scale == t->a && t->b == t->a && t->c == t->a && t->d == t->a;
		break;
	case CUBLAS_COMPUTE_32F: case CUBLAS_COMPUTE_32F_PEDANTIC: case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF: case CUBLAS_COMPUTE_32F_FAST_TF32:
		fine = float_types_fit(t);
		break;
	default:
		fine = false;
	}
	return fine ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

static bool order_of(int64_t value, enum fake_order *order)
{
	switch (value) {
	case CUBLASLT_ORDER_COL: *order = FAKE_COL; return true;
	case CUBLASLT_ORDER_ROW: *order = FAKE_ROW; return true;
	case CUBLASLT_ORDER_COL32: *order = FAKE_COL32; return true;
	case CUBLASLT_ORDER_COL4_4R2_8C: *order = FAKE_COL4_4R2_8C; return true;
	case CUBLASLT_ORDER_COL32_2R_4R4: *order = FAKE_COL32_2R_4R4; return true;
	default: return false;
	}
}

static bool op_of(int64_t value, enum fake_op *op)
{
	switch (value) {
	case CUBLAS_OP_N: *op = FAKE_N; return true;
	case CUBLAS_OP_T: *op = FAKE_T; return true;
	case CUBLAS_OP_C: *op = FAKE_C; return true;
	default: return false;
	}
}

cublasStatus_t lt_matrix(const void *layout, struct fake_matrix *m, int *batch)
{
	if (!lt_block_valid(&lt_layout, layout))
		return CUBLAS_STATUS_INVALID_VALUE;
	*m = (struct fake_matrix){
		.rows = lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, 0),
		.cols = lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_COLS, 0),
		.ld = lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_LD, 0),
		.stride = lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 0),
	};
	*batch = (int)lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
	if (!order_of(lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_ORDER, 0), &m->order) || m->rows < 0 ||
	    m->cols < 0 || *batch < 0 || m->ld < fake_least_ld(m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!fake_cuda_type((int)lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, 0), &m->type) ||
	    lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, 0))
		return CUBLAS_STATUS_NOT_SUPPORTED;
#ifdef CUBLASLT_MATRIX_LAYOUT_BATCH_MODE
	if (lt_block_number(&lt_layout, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, CUBLASLT_BATCH_MODE_STRIDED) !=
	    CUBLASLT_BATCH_MODE_STRIDED)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#endif
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t read_pointer_mode(int64_t mode, struct fake_gemm *g)
{
	switch (mode) {
	case CUBLASLT_POINTER_MODE_HOST: case CUBLASLT_POINTER_MODE_DEVICE:
		return CUBLAS_STATUS_SUCCESS;
	case CUBLASLT_POINTER_MODE_DEVICE_VECTOR:
		g->alpha_vector = g->beta_vector = true;
		return CUBLAS_STATUS_SUCCESS;
	case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO: case CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST:
		g->alpha_vector = true;
		return CUBLAS_STATUS_SUCCESS;
	default:
		return CUBLAS_STATUS_INVALID_VALUE;
	}
}

#define NUMBER(id) lt_block_number(&lt_matmul, desc, id, 0)
#define POINTER(id) lt_block_pointer(&lt_matmul, desc, id)

static enum fake_activation activation_of(int64_t epilogue)
{
	if ((epilogue & CUBLASLT_EPILOGUE_DGELU) == CUBLASLT_EPILOGUE_DGELU)
		return FAKE_DGELU;
	if ((epilogue & CUBLASLT_EPILOGUE_DRELU) == CUBLASLT_EPILOGUE_DRELU)
		return FAKE_DRELU;
	if (epilogue & CUBLASLT_EPILOGUE_GELU)
		return FAKE_GELU;
	return epilogue & CUBLASLT_EPILOGUE_RELU ? FAKE_RELU : FAKE_IDENTITY;
}

static bool epilogue_known(int64_t epilogue)
{
	static const int known[] = {
		CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_BIAS,
		CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_DRELU,
		CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_BIAS,
		CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA,
		CUBLASLT_EPILOGUE_BGRADB,
	};

	return is_one_of((int)epilogue, known, sizeof known / sizeof *known);
}

/* The type of bias and bias gradient: told, else the product's, else (int8 results) the scale's. */
static cublasStatus_t read_bias(const void *desc, struct fake_gemm *g)
{
	int64_t told = -1;

	g->bias_type = g->d.type == FAKE_I8 ? g->scale : g->d.type == FAKE_E4M3 || g->d.type == FAKE_E5M2 ? FAKE_F16 : g->d.type;
	g->bias_stride = NUMBER(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
#ifdef CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
	told = lt_block_number(&lt_matmul, desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, -1);
#endif
	if (told != -1 && !fake_cuda_type((int)told, &g->bias_type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t read_aux(const void *desc, struct fake_gemm *g, bool with_aux)
{
	int64_t told = -1;

	g->aux_type = g->d.type;
#ifdef CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE
	told = lt_block_number(&lt_matmul, desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, -1);
	if (POINTER(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER))
		g->aux_scale = *(const float *)POINTER(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER);
#endif
	if (told != -1 && !fake_cuda_type((int)told, &g->aux_type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!with_aux)
		return CUBLAS_STATUS_SUCCESS;
	g->aux = POINTER(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
	g->aux_ld = NUMBER(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
	g->aux_stride = NUMBER(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
	if (g->aux_ld < g->d.rows || ((g->activation == FAKE_RELU || g->activation == FAKE_DRELU) && g->aux_ld % 128))
		return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t read_epilogue(const void *desc, struct fake_gemm *g)
{
	int64_t epilogue = NUMBER(CUBLASLT_MATMUL_DESC_EPILOGUE);
	int64_t aux_bit = CUBLASLT_EPILOGUE_RELU_AUX & ~(int64_t)CUBLASLT_EPILOGUE_RELU;
	int64_t grad_bit = CUBLASLT_EPILOGUE_DRELU_BGRAD & ~(int64_t)CUBLASLT_EPILOGUE_DRELU;
	cublasStatus_t status;
	void *bias = POINTER(CUBLASLT_MATMUL_DESC_BIAS_POINTER);

	if (!epilogue_known(epilogue))
		return CUBLAS_STATUS_INVALID_VALUE;
	g->activation = activation_of(epilogue);
	g->grad = epilogue & CUBLASLT_EPILOGUE_BGRADA ? FAKE_GRAD_A : epilogue & CUBLASLT_EPILOGUE_BGRADB ? FAKE_GRAD_B :
		  (g->activation == FAKE_DRELU || g->activation == FAKE_DGELU) && epilogue & grad_bit ? FAKE_GRAD_D : FAKE_NO_GRAD;
	if (epilogue & CUBLASLT_EPILOGUE_BIAS)
		g->bias = bias;
	else if (g->grad)
		g->grad_out = bias;
	status = read_bias(desc, g);
	return status ? status : read_aux(desc, g, epilogue & aux_bit);
}

static void read_scales(const void *desc, struct fake_gemm *g)
{
	(void)desc;
	(void)g;
#ifdef CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
	const float *a = POINTER(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER), *b = POINTER(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
	const float *d = POINTER(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER);

	g->extra = (a ? *a : 1.0) * (b ? *b : 1.0);
	g->d_scale = d ? *d : 1.0;
	g->amax = POINTER(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER);
#endif
}

/* What kernels of the real libraries demand of int8: quartets of elements in the plain orders. */
static cublasStatus_t check_int8(const struct fake_gemm *g)
{
	bool tiled = g->a.order > FAKE_ROW || g->b.order > FAKE_ROW;

	if (g->a.type != FAKE_I8)
		return tiled ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
	if (tiled && fake_option(FAKE_REFUSE_TILED))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!tiled && (g->a.ld % 4 || g->b.ld % 4))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t read_ops(const void *desc, struct fake_gemm *g)
{
	enum fake_op op_c;
	int64_t fill = lt_block_number(&lt_matmul, desc, CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLAS_FILL_MODE_FULL);

	if (!op_of(NUMBER(CUBLASLT_MATMUL_DESC_TRANSA), &g->op_a) || !op_of(NUMBER(CUBLASLT_MATMUL_DESC_TRANSB), &g->op_b) ||
	    !op_of(NUMBER(CUBLASLT_MATMUL_DESC_TRANSC), &op_c))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (op_c != FAKE_N)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	g->triangle = fill == CUBLAS_FILL_MODE_LOWER ? 1 : fill == CUBLAS_FILL_MODE_UPPER ? 2 : 0;
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t check_shapes(const struct fake_gemm *g)
{
	int64_t k = g->op_a == FAKE_N ? g->a.cols : g->a.rows;

	if ((g->op_a == FAKE_N ? g->a.rows : g->a.cols) != g->d.rows || (g->op_b == FAKE_N ? g->b.rows : g->b.cols) != k ||
	    (g->op_b == FAKE_N ? g->b.cols : g->b.rows) != g->d.cols || g->c.rows != g->d.rows || g->c.cols != g->d.cols)
		return CUBLAS_STATUS_INVALID_VALUE;
	if ((g->a.type == FAKE_E4M3 || g->a.type == FAKE_E5M2) && (g->op_a == FAKE_N || g->op_b != FAKE_N))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_problem(const void *desc, const void *a, const void *b, const void *c, const void *d, struct fake_gemm *g)
{
	const void *layouts[] = { a, b, c, d };
	struct fake_matrix *matrices[] = { &g->a, &g->b, &g->c, &g->d };
	struct lt_types types;
	int *type_of[] = { &types.a, &types.b, &types.c, &types.d }, batch[4];
	cublasStatus_t status;

	fake_gemm_init(g);
	if (!lt_block_valid(&lt_matmul, desc))
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int i = 0; i < 4; i++) {
		status = lt_matrix(layouts[i], matrices[i], &batch[i]);
		if (status)
			return status;
		*type_of[i] = (int)lt_block_number(&lt_layout, layouts[i], CUBLASLT_MATRIX_LAYOUT_TYPE, 0);
		if (batch[i] != batch[0])
			return CUBLAS_STATUS_INVALID_VALUE;
	}
	types.compute = (int)NUMBER(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
	types.scale = (int)NUMBER(CUBLASLT_MATMUL_DESC_SCALE_TYPE);
	g->batch = batch[0];
	g->alpha_stride = NUMBER(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE);
	status = lt_types_check(&types);
	if (!status && !fake_cuda_type(types.scale, &g->scale))
		status = CUBLAS_STATUS_NOT_SUPPORTED;
	if (!status)
		status = read_ops(desc, g);
	if (!status)
		status = check_shapes(g);
	if (!status)
		status = check_int8(g);
	if (!status)
		status = read_pointer_mode(NUMBER(CUBLASLT_MATMUL_DESC_POINTER_MODE), g);
	if (!status)
		status = read_epilogue(desc, g);
	read_scales(desc, g);
	return status;
}
