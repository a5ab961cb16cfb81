/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of a trace: see trace_define.h. */
#include "trace_define.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 65535u	/* 0xffff ends a block of counts */
#define RECORD_HEAD 32u		/* bytes before a record's arguments */

const char *gw_trace_text(const json_t *object, const char *member, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : otherwise;
}

static double number(const json_t *object, const char *member, double otherwise)
{
	const json_t *value = json_object_get(object, member);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

static uint64_t address(const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);

	if (json_is_integer(value))
		return (uint64_t)json_integer_value(value);
	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 16) : 0;
}

static uint32_t bytes(const json_t *object, const char *member)
{
	json_int_t value = json_integer_value(json_object_get(object, member));

	return value > 0 && value <= 16384 ? (uint32_t)value : 0;
}

static enum gw_trace_class class_of(const char *text)
{
	static const char *const names[] = {"int32", "uint32", "int64", "uint64", "int8", "float", "double", "pointer", "string", "struct"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return (enum gw_trace_class)i;
	return GW_TRACE_OTHER;
}

static uint32_t size_of(const struct gw_trace_parameter *parameter, unsigned is_long)
{
	switch (parameter->class) {
	case GW_TRACE_INT64:
	case GW_TRACE_UINT64:
		return is_long ? 8 : 4;
	case GW_TRACE_DOUBLE:
	case GW_TRACE_POINTER:
	case GW_TRACE_STRING:
	case GW_TRACE_OTHER:
		return 8;
	case GW_TRACE_STRUCT:
		return (parameter->size + 3) & ~3u;
	default:
		return 4;
	}
}

/* Where each argument lies: the rule of struct gw_trace_record. */
static void place(struct gw_trace_function *function)
{
	for (unsigned is_long = 0; is_long < 2; is_long++) {
		uint32_t at = RECORD_HEAD;

		for (uint32_t p = 0; p < function->parameter_count; p++) {
			struct gw_trace_parameter *parameter = &function->parameters[p];

			parameter->place[is_long] = at;
			at += size_of(parameter, is_long);
		}
		for (uint32_t p = 0; p < function->parameter_count; p++) {
			struct gw_trace_parameter *parameter = &function->parameters[p];

			parameter->payload[is_long] = at;
			at += ((parameter->in + 3) & ~3u) + ((parameter->out + 3) & ~3u);
		}
		function->end[is_long] = at;
	}
}

static void define_function(struct gw_trace_definitions *d, const json_t *object)
{
	json_int_t id = json_integer_value(json_object_get(object, "id"));
	json_t *list = json_object_get(object, "parameters"), *item;
	const char *result = gw_trace_text(object, "result", "void"), *name = gw_trace_text(object, "name", NULL);
	struct gw_trace_function *function;
	size_t i;

	if (!name || !json_is_integer(json_object_get(object, "id")) || id < 0 || id >= MOST_FUNCTIONS)
		return;
	if (id >= d->function_count) {
		uint32_t count = (uint32_t)id + 1 > d->function_count * 2 ? (uint32_t)id + 1 : d->function_count * 2;
		struct gw_trace_function *larger = realloc(d->functions, count * sizeof(*larger));

		if (!larger) {
			d->no_memory = true;
			return;
		}
		memset(larger + d->function_count, 0, (count - d->function_count) * sizeof(*larger));
		d->functions = larger;
		d->function_count = count;
	}
	function = &d->functions[id];
	if (function->name)
		return;
	function->parameters = calloc(json_array_size(list) + 1, sizeof(*function->parameters));
	if (!function->parameters) {
		d->no_memory = true;
		return;
	}
	function->name = name;
	function->family = gw_trace_text(object, "family", "");
	function->result = !strcmp(result, "status") ? GW_TRACE_RESULT_STATUS : !strcmp(result, "void") ? GW_TRACE_RESULT_VOID : GW_TRACE_RESULT_VALUE;
	function->value = class_of(result);
	json_array_foreach(list, i, item)
	{
		function->parameters[function->parameter_count++] = (struct gw_trace_parameter){
			.name = gw_trace_text(item, "name", "_"), .enumeration = gw_trace_text(item, "enum", NULL),
			.class = class_of(gw_trace_text(item, "class", "")), .size = bytes(item, "size"), .in = bytes(item, "in"), .out = bytes(item, "out"),
		};
	}
	place(function);
}

static void define_object(struct gw_trace_definitions *d, const json_t *object, bool library)
{
	struct gw_trace_object *entry;

	if ((d->object_count & (d->object_count - 1)) == 0) {
		struct gw_trace_object *larger = realloc(d->objects, (d->object_count ? 2 * d->object_count : 1) * sizeof(*larger));

		if (!larger) {
			d->no_memory = true;
			return;
		}
		d->objects = larger;
	}
	entry = &d->objects[d->object_count++];
	*entry = (struct gw_trace_object){
		.path = gw_trace_text(object, "path", "?"), .family = library ? gw_trace_text(object, "family", "") : NULL,
		.build_id = gw_trace_text(object, "build_id", NULL), .release = gw_trace_text(object, "release", NULL),
		.soname = gw_trace_text(object, "soname", NULL), .low = address(object, "low"), .high = address(object, "high"),
		.stamp = address(object, "stamp"), .statuses = json_object_get(object, "statuses"),
	};
}

static void define_shape(struct gw_trace_definitions *d, json_t *object)
{
	uint64_t id = address(object, "id");
	struct gw_trace_shape *shape;

	if ((d->shape_count & (d->shape_count - 1)) == 0) {
		struct gw_trace_shape *larger = realloc(d->shapes, (d->shape_count ? 2 * (size_t)d->shape_count : 1) * sizeof(*larger));

		if (!larger) {
			d->no_memory = true;
			return;
		}
		d->shapes = larger;
	}
	shape = &d->shapes[d->shape_count];
	*shape = (struct gw_trace_shape){
		.id = id, .function = gw_trace_text(object, "function", ""), .kind = gw_trace_text(object, "kind", ""),
		.text = gw_trace_text(object, "text", ""), .type = gw_trace_text(object, "type", NULL), .m = number(object, "m", 0),
		.n = number(object, "n", 0), .k = number(object, "k", 0), .batch = number(object, "batch", 1), .flops = number(object, "flops", 0),
		.workspace = number(object, "workspace", -1), .json = object,
	};
	if (!gw_trace_map_put(&d->shape_by_id, id, d->shape_count))
		d->no_memory = true;
	d->shape_count++;
}

static void define_stack(struct gw_trace_definitions *d, const json_t *object)
{
	json_t *frames = json_object_get(object, "frames"), *frame;
	struct gw_trace_stack *stack;
	size_t i;

	if ((d->stack_count & (d->stack_count - 1)) == 0) {
		struct gw_trace_stack *larger = realloc(d->stacks, (d->stack_count ? 2 * (size_t)d->stack_count : 1) * sizeof(*larger));

		if (!larger) {
			d->no_memory = true;
			return;
		}
		d->stacks = larger;
	}
	stack = &d->stacks[d->stack_count];
	stack->frames = calloc(json_array_size(frames) + 1, sizeof(*stack->frames));
	stack->count = 0;
	if (!stack->frames || !gw_trace_map_put(&d->stack_by_id, address(object, "id"), d->stack_count))
		d->no_memory = true;
	d->stack_count++;
	if (stack->frames)
		json_array_foreach(frames, i, frame)
			stack->frames[stack->count++] = json_is_string(frame) ? strtoull(json_string_value(frame), NULL, 16) : (uint64_t)json_integer_value(frame);
}

/* Constants of an enum: a large one comes in several definitions. */
static void add_values(json_t *enums, const char *name, json_t *values)
{
	json_t *there = json_object_get(enums, name);

	if (there)
		json_object_update(there, values);
	else if (json_is_object(values))
		json_object_set(enums, name, values);
}

static void define(struct gw_trace_definitions *d, json_t *object)
{
	const char *kind = gw_trace_text(object, "def", "");
	char key[32];

	d->count++;
	if (!strcmp(kind, "process"))
		json_object_update(d->process, object);
	else if (!strcmp(kind, "function"))
		define_function(d, object);
	else if (!strcmp(kind, "enum"))
		add_values(d->enums, gw_trace_text(object, "name", ""), json_object_get(object, "values"));
	else if (!strcmp(kind, "statuses")) {
		snprintf(key, sizeof(key), "%lld", (long long)json_integer_value(json_object_get(object, "id")));
		if (json_object_get(d->statuses, key))
			json_object_update(json_object_get(json_object_get(d->statuses, key), "values"), json_object_get(object, "values"));
		else
			json_object_set(d->statuses, key, object);
	} else if (!strcmp(kind, "library") || !strcmp(kind, "object"))
		define_object(d, object, kind[0] == 'l');
	else if (!strcmp(kind, "thread")) {
		snprintf(key, sizeof(key), "%llu", (unsigned long long)address(object, "thread"));
		json_object_set(d->threads, key, object);
	} else if (!strcmp(kind, "shape"))
		define_shape(d, object);
	else if (!strcmp(kind, "stack"))
		define_stack(d, object);
	else if (!strcmp(kind, "finding"))
		json_array_append(d->findings, object);
	else if (!strcmp(kind, "search"))
		json_array_append(d->searches, object);
	else if (!strcmp(kind, "redirect"))
		json_array_append(d->redirects, object);
	else if (!strcmp(kind, "level"))
		json_array_append(d->levels, object);
	else if (strcmp(kind, "closed"))
		d->unknown++;
}

static int by_address(const void *a, const void *b)
{
	const struct gw_trace_object *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

/* The number of the constant that ends in _SUCCESS, of any set of the family. */
static void find_successes(struct gw_trace_definitions *d)
{
	const char *key, *name;
	json_t *set, *value;

	json_object_foreach(d->statuses, key, set)
		json_object_foreach(json_object_get(set, "values"), name, value)
		{
			const char *family = gw_trace_text(set, "family", "");
			size_t length = strlen(name);

			if (length < 8 || strcmp(name + length - 8, "_SUCCESS") != 0)
				continue;
			for (uint32_t f = 0; f < d->function_count; f++)
				if (d->functions[f].name && !strcmp(d->functions[f].family, family))
					d->functions[f].success = json_integer_value(value);
		}
}

static void read_block(struct gw_trace_definitions *d, struct gw_trace_file *file, uint32_t number, const void *block)
{
	struct gw_trace_cursor cursor;
	const char *text;
	uint32_t length;

	gw_trace_cursor_init(&cursor, file, number, block);
	while ((text = gw_trace_next_definition(&cursor, &length))) {
		json_error_t error;
		json_t *object = json_loadb(text, length, JSON_ALLOW_NUL, &error);

		if (!json_is_object(object)) {
			gw_trace_note(file, true, cursor.offset + (uint64_t)(text - (const char *)block), "a definition is not a JSON object: %s", error.text);
			json_decref(object);
			continue;
		}
		json_array_append_new(d->all, object);
		define(d, object);
	}
}

void gw_trace_define(struct gw_trace_definitions *d, struct gw_trace_file *file)
{
	void *block = malloc(file->block_size);

	memset(d, 0, sizeof(*d));
	d->process = json_object();
	d->enums = json_object();
	d->statuses = json_object();
	d->threads = json_object();
	d->findings = json_array();
	d->searches = json_array();
	d->redirects = json_array();
	d->levels = json_array();
	d->all = json_array();
	d->no_memory = !block || !d->all;
	for (uint32_t number = 0; block && number < file->blocks; number++) {
		struct gw_trace_block head;
		bool sound;

		gw_trace_pread(file, gw_trace_block_offset(file, number), &head, sizeof(head));
		sound = gw_trace_block_sound(file, number, &head, false);
		if (sound ? head.kind != GW_TRACE_DEFINITIONS : gw_trace_is_free(&head))
			continue;
		gw_trace_pread(file, gw_trace_block_offset(file, number), block, file->block_size);
		/* behind a damaged head may be records */
		if (sound || gw_trace_holds_definitions(file, number, block))
			read_block(d, file, number, block);
	}
	free(block);
	if (d->object_count)
		qsort(d->objects, d->object_count, sizeof(*d->objects), by_address);
	find_successes(d);
}

void gw_trace_define_finish(struct gw_trace_definitions *d)
{
	json_t *own[] = {d->process, d->enums, d->statuses, d->threads, d->findings, d->searches, d->redirects, d->levels, d->all};

	for (uint32_t i = 0; i < d->function_count; i++)
		free(d->functions[i].parameters);
	for (uint32_t i = 0; i < d->stack_count; i++)
		free(d->stacks[i].frames);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		json_decref(own[i]);
	free(d->functions);
	free(d->objects);
	free(d->shapes);
	free(d->stacks);
	gw_trace_map_finish(&d->shape_by_id);
	gw_trace_map_finish(&d->stack_by_id);
	memset(d, 0, sizeof(*d));
}

const struct gw_trace_object *gw_trace_object_at(const struct gw_trace_definitions *d, uint64_t where)
{
	uint32_t low = 0, high = d->object_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->objects[middle].low <= where)
			low = middle + 1;
		else
			high = middle;
	}
	/* the last that begins at or below; one more back, for what was mapped where another had been */
	for (uint32_t back = 0; back < 4 && back < low; back++)
		if (where < d->objects[low - 1 - back].high)
			return &d->objects[low - 1 - back];
	return NULL;
}

static const char *constant(const json_t *values, int64_t number_of)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)values, name, value)
		if (json_integer_value(value) == number_of)
			return name;
	return NULL;
}

const char *gw_trace_enum_name(const struct gw_trace_definitions *d, const char *name, int64_t value)
{
	return name ? constant(json_object_get(d->enums, name), value) : NULL;
}

const char *gw_trace_status_name(const struct gw_trace_definitions *d, const char *family, uint64_t caller, int64_t value)
{
	const struct gw_trace_object *object = gw_trace_object_at(d, caller);
	const json_t *set = object ? json_object_get(object->statuses, family) : NULL;
	const char *key;
	json_t *any;
	char id[32];

	if (json_is_integer(set)) {
		snprintf(id, sizeof(id), "%lld", (long long)json_integer_value(set));
		return constant(json_object_get(json_object_get(d->statuses, id), "values"), value);
	}
	json_object_foreach(d->statuses, key, any)
		if (!strcmp(gw_trace_text(any, "family", ""), family))
			return constant(json_object_get(any, "values"), value);
	return NULL;
}
