/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those functions of <string.h> that the auditor and its compiler use: there is no C library to get
 * them from. Compiled freestanding, lest the compiler make a call of memcpy out of memcpy.
 */
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size; size--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int wanted)
{
	for (; *text != (char)wanted; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *strrchr(const char *text, int wanted)
{
	const char *last = NULL;

	do {
		if (*text == (char)wanted)
			last = text;
	} while (*text++);
	return (char *)last;
}

size_t strcspn(const char *text, const char *stop)
{
	size_t length = 0;

	while (text[length] && !strchr(stop, text[length]))
		length++;
	return length;
}

void *memmem(const void *in, size_t in_size, const void *wanted, size_t size)
{
	const char *at = in;

	for (; size <= in_size; at++, in_size--)
		if (!memcmp(at, wanted, size))
			return (void *)at;
	return NULL;
}

char *strstr(const char *in, const char *wanted)
{
	return memmem(in, strlen(in), wanted, strlen(wanted));
}
