/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that every run has alike, and the formats in which GPUs take them (step.h). */
#include "step.h"

#include <math.h>
#include <string.h>

double gw_random(uint64_t *state, unsigned steps)
{
	double value;

	/* Knuth's MMIX generator: its high bits are good enough for numbers that shall only differ. */
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	value = (double)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1;
	return steps ? nearbyint(value * steps) / steps : value;
}

/* Sign, exponent with the usual bias, mantissa; what is too large is not used here. */
static uint32_t encode(const struct gw_format *format, double value)
{
	int bias = (1 << (format->exponent - 1)) - 1, exponent;
	uint32_t sign = signbit(value) ? UINT32_C(1) << (format->exponent + format->mantissa) : 0;
	double size = fabs(value), unit;

	if (size == 0)
		return sign;
	frexp(size, &exponent); /* size is below 2 to it */
	if (exponent - 1 < 1 - bias)
		exponent = 2 - bias;
	unit = ldexp(1, exponent - 1 - (int)format->mantissa);
	/* A number that rounds up to the next power of two carries into the exponent, as it should. */
	return sign | (uint32_t)((int64_t)nearbyint(size / unit) + ((int64_t)(exponent - 1 + bias - 1) << format->mantissa));
}

static double decode(const struct gw_format *format, uint32_t bits)
{
	int bias = (1 << (format->exponent - 1)) - 1, exponent = (int)(bits >> format->mantissa & ((1u << format->exponent) - 1));
	uint32_t mantissa = bits & ((1u << format->mantissa) - 1);
	double value;

	/* E4M3 (exponent 4) has no infinity, and numbers where others have it. */
	if (exponent == (1 << format->exponent) - 1 && format->exponent != 4)
		value = mantissa ? (double)NAN : (double)INFINITY;
	else if (exponent)
		value = ldexp((1u << format->mantissa) + mantissa, exponent - bias - (int)format->mantissa);
	else
		value = ldexp(mantissa, 1 - bias - (int)format->mantissa);
	return bits >> (format->exponent + format->mantissa) & 1 ? -value : value;
}

void gw_number_store(const struct gw_format *format, void *data, size_t index, double value)
{
	unsigned char *at = (unsigned char *)data + index * format->size;
	float single = (float)value;
	int64_t whole = llrint(value);
	uint32_t bits;

	if (format->is_integer) {
		memcpy(at, &whole, format->size); /* little endian, as all of this is */
	} else if (format->exponent) {
		bits = encode(format, value);
		memcpy(at, &bits, format->size);
	} else if (format->size == sizeof single) {
		memcpy(at, &single, sizeof single);
	} else {
		memcpy(at, &value, sizeof value);
	}
}

double gw_number_load(const struct gw_format *format, const void *data, size_t index)
{
	const unsigned char *at = (const unsigned char *)data + index * format->size;
	int8_t byte;
	int32_t word;
	float single;
	double value;
	uint32_t bits = 0;

	if (format->is_integer) {
		memcpy(&byte, at, sizeof byte);
		if (format->size == sizeof byte)
			return byte;
		memcpy(&word, at, sizeof word);
		return word;
	}
	if (format->exponent) {
		memcpy(&bits, at, format->size);
		return decode(format, bits);
	}
	if (format->size == sizeof single) {
		memcpy(&single, at, sizeof single);
		return single;
	}
	memcpy(&value, at, sizeof value);
	return value;
}
