/* SPDX-License-Identifier: Apache-2.0 */
/* See trace_shape.h. */
#include "trace_shape.h"

#include <errno.h>
#include <string.h>

#include "table.h"
#include "thread.h"

#define NUMBER 0xffffu

uint32_t gw_trace_shape_known(uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 40) % GW_TRACE_SHAPES, i;

	for (i = 0; i < GW_TRACE_SHAPES; i++) {
		uint64_t entry = atomic_load_explicit(&gw_trace_life.shapes[at], memory_order_acquire);

		if (!entry)
			return 0;
		if ((entry ^ hash) <= NUMBER)
			return entry & NUMBER;
		at = (at + 1) % GW_TRACE_SHAPES;
	}
	return 0;
}

uint32_t gw_trace_shape_begin(struct gw_line *line, char *text, const char *function, const char *kind)
{
	uint32_t number = atomic_load(&gw_trace_life.shape_count);

	do
		if (number >= GW_TRACE_SHAPES / 4 * 3)
			return 0;
	while (!atomic_compare_exchange_weak(&gw_trace_life.shape_count, &number, number + 1));
	number++;
	gw_line_start(line, text, GW_TRACE_SHAPE_TEXT);
	gw_line_text(line, "{\"def\":\"shape\"");
	gw_trace_shape_number(line, "id", number);
	gw_trace_shape_text(line, "function", function);
	gw_trace_shape_text(line, "kind", kind);
	return number;
}

uint32_t gw_trace_shape_end(struct gw_line *line, uint64_t hash, uint32_t number)
{
	uint32_t at = (uint32_t)(hash >> 40) % GW_TRACE_SHAPES, i;

	gw_line_char(line, '}');
	if (line->cut || !gw_trace_define(line->text, (uint32_t)line->length))
		return 0;
	for (i = 0; i < GW_TRACE_SHAPES; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&gw_trace_life.shapes[at], &none, (hash & ~(uint64_t)NUMBER) | number))
			return number;
		if ((none ^ hash) <= NUMBER)
			return none & NUMBER;
		at = (at + 1) % GW_TRACE_SHAPES;
	}
	return 0;
}

void gw_trace_shape_number(struct gw_line *line, const char *key, int64_t value)
{
	gw_line_key(line, key);
	gw_line_signed(line, value);
}

void gw_trace_shape_text(struct gw_line *line, const char *key, const char *text)
{
	gw_line_key(line, key);
	gw_line_string(line, text, strlen(text));
}

const char *gw_trace_shape_constant(int type, int64_t value)
{
	const struct gw_constant *constant = type < 0 ? NULL : gw_constant_find(gw_constants + gw_enums[type].constants, gw_enums[type].count, value);

	return constant ? gw_string(constant->name) : NULL;
}

/* CUDA_R_16BF is bf16, CUDA_R_8F_E4M3 f8_e4m3, CUDA_C_32F c32f. */
void gw_trace_shape_type(struct gw_line *line, int64_t type)
{
	const char *name = gw_trace_shape_constant(GW_ENUM_cudaDataType_t, type);
	bool complex;

	if (!name || strncmp(name, "CUDA_", 5) || (name[5] != 'R' && name[5] != 'C')) {
		gw_line_text(line, name ? name : "type ");
		if (!name)
			gw_line_signed(line, type);
		return;
	}
	complex = name[5] == 'C';
	name += 7;
	if (complex)
		gw_line_char(line, 'c');
	if (!complex) {
		/* The letters behind the width come before it: 16BF, 8F_E4M3, 32I. */
		const char *letter = name + strspn(name, "0123456789");
		size_t width = (size_t)(letter - name), letters = strcspn(letter, "_");

		for (; letters; letters--, letter++)
			gw_line_char(line, (char)(*letter | 0x20));
		while (width--)
			gw_line_char(line, *name++);
		name = letter;
	}
	for (; *name; name++)
		gw_line_char(line, *name >= 'A' && *name <= 'Z' ? (char)(*name | 0x20) : *name);
}

void gw_trace_shape_product(struct gw_line *line, uint64_t m, uint64_t n, uint64_t k, uint64_t batch)
{
	gw_trace_shape_number(line, "m", (int64_t)m);
	gw_trace_shape_number(line, "n", (int64_t)n);
	gw_trace_shape_number(line, "k", (int64_t)k);
	gw_trace_shape_number(line, "batch", (int64_t)batch);
	gw_line_key(line, "flops");
	gw_line_double(line, 2.0 * (double)m * (double)n * (double)k * (double)batch);
}

static bool is_size(const struct gw_parameter *parameter)
{
	return parameter->class != GW_CLASS_POINTER && parameter->class != GW_CLASS_STRING && parameter->class != GW_CLASS_STRUCT &&
	       parameter->class != GW_CLASS_FLOAT && parameter->class != GW_CLASS_DOUBLE;
}

static int64_t argument(const struct gw_function *function, const union gw_value *values, const char *name, int64_t none)
{
	unsigned i;

	for (i = 0; i < function->parameter_count; i++)
		if (is_size(&gw_parameters[function->parameters + i]) && !strcmp(gw_string(gw_parameters[function->parameters + i].name), name))
			return values[i].i;
	return none;
}

static const char *kind_of(const char *name)
{
	static const char *const kinds[] = { "gemm", "Gemm", "trsm", "syrk", "gemv" };
	unsigned i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strstr(name, kinds[i]))
			return i == 1 ? kinds[0] : kinds[i];
	return "sizes";
}

/* "cublasSgemm_v2 4096x16x4096 TN" */
static void put_text(struct gw_line *line, const struct gw_function *function, const union gw_value *values, const char *name)
{
	char text[256];
	struct gw_line words;
	int64_t m = argument(function, values, "m", 0), n = argument(function, values, "n", 0), k = argument(function, values, "k", 0);
	int64_t type = argument(function, values, "Atype", -1), a = argument(function, values, "transa", -1), b = argument(function, values, "transb", -1);
	int64_t batch = argument(function, values, "batchCount", 1);

	gw_line_start(&words, text, sizeof(text) - 1);
	if (type >= 0)
		gw_trace_shape_type(&words, type);
	else
		gw_line_text(&words, name + (strncmp(name, "cublas", 6) ? 0 : 6));
	gw_line_char(&words, ' ');
	gw_line_signed(&words, m);
	gw_line_char(&words, 'x');
	gw_line_signed(&words, n);
	if (k) {
		gw_line_char(&words, 'x');
		gw_line_signed(&words, k);
	}
	if (batch != 1) {
		gw_line_text(&words, " batch ");
		gw_line_signed(&words, batch);
	}
	if (a >= 0 && b >= 0) {
		const char *letter[2] = { gw_trace_shape_constant(GW_ENUM_cublasOperation_t, a), gw_trace_shape_constant(GW_ENUM_cublasOperation_t, b) };

		gw_line_char(&words, ' ');
		gw_line_char(&words, letter[0] ? letter[0][strlen(letter[0]) - 1] : '?');
		gw_line_char(&words, letter[1] ? letter[1][strlen(letter[1]) - 1] : '?');
	}
	gw_line_key(line, "text");
	gw_line_string(line, text, words.length);
}

static __attribute__((noinline, cold)) uint32_t define_sizes(const struct gw_call *call, const union gw_value *values, uint64_t hash)
{
	const struct gw_function *function = &gw_functions[call->fn];
	const char *name = gw_function_name(call->fn);
	char text[GW_TRACE_SHAPE_TEXT];
	int64_t m, n, k;
	struct gw_line line;
	uint32_t number;
	unsigned i;
	int error = errno;

	if (gw_thread.trace_busy)
		return 0;
	number = gw_trace_shape_begin(&line, text, name, kind_of(name));
	if (!number)
		return 0;
	put_text(&line, function, values, name);
	for (i = 0; i < function->parameter_count; i++) {
		const struct gw_parameter *parameter = &gw_parameters[function->parameters + i];
		const char *own = gw_string(parameter->name), *constant = NULL;

		if (!is_size(parameter) || !strcmp(own, "m") || !strcmp(own, "n") || !strcmp(own, "k"))
			continue;
		constant = gw_trace_shape_constant(parameter->enum_type, values[i].i);
		if (constant)
			gw_trace_shape_text(&line, own, constant);
		else
			gw_trace_shape_number(&line, own, values[i].i);
	}
	m = argument(function, values, "m", 0);
	n = argument(function, values, "n", 0);
	k = argument(function, values, "k", 0);
	if (m > 0 && n > 0 && k > 0)
		gw_trace_shape_product(&line, (uint64_t)m, (uint64_t)n, (uint64_t)k, (uint64_t)argument(function, values, "batchCount", 1));
	number = gw_trace_shape_end(&line, hash, number);
	errno = error;
	return number;
}

uint32_t gw_trace_shape_sizes(struct gw_call *call, const union gw_value *values)
{
	const struct gw_function *function = &gw_functions[call->fn];
	uint64_t hash = gw_trace_mix(0, call->fn + 1);
	uint32_t number;
	unsigned i;

	for (i = 0; i < function->parameter_count; i++)
		if (is_size(&gw_parameters[function->parameters + i]))
			hash = gw_trace_mix(hash, (uint64_t)values[i].i);
	number = gw_trace_shape_known(hash);
	return number ? number : define_sizes(call, values, hash);
}
