/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels by which an int8 product in memory orders that the GPU has no kernels for goes through plain order: gw_int8_gather lays both factors
 * out row by row, gw_int8_finish turns the sums into the result. No thread needs another, and each byte has one writer: the same bits each time.
 *
 * Compiled at development time alone, by `make-ptx` beside this file, to int8.ptx, which the driver compiles for the GPU there is. The tests
 * compile it as C and run it on the CPU (tests/fake/driver.c). Hence C that nvcc takes, too.
 */
#include "int8.h"

#ifdef __CUDACC__
#define GW_KERNEL extern "C" __global__ __launch_bounds__(GW_INT8_THREADS) void
#define GW_DEVICE static __device__ __forceinline__
#define GW_UNROLL _Pragma("unroll")
#define GW_ROLLED _Pragma("unroll 1")
#else
#include <math.h>
#define GW_KERNEL void
#define GW_DEVICE static inline
#define GW_UNROLL
#define GW_ROLLED
#endif

struct __attribute__((aligned(16))) words {
	uint32_t w[4];
};

/* Where element (i, j) lies in ORDER. */
GW_DEVICE int64_t gw_int8_at(int32_t order, int64_t ld, int64_t i, int64_t j)
{
	int64_t tile = (j >> 5) * ld, c = j & 31, r;

	switch (order) {
	case GW_INT8_COL:
		return i + j * ld;
	case GW_INT8_ROW:
		return j + i * ld;
	case GW_INT8_COL32:
		return tile + 32 * i + c;
	case GW_INT8_COL4_4R2_8C:
		r = i & 7;
		return tile + 256 * (i >> 3) + 128 * (r & 1) + 16 * (c >> 2) + 4 * (r >> 1) + (c & 3);
	default:
		r = i & 31;
		return tile + 1024 * (i >> 5) + 32 * (2 * (4 * ((r & 7) >> 1) + (r >> 3)) + (r & 1)) + c;
	}
}

/* Keeps the first COUNT bytes. */
GW_DEVICE struct words cut(struct words v, int32_t count)
{
	GW_UNROLL
	for (int32_t i = 0; i < 4; i++) {
		int32_t left = count - 4 * i;

		v.w[i] = left >= 4 ? v.w[i] : left <= 0 ? 0 : v.w[i] & ((1u << (8 * left)) - 1);
	}
	return v;
}

GW_DEVICE struct words none(void)
{
	struct words v;

	v.w[0] = v.w[1] = v.w[2] = v.w[3] = 0;
	return v;
}

GW_DEVICE void put(const struct gw_int8_factor *f, int64_t batch, int32_t row, int32_t column, struct words v)
{
	*(struct words *)(f->to + batch * f->to_stride + (int64_t)row * f->pitch + column) = cut(v, f->k - column);
}

GW_DEVICE struct words get(const struct gw_int8_factor *f, int64_t batch, int64_t at)
{
	return *(const struct words *)(f->from + batch * f->stride + at);
}

/* A warp: 16 rows, 128 bytes of each. Eight neighbours write 128 bytes of a row, and read 128 bytes of four rows. */
GW_DEVICE void gather_rows(const struct gw_int8_factor *f, int64_t batch, int32_t first, int32_t column, uint32_t lane)
{
	int32_t at = column + 32 * (int32_t)(lane >> 1 & 3) + 16 * (int32_t)(lane & 1);
	struct words v[4];
	int32_t row[4];

	if (at >= f->pitch)
		return;
	GW_UNROLL
	for (int32_t u = 0; u < 4; u++) {
		int32_t slot = first + 4 * u + (int32_t)(lane >> 3), s = slot & 31;

		row[u] = f->order == GW_INT8_COL32 ? slot : (slot & ~31) + 8 * (s >> 1 & 3) + 2 * (s >> 3) + (s & 1);
		v[u] = row[u] < f->rows && at < f->k ? get(f, batch, (int64_t)(at >> 5) * f->ld + 32 * (int64_t)slot + (at & 31)) : none();
	}
	GW_UNROLL
	for (int32_t u = 0; u < 4; u++)
		if (row[u] < f->rows)
			put(f, batch, row[u], at, v[u]);
}

/* 16 bytes of COL4_4R2_8C are 4 columns of 4 rows: four of these are 16 columns of 4 rows. */
GW_DEVICE void gather_fours(const struct gw_int8_factor *f, int64_t batch, int32_t first, int32_t column, uint32_t lane)
{
	int32_t at = column + 32 * (int32_t)(lane >> 2 & 3) + 16 * (int32_t)(lane & 1), odd = (int32_t)(lane >> 1 & 1);
	int32_t row = first + 8 * (int32_t)(lane >> 4) + odd;
	struct words v[4];

	if (at >= f->pitch || row >= f->rows)
		return;
	GW_UNROLL
	for (int32_t j = 0; j < 4; j++)
		v[j] = at + 4 * j < f->k ? get(f, batch, (int64_t)(at >> 5) * f->ld + 256 * (int64_t)(row >> 3) + 128 * odd + 4 * (at & 31) + 16 * j) :
					   none();
	GW_UNROLL
	for (int32_t t = 0; t < 4; t++) {
		struct words out;

		out.w[0] = v[0].w[t];
		out.w[1] = v[1].w[t];
		out.w[2] = v[2].w[t];
		out.w[3] = v[3].w[t];
		if (row + 2 * t < f->rows)
			put(f, batch, row + 2 * t, at, out);
	}
}

/* Any order, transposition and alignment, byte by byte. */
GW_DEVICE void gather_bytes(const struct gw_int8_factor *f, int64_t batch, int32_t first, int32_t column, uint32_t lane)
{
	int32_t at = column + 32 * (int32_t)(lane >> 1 & 3) + 16 * (int32_t)(lane & 1);

	if (at >= f->pitch)
		return;
	GW_ROLLED
	for (int32_t u = 0; u < 4; u++) {
		int32_t row = first + 4 * u + (int32_t)(lane >> 3);
		struct words v = none();

		if (row >= f->rows)
			return;
		GW_ROLLED
		for (int32_t i = 15; i >= 0; i--) {
			v.w[3] = v.w[3] << 8 | v.w[2] >> 24;
			v.w[2] = v.w[2] << 8 | v.w[1] >> 24;
			v.w[1] = v.w[1] << 8 | v.w[0] >> 24;
			v.w[0] <<= 8;
			if (at + i < f->k)
				v.w[0] |= (uint8_t)f->from[batch * f->stride + (f->transposed ? gw_int8_at(f->order, f->ld, at + i, row) :
													gw_int8_at(f->order, f->ld, row, at + i))];
		}
		put(f, batch, row, at, v);
	}
}

GW_KERNEL gw_int8_gather(struct gw_int8_gather p)
{
	uint32_t second = blockIdx.x >= p.factor[0].blocks, block = second ? blockIdx.x - p.factor[0].blocks : blockIdx.x;
	struct gw_int8_factor f = second ? p.factor[1] : p.factor[0];
	int32_t first = (int32_t)(block / f.across) * GW_INT8_TILE + (int32_t)(threadIdx.x >> 5) * 16;
	int32_t column = (int32_t)(block % f.across) * GW_INT8_TILE;

	if (!f.vector)
		gather_bytes(&f, blockIdx.z, first, column, threadIdx.x & 31);
	else if (f.order == GW_INT8_COL4_4R2_8C)
		gather_fours(&f, blockIdx.z, first, column, threadIdx.x & 31);
	else
		gather_rows(&f, blockIdx.z, first, column, threadIdx.x & 31);
}

GW_DEVICE float as_float(uint32_t bits)
{
#ifdef __CUDACC__
	return __uint_as_float(bits);
#else
	union { uint32_t bits; float value; } u = { bits };

	return u.value;
#endif
}

/* To nearest, ties to even, saturated; no number becomes 0, as the GPU's own conversion has it. */
GW_DEVICE int32_t round_to_int8(float value)
{
	value = value > 127.0f ? 127.0f : value < -128.0f ? -128.0f : value;
#ifdef __CUDACC__
	return __float2int_rn(value);
#else
	return value == value ? (int32_t)rintf(value) : 0;
#endif
}

/* Factor of row I. */
GW_DEVICE uint32_t factor(const void *at, int64_t index, uint32_t number)
{
	return at ? ((const uint32_t *)at)[index] : number;
}

/* Where element (x, y) of a result lies. */
GW_DEVICE int64_t place(int32_t order, int64_t ld, int32_t x, int32_t y)
{
	return order == GW_INT8_COL32 ? (int64_t)(x >> 5) * ld + 32 * (int64_t)y + (x & 31) : (int64_t)y * ld + x;
}

GW_DEVICE int32_t finish_one(const struct gw_int8_finish *p, int64_t batch, int32_t x, int32_t y, int32_t sum)
{
	int64_t row = p->order == GW_INT8_COL ? x : y, from = batch * p->c_stride + place(p->order, p->c_ld, x, y);
	uint32_t alpha = factor(p->alpha_at, batch * p->alpha_stride + row * p->alpha_step, p->alpha);
	uint32_t beta = p->c ? factor(p->beta_at, batch * p->alpha_stride * p->beta_step + row * p->beta_step, p->beta) : 0;
	float value;

	if (!p->is_float) {
		uint32_t result = alpha * (uint32_t)sum;

		if (beta)
			result += beta * (uint32_t)((const int32_t *)p->c)[from];
		return p->relu && (int32_t)result < 0 ? 0 : (int32_t)result;
	}
	value = as_float(alpha) * (float)sum;
	if (p->c && as_float(beta) != 0.0f)
		value += as_float(beta) * (float)((const int8_t *)p->c)[from];
	if (p->bias)
		value += p->bias[batch * p->bias_stride + row];
	if (p->relu && value < 0.0f)
		value = 0.0f;
	return round_to_int8(value);
}

GW_DEVICE void finish_four(const struct gw_int8_finish *p, int64_t batch, int32_t x, int32_t y, struct words sums)
{
	int64_t to = batch * p->stride + place(p->order, p->ld, x, y);
	int32_t left = p->x - x < 4 ? p->x - x : 4;
	struct words out = none();

	GW_UNROLL
	for (int32_t i = 0; i < 4; i++)
		if (i < left)
			out.w[i] = (uint32_t)finish_one(p, batch, x + i, y, (int32_t)sums.w[i]);
	if (p->is_float && p->vector && left == 4)
		*(uint32_t *)((int8_t *)p->d + to) = (out.w[0] & 255) | (out.w[1] & 255) << 8 | (out.w[2] & 255) << 16 | out.w[3] << 24;
	else if (p->vector && left == 4)
		*(struct words *)((int32_t *)p->d + to) = out;
	else if (p->is_float)
		for (int32_t i = 0; i < left; i++)
			((int8_t *)p->d)[to + i] = (int8_t)out.w[i];
	else
		for (int32_t i = 0; i < left; i++)
			((int32_t *)p->d)[to + i] = (int32_t)out.w[i];
}

/* A warp: 32 x, 16 y. A thread's four x lie within one tile of COL32. */
GW_KERNEL gw_int8_finish(struct gw_int8_finish p)
{
	int32_t x = (int32_t)(blockIdx.x * GW_INT8_FINISH_X + (threadIdx.x >> 5) * 32 + (threadIdx.x & 7) * 4);
	int32_t y = (int32_t)(blockIdx.y * GW_INT8_FINISH_Y + (threadIdx.x >> 3 & 3));
	const int32_t *sum = p.sum + (int64_t)blockIdx.z * p.sum_stride;
	struct words v[4];

	if (x >= p.x)
		return;
	GW_UNROLL
	for (int32_t u = 0; u < 4; u++)
		v[u] = y + 4 * u < p.y ? *(const struct words *)(sum + (int64_t)(y + 4 * u) * p.sum_ld + x) : none();
	/* The sums themselves: with more to do for each of them the kernel waits for its arithmetic, not for memory. */
	if (!p.is_float && !p.c && !p.alpha_at && p.alpha == 1 && !p.relu && p.vector && x + 4 <= p.x) {
		int32_t *to = (int32_t *)p.d + blockIdx.z * p.stride + place(p.order, p.ld, x, y);
		int64_t step = p.order == GW_INT8_COL32 ? 4 * 32 : 4 * p.ld;

		GW_UNROLL
		for (int32_t u = 0; u < 4; u++)
			if (y + 4 * u < p.y)
				*(struct words *)(to + u * step) = v[u];
		return;
	}
	GW_UNROLL
	for (int32_t u = 0; u < 4; u++)
		if (y + 4 * u < p.y)
			finish_four(&p, blockIdx.z, x, y + 4 * u, v[u]);
}
