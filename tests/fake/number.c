/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of single elements. Must not know of any library or release. */
#include "number.h"

#include <math.h>
#include <string.h>

static const unsigned char sizes[FAKE_TYPE_COUNT] = {
	[FAKE_F64] = 8, [FAKE_F32] = 4, [FAKE_F16] = 2, [FAKE_BF16] = 2, [FAKE_E4M3] = 1, [FAKE_E5M2] = 1,
	[FAKE_I8] = 1, [FAKE_U8] = 1, [FAKE_I32] = 4, [FAKE_I64] = 8, [FAKE_C32] = 8, [FAKE_C64] = 16,
};

/* A small binary float: EXPONENT and MANTISSA bits. SATURATE: overflow gives the largest finite value. */
struct small_float {
	int exponent, mantissa;
	bool has_infinity, saturate;
};

static const struct small_float half = { 5, 10, true, false };
static const struct small_float bfloat = { 8, 7, true, false };
static const struct small_float e4m3 = { 4, 3, false, true };
static const struct small_float e5m2 = { 5, 2, true, true };

size_t fake_size(enum fake_type type)
{
	return sizes[type];
}

bool fake_is_complex(enum fake_type type)
{
	return type == FAKE_C32 || type == FAKE_C64;
}

bool fake_is_integer(enum fake_type type)
{
	return type == FAKE_I8 || type == FAKE_U8 || type == FAKE_I32 || type == FAKE_I64;
}

static double decode(const struct small_float *f, unsigned bits)
{
	unsigned top = (1u << f->exponent) - 1, mask = (1u << f->mantissa) - 1;
	unsigned exponent = bits >> f->mantissa & top, mantissa = bits & mask;
	double sign = bits >> (f->exponent + f->mantissa) & 1 ? -1 : 1;
	int bias = (int)(top >> 1);

	if (exponent == top && f->has_infinity)
		return mantissa ? NAN : sign * INFINITY;
	if (exponent == top && mantissa == mask)
		return NAN;
	if (exponent == 0)
		return sign * ldexp(mantissa, 1 - bias - f->mantissa);
	return sign * ldexp(mantissa | (mask + 1), (int)exponent - bias - f->mantissa);
}

static unsigned largest(const struct small_float *f)
{
	unsigned top = (1u << f->exponent) - 1, mask = (1u << f->mantissa) - 1;

	return f->has_infinity ? ((top - 1) << f->mantissa | mask) : (top << f->mantissa | (mask - 1));
}

static unsigned encode(const struct small_float *f, double value)
{
	unsigned top = (1u << f->exponent) - 1, mask = (1u << f->mantissa) - 1;
	unsigned sign = (unsigned)(signbit(value) != 0) << (f->exponent + f->mantissa);
	int bias = (int)(top >> 1), exponent;
	double limit, rounded;

	if (isnan(value))
		return top << f->mantissa | mask;
	value = fabs(value);
	limit = decode(f, largest(f));
	if (value == 0)
		return sign;
	if (isinf(value) && f->has_infinity && !f->saturate)
		return sign | top << f->mantissa;
	if (isinf(value))
		return sign | largest(f);
	frexp(value, &exponent);
	exponent -= 1;
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	rounded = nearbyint(ldexp(value, f->mantissa - exponent));	/* ties to even: the default rounding mode */
	value = ldexp(rounded, exponent - f->mantissa);
	if (value > limit)
		return f->saturate ? (sign | largest(f)) : (sign | top << f->mantissa);
	if (rounded >= 2.0 * (mask + 1)) {
		rounded /= 2;
		exponent++;
	}
	if (rounded < mask + 1)
		return sign | (unsigned)rounded;
	return sign | ((unsigned)(exponent + bias) << f->mantissa | ((unsigned)rounded & mask));
}

static const struct small_float *small(enum fake_type type)
{
	switch (type) {
	case FAKE_F16: return &half;
	case FAKE_BF16: return &bfloat;
	case FAKE_E4M3: return &e4m3;
	case FAKE_E5M2: return &e5m2;
	default: return NULL;
	}
}

static double load_real(const char *at, enum fake_type type)
{
	union { double d; float f; uint16_t h; uint8_t u; int8_t b; int32_t i; int64_t l; } v;

	memcpy(&v, at, sizes[type]);
	switch (type) {
	case FAKE_F64: return v.d;
	case FAKE_F32: return v.f;
	case FAKE_F16: case FAKE_BF16: return decode(small(type), v.h);
	case FAKE_E4M3: case FAKE_E5M2: return decode(small(type), v.u);
	case FAKE_I8: return v.b;
	case FAKE_U8: return v.u;
	case FAKE_I32: return v.i;
	default: return (double)v.l;
	}
}

struct fake_number fake_load(const void *data, enum fake_type type, int64_t index)
{
	const char *at = (const char *)data + index * (int64_t)sizes[type];
	struct fake_number value = { 0, 0 };

	if (fake_is_complex(type)) {
		enum fake_type part = type == FAKE_C32 ? FAKE_F32 : FAKE_F64;

		value.re = load_real(at, part);
		value.im = load_real(at + sizes[part], part);
	} else {
		value.re = load_real(at, type);
	}
	return value;
}

static double clamp(double value, double low, double high)
{
	if (isnan(value))
		return 0;
	value = nearbyint(value);
	return value < low ? low : value > high ? high : value;
}

static void store_real(char *at, enum fake_type type, double value)
{
	union { double d; float f; uint16_t h; uint8_t u; int8_t b; int32_t i; int64_t l; } v;

	switch (type) {
	case FAKE_F64: v.d = value; break;
	case FAKE_F32: v.f = (float)value; break;
	case FAKE_F16: case FAKE_BF16: v.h = (uint16_t)encode(small(type), value); break;
	case FAKE_E4M3: case FAKE_E5M2: v.u = (uint8_t)encode(small(type), value); break;
	case FAKE_I8: v.b = (int8_t)clamp(value, INT8_MIN, INT8_MAX); break;
	case FAKE_U8: v.u = (uint8_t)clamp(value, 0, UINT8_MAX); break;
	case FAKE_I32: v.i = (int32_t)clamp(value, INT32_MIN, INT32_MAX); break;
	default: v.l = (int64_t)clamp(value, -9007199254740992.0, 9007199254740992.0); break;
	}
	memcpy(at, &v, sizes[type]);
}

void fake_store(void *data, enum fake_type type, int64_t index, struct fake_number value)
{
	char *at = (char *)data + index * (int64_t)sizes[type];

	if (fake_is_complex(type)) {
		enum fake_type part = type == FAKE_C32 ? FAKE_F32 : FAKE_F64;

		store_real(at, part, value.re);
		store_real(at + sizes[part], part, value.im);
	} else {
		store_real(at, type, value.re);
	}
}
