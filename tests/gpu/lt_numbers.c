/* SPDX-License-Identifier: Apache-2.0 */
#include "lt_numbers.h"

#include <string.h>

/* A floating type: sign, exponent, fraction, from the top. exponent: the field's value for 1.0. */
static const struct format {
	const char *name;	/* without R_ or C_ */
	int bits, fraction;
	uint64_t exponent;	/* 0: whole numbers, or any bits */
} formats[] = {
	{"16F", 16, 10, 15}, {"16BF", 16, 7, 127}, {"32F", 32, 23, 127}, {"64F", 64, 52, 1023}, {"8F_E4M3", 8, 3, 7}, {"8F_E5M2", 8, 2, 15},
	{"8I", 8, 0, 0}, {"8U", 8, 0, 0}, {"32I", 32, 0, 0}, {"4F_E2M1", 4, 0, 0},
};

static const struct format *format_of(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]) && strlen(type) > 2; i++)
		if (!strcmp(type + 2, formats[i].name))
			return &formats[i];
	return NULL;
}

int numbers_bits(const char *type)
{
	const struct format *format = format_of(type);

	return format ? format->bits * (type[0] == 'C' ? 2 : 1) : 0;
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void numbers_fill(const char *type, uint64_t seed, void *memory, size_t size)
{
	const struct format *format = format_of(type);
	unsigned char *at = memory;
	size_t each = format && format->bits >= 8 ? (size_t)format->bits / 8 : 1, i;

	for (i = 0; i + each <= size; i += each) {
		uint64_t random = next(&seed), bits = random;

		if (format && format->exponent) {
			uint64_t exponent = format->exponent - random % 4;

			bits = (random >> 8 & 1) << (format->bits - 1) | exponent << format->fraction |
			       (random >> 9 & ((UINT64_C(1) << format->fraction) - 1));
		} else if (each == 4) {
			bits = random % 256 - 128;
		}
		memcpy(at + i, &bits, each);
	}
}

void numbers_scalar(const char *type, double value, void *memory)
{
	const struct format *format = format_of(type);
	uint64_t bits, exponent;

	memset(memory, 0, 16);
	if (!format)
		return;
	if (!format->exponent) {
		int32_t whole = (int32_t)value;

		memcpy(memory, &whole, (size_t)format->bits / 8);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	exponent = (bits >> 52 & 0x7ff) - 1023 + format->exponent;
	bits = (bits >> 63) << (format->bits - 1) | exponent << format->fraction |
	       (bits & ((UINT64_C(1) << 52) - 1)) >> (52 - format->fraction);
	memcpy(memory, &bits, (size_t)format->bits / 8);
}

uint64_t numbers_hash(uint64_t before, const void *memory, size_t size)
{
	const unsigned char *at = memory;
	uint64_t hash = before ^ 0xcbf29ce484222325 ^ size, word;
	size_t i;

	for (i = 0; i < size; i += sizeof(word)) {
		word = 0;
		memcpy(&word, at + i, size - i < sizeof(word) ? size - i : sizeof(word));
		hash = (hash ^ word) * 0x100000001b3;
		hash ^= hash >> 29;
	}
	return hash;
}
