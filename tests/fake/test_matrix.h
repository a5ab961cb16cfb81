/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the fakes: small matrices with known values, packed by the formulas of the vendor's header, written
 * independently of the code under test. Included by one C file each, after cmocka and fake_api.h.
 */
#ifndef FAKE_TEST_MATRIX_H
#define FAKE_TEST_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A reproducible stream of small numbers, so that integer and 16 bit results stay exact. */
static unsigned seed;

static inline int next_number(void)
{
	seed = seed * 1103515245u + 12345u;
	return (int)(seed >> 16) % 9 - 4;
}

static inline size_t ceiling(size_t value, size_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Where the vendor's header says that (row, col) lies; ld in elements. */
static inline size_t header_offset(int order, size_t row, size_t col, size_t ld)
{
	size_t tile = col / 32 * ld, c = col % 32;

	switch (order) {
	case CUBLASLT_ORDER_COL: return row + col * ld;
	case CUBLASLT_ORDER_ROW: return row * ld + col;
	case CUBLASLT_ORDER_COL32: return tile + row * 32 + c;
	case CUBLASLT_ORDER_COL4_4R2_8C:
		/* 8 rows by 32 columns; within it 8 inner tiles of 4 columns by 4 even, then 4 odd rows */
		return tile + row / 8 * 256 + (row % 2 ? 128 : 0) + c / 4 * 16 + row % 8 / 2 * 4 + c % 4;
	default:
		return tile + row / 32 * 1024 + (((row % 32 % 8) / 2 * 4 + row % 32 / 8) * 2 + row % 2) * 32 + c;
	}
}

static inline size_t least_ld(int order, size_t rows, size_t cols)
{
	switch (order) {
	case CUBLASLT_ORDER_COL: return ceiling(rows, 4);
	case CUBLASLT_ORDER_ROW: return ceiling(cols, 4);
	case CUBLASLT_ORDER_COL32: return 32 * rows;
	case CUBLASLT_ORDER_COL4_4R2_8C: return 32 * ceiling(rows, 8);
	default: return 32 * ceiling(rows, 32);
	}
}

/* A matrix, its plain values, and its layout for the library. */
struct matrix {
	size_t rows, cols, ld;
	int order;
	double *value;		/* [row * cols + col] */
	void *data;
	cublasLtMatrixLayout_t layout;
};

enum { ROOM = 64 * 1024 };

static inline void make(struct matrix *m, int type, int order, size_t rows, size_t cols)
{
	int32_t order32 = order;

	m->rows = rows;
	m->cols = cols;
	m->order = order;
	m->ld = least_ld(order, rows, cols);
	m->value = calloc(rows * cols, sizeof *m->value);
	m->data = calloc(1, ROOM);
	assert_true(m->value && m->data);
	assert_int_equal(cublasLtMatrixLayoutCreate(&m->layout, (cudaDataType)type, rows, cols, (int64_t)m->ld), 0);
	assert_int_equal(cublasLtMatrixLayoutSetAttribute(m->layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order32, sizeof order32), 0);
	for (size_t i = 0; i < rows * cols; i++)
		m->value[i] = next_number();
}

static inline void drop(struct matrix *m)
{
	assert_int_equal(cublasLtMatrixLayoutDestroy(m->layout), 0);
	free(m->value);
	free(m->data);
}

/* 16 bit floats of small integers, by their definition. */
static inline uint16_t half_of(double value)
{
	int exponent;
	double fraction = frexp(fabs(value), &exponent);

	if (value == 0)
		return 0;
	return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent - 1 + 15) << 10 | (int)((fraction * 2 - 1) * 1024));
}

static inline double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double value = exponent ? ldexp(1 + (bits & 1023) / 1024.0, exponent - 15) : ldexp((bits & 1023) / 1024.0, -14);

	return bits & 0x8000 ? -value : value;
}

static inline uint16_t brain_of(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return (uint16_t)(bits >> 16);
}

static inline double brain_value(uint16_t bits16)
{
	uint32_t bits = (uint32_t)bits16 << 16;
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

static inline void put(void *data, int type, size_t at, double value)
{
	switch (type) {
	case CUDA_R_8I: ((int8_t *)data)[at] = (int8_t)value; break;
	case CUDA_R_32I: ((int32_t *)data)[at] = (int32_t)value; break;
	case CUDA_R_16F: ((uint16_t *)data)[at] = half_of(value); break;
	case CUDA_R_16BF: ((uint16_t *)data)[at] = brain_of(value); break;
	case CUDA_R_64F: ((double *)data)[at] = value; break;
	default: ((float *)data)[at] = (float)value; break;
	}
}

static inline double get(const void *data, int type, size_t at)
{
	switch (type) {
	case CUDA_R_8I: return ((const int8_t *)data)[at];
	case CUDA_R_32I: return ((const int32_t *)data)[at];
	case CUDA_R_16F: return half_value(((const uint16_t *)data)[at]);
	case CUDA_R_16BF: return brain_value(((const uint16_t *)data)[at]);
	case CUDA_R_64F: return ((const double *)data)[at];
	default: return ((const float *)data)[at];
	}
}

static inline void pack(struct matrix *m, int type)
{
	for (size_t i = 0; i < m->rows; i++)
		for (size_t j = 0; j < m->cols; j++)
			put(m->data, type, header_offset(m->order, i, j, m->ld), m->value[i * m->cols + j]);
}

#endif
