/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of abigen needs: memory that lives until the end, one way to report an error,
 * output files, a hash. */
#include "gen.h"

#include <errno.h>
#include <obstack.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static struct obstack memory;
static bool memory_ready;

static void out_of_memory(void)
{
	fputs("abigen: out of memory\n", stderr);
	exit(3);
}

void *gen_alloc(size_t size)
{
	void *block;

	if (!memory_ready) {
		obstack_alloc_failed_handler = out_of_memory;
		obstack_init(&memory);
		memory_ready = true;
	}
	block = obstack_alloc(&memory, size ? size : 1);
	return memset(block, 0, size ? size : 1);
}

void gen_release_memory(void)
{
	if (memory_ready)
		obstack_free(&memory, NULL);
	memory_ready = false;
}

char *gen_slice(const char *text, size_t length)
{
	return memcpy(gen_alloc(length + 1), text, length);
}

char *gen_format(const char *format, ...)
{
	va_list arguments;
	char *text, *kept;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		out_of_memory();
	kept = gen_slice(text, length);
	free(text);
	return kept;
}

void gen_fail(const char *path, unsigned line, unsigned column, const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	if (line)
		fprintf(stderr, "%s:%u:%u: ", path, line, column);
	else
		fprintf(stderr, "%s: ", path);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

FILE *gen_open(const struct gen *gen, const char *name)
{
	const char *path = gen_format("%s/%s", gen->out, name);
	FILE *file = fopen(path, "w");

	if (!file)
		gen_fail(path, 0, 0, "cannot be written: %s", strerror(errno));
	return file;
}

void gen_close(FILE *file, const char *name)
{
	bool failed = ferror(file);

	if (fclose(file) || failed)
		gen_fail(name, 0, 0, "could not be written: %s", strerror(errno));
}

/* FNV-1a, 64 bits. */
uint64_t gen_hash(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t gen_hash_file(uint64_t hash, const char *path)
{
	FILE *file = fopen(path, "r");
	char block[16384];
	size_t size;

	if (!file)
		gen_fail(path, 0, 0, "cannot be read: %s", strerror(errno));
	while ((size = fread(block, 1, sizeof(block), file)))
		hash = gen_hash(hash, block, size);
	if (ferror(file))
		gen_fail(path, 0, 0, "cannot be read");
	fclose(file);
	return hash;
}
