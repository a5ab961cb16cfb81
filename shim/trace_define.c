/* SPDX-License-Identifier: Apache-2.0 */
/* What the records' numbers stand for: JSON objects in blocks of definitions, which all threads add to. Built on the stack, nothing allocated. */
#include "trace_life.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "binding.h"
#include "line.h"
#include "objects.h"
#include "process.h"
#include "settings.h"
#include "table.h"
#include "thread.h"

#define TEXT 6144u	/* bytes of one definition, at most; longer lists go into several */
#define HEAD sizeof(struct gw_trace_block)

bool gw_trace_define(const char *text, uint32_t length)
{
	uint32_t size = ((uint32_t)sizeof(struct gw_trace_definition) + length + 7) / 8 * 8, at, i;
	struct gw_trace_block *block = atomic_load_explicit(&gw_trace_life.definitions, memory_order_acquire), *fresh;
	struct gw_trace_definition *entry;
	uint64_t words[TEXT / 8 + 1] = { 0 };

	if (length > TEXT)
		return false;
	for (;;) {
		at = block ? __atomic_fetch_add(&block->fill, size, __ATOMIC_ACQ_REL) : GW_TRACE_BLOCK;
		if (at + size <= GW_TRACE_BLOCK - HEAD)
			break;
		fresh = gw_trace_file_claim(GW_TRACE_DEFINITIONS, 0, 0, 0, 0);
		if (!fresh)
			return false;
		/* Whose block is not taken leaves it empty: that is rare, and it may be a thread that had to wait. */
		if (atomic_compare_exchange_strong(&gw_trace_life.definitions, &block, fresh))
			block = fresh;
	}
	entry = (struct gw_trace_definition *)((char *)block + HEAD + at);
	__atomic_store_n(&entry->size, size, __ATOMIC_RELEASE);
	memcpy(words, text, length);
	for (i = 0; i < (length + 7) / 8; i++)
		((uint64_t *)(entry + 1))[i] = words[i];
	entry->length = length;
	entry->check = gw_trace_check_words(0, words, (length + 7) / 8);
	entry->generation = block->generation;
	__atomic_store_n(&entry->state, 1, __ATOMIC_RELEASE);
	return true;
}

static void start(struct gw_line *line, char *buffer, const char *kind)
{
	gw_line_start(line, buffer, TEXT);
	gw_line_char(line, '{');
	gw_line_key(line, "def");
	gw_line_string(line, kind, strlen(kind));
}

static bool finish(struct gw_line *line)
{
	gw_line_char(line, '}');
	return !line->cut && gw_trace_define(line->text, (uint32_t)line->length);
}

static void text_member(struct gw_line *line, const char *key, const char *text)
{
	gw_line_key(line, key);
	gw_line_string(line, text, strlen(text));
}

static void hex_member(struct gw_line *line, const char *key, uint64_t value)
{
	gw_line_key(line, key);
	gw_line_char(line, '"');
	gw_line_hex(line, value);
	gw_line_char(line, '"');
}

static void number_member(struct gw_line *line, const char *key, uint64_t value)
{
	gw_line_key(line, key);
	gw_line_unsigned(line, value);
}

/* What tells one rank from another. As the program's environment is now; the program may have changed it. */
static void put_environment(struct gw_line *line)
{
	static const char *const names[] = { "RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_JOB_ID", "OMPI_COMM_WORLD_RANK",
					     "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK", "CUDA_VISIBLE_DEVICES" };
	unsigned i;

	gw_line_key(line, "environment");
	gw_line_char(line, '{');
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value) {
			gw_line_key(line, names[i]);
			gw_line_string(line, value, strnlen(value, 200));
		}
	}
	gw_line_char(line, '}');
}

void gw_trace_define_process(void)
{
	char buffer[TEXT], command[2048], cwd[512], host[65] = "", *p;
	struct gw_line line;
	unsigned length;

	start(&line, buffer, "process");
	gethostname(host, sizeof(host) - 1);
	text_member(&line, "host", host);
	number_member(&line, "pid", (uint64_t)getpid());
	number_member(&line, "parent", (uint64_t)getppid());
	text_member(&line, "program", gw_process_program());
	gw_line_key(&line, "command");
	gw_line_char(&line, '[');
	length = gw_process_command(command, sizeof(command) - 1);
	command[length] = 0;
	for (p = command; p < command + length; p += strlen(p) + 1) {
		if (p != command)
			gw_line_char(&line, ',');
		gw_line_string(&line, p, strlen(p));
	}
	gw_line_char(&line, ']');
	if (getcwd(cwd, sizeof(cwd)))
		text_member(&line, "cwd", cwd);
	if (gw_process_boot(command, sizeof(command)))
		text_member(&line, "boot_id", command);
	text_member(&line, "build", gw_build_id);
	put_environment(&line);
	finish(&line);
}

static void define_enum(const char *kind, const char *name, int id, const struct gw_constant *constants, uint32_t count)
{
	char buffer[TEXT];
	struct gw_line line;
	uint32_t i = 0;

	while (i < count) {
		start(&line, buffer, kind);
		if (id)
			number_member(&line, "id", (uint64_t)id);
		text_member(&line, id ? "family" : "name", name);
		gw_line_key(&line, "values");
		gw_line_char(&line, '{');
		for (; i < count && line.length < TEXT - 256; i++) {
			gw_line_key(&line, gw_string(constants[i].name));
			gw_line_signed(&line, constants[i].value);
		}
		gw_line_char(&line, '}');
		finish(&line);
	}
}

/* The name of an enum, whose constants are defined the first time. */
static void put_enum(struct gw_line *line, const char *key, int type)
{
	const struct gw_enum *e = &gw_enums[type];

	if (!atomic_exchange(&gw_trace_life.enums[type], 1))
		define_enum("enum", gw_string(e->name), 0, gw_constants + e->constants, e->count);
	text_member(line, key, gw_string(e->name));
}

static const char *class_name(unsigned class)
{
	static const char *const names[] = {
		[GW_CLASS_VOID] = "void",     [GW_CLASS_INT32] = "int32",     [GW_CLASS_UINT32] = "uint32", [GW_CLASS_INT64] = "int64",
		[GW_CLASS_UINT64] = "uint64", [GW_CLASS_INT8] = "int8",	      [GW_CLASS_FLOAT] = "float",   [GW_CLASS_DOUBLE] = "double",
		[GW_CLASS_POINTER] = "pointer", [GW_CLASS_STRING] = "string", [GW_CLASS_STRUCT] = "struct",
	};

	return names[class];
}

void gw_trace_define_function(uint32_t fn)
{
	const struct gw_function *function = &gw_functions[fn];
	const struct gw_trace_content *content;
	char buffer[TEXT];
	struct gw_line line;
	unsigned i;

	if (atomic_exchange(&gw_trace_life.functions[fn], 1))
		return;
	start(&line, buffer, "function");
	number_member(&line, "id", fn);
	text_member(&line, "name", gw_function_name(fn));
	text_member(&line, "family", gw_families[function->family].name);
	text_member(&line, "result", function->returns_status ? "status" : class_name(function->result_class));
	gw_line_key(&line, "parameters");
	gw_line_char(&line, '[');
	for (i = 0; i < function->parameter_count; i++) {
		const struct gw_parameter *parameter = &gw_parameters[function->parameters + i];

		if (i)
			gw_line_char(&line, ',');
		gw_line_char(&line, '{');
		text_member(&line, "name", gw_string(parameter->name));
		text_member(&line, "class", class_name(parameter->class));
		if (parameter->enum_type >= 0)
			put_enum(&line, "enum", parameter->enum_type);
		if (parameter->class == GW_CLASS_STRUCT)
			number_member(&line, "size", parameter->size);
		for (content = gw_trace_contents; content->fn <= fn && content->fn != 0xffff; content++)
			if (content->fn == fn && content->parameter == i)
				number_member(&line, content->after ? "out" : "in", content->bytes);
		gw_line_char(&line, '}');
	}
	gw_line_char(&line, ']');
	if (!finish(&line))
		atomic_store(&gw_trace_life.functions[fn], 0);	/* there was no room: another call tries again */
}

void gw_trace_define_thread(uint64_t thread, uint32_t tid)
{
	char buffer[256], name[17] = "";
	struct gw_line line;

	gw_line_start(&line, buffer, sizeof(buffer));
	gw_line_text(&line, "{\"def\":\"thread\"");
	number_member(&line, "thread", thread);
	number_member(&line, "tid", tid);
	if (!prctl(PR_GET_NAME, name))
		text_member(&line, "name", name);
	number_member(&line, "stamp", gw_trace_now());
	finish(&line);
}

/* The build-id note of a mapped object, in hexadecimal; "" when it has none. Only while the object cannot be closed: it is calling, or answers. */
static void build_id(const struct gw_object *object, char *text, size_t size)
{
	const Elf64_Ehdr *header = (const void *)object->low;
	const Elf64_Phdr *segment;
	struct gw_line line;
	unsigned i, k;

	gw_line_start(&line, text, size - 1);
	text[0] = 0;
	if (!object->identity || object->high - object->low < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_phoff + (uint64_t)header->e_phnum * sizeof(*segment) > 4096)
		return;
	segment = (const void *)(object->low + header->e_phoff);
	for (i = 0; i < header->e_phnum; i++) {
		uintptr_t at = object->image.base + segment[i].p_vaddr, end = at + segment[i].p_memsz;

		if (segment[i].p_type != PT_NOTE || at < object->low || end > object->high || end < at)
			continue;
		while (end - at >= sizeof(Elf64_Nhdr)) {
			const Elf64_Nhdr *note = (const void *)at;
			uint64_t name = (note->n_namesz + UINT64_C(3)) / 4 * 4, description = (note->n_descsz + UINT64_C(3)) / 4 * 4;

			if (sizeof(*note) + name + description > end - at)
				break;
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(note + 1, "GNU", 4)) {
				const unsigned char *byte = (const unsigned char *)(note + 1) + name;

				for (k = 0; k < note->n_descsz && k < 32; k++) {
					gw_line_char(&line, "0123456789abcdef"[byte[k] >> 4]);
					gw_line_char(&line, "0123456789abcdef"[byte[k] & 15]);
				}
				text[line.length] = 0;
				return;
			}
			at += sizeof(*note) + name + description;
		}
	}
}

static void put_range(struct gw_line *line, const struct gw_object *object)
{
	char id[80];

	build_id(object, id, sizeof(id));
	if (*id)
		text_member(line, "build_id", id);
	hex_member(line, "low", object->low);
	hex_member(line, "high", object->high);
	hex_member(line, "base", object->image.base);
	number_member(line, "stamp", gw_trace_now());
}

void gw_trace_define_library(struct gw_binding *binding)
{
	const struct gw_release *release = atomic_load_explicit(&binding->loaded_release, memory_order_relaxed);
	uint32_t epoch = atomic_load(&gw_trace_life.epoch);
	char buffer[TEXT];
	struct gw_line line;

	if (!binding->loaded || atomic_exchange(&binding->traced, epoch) == epoch)
		return;
	start(&line, buffer, "library");
	text_member(&line, "family", gw_families[binding->family].name);
	if (binding->image.soname)
		text_member(&line, "soname", binding->image.soname);
	text_member(&line, "path", binding->path);
	if (release)
		text_member(&line, "release", release->version);
	if (binding->library)
		put_range(&line, binding->library);
	finish(&line);
}

/* The number of a caller's numbering of statuses, which is defined the first time. */
static unsigned numbering_id(const struct gw_numbering *numbering, const char *family)
{
	unsigned i, most = sizeof(gw_trace_life.numberings) / sizeof(gw_trace_life.numberings[0]);

	for (i = 0; i < most; i++) {
		const struct gw_numbering *none = NULL;

		if (atomic_load(&gw_trace_life.numberings[i]) == numbering)
			return i + 1;
		if (atomic_compare_exchange_strong(&gw_trace_life.numberings[i], &none, numbering)) {
			define_enum("statuses", family, (int)i + 1, numbering->constants, numbering->count);
			return i + 1;
		}
		if (none == numbering)
			return i + 1;
	}
	return 0;
}

void gw_trace_define_object(struct gw_object *object, const struct gw_binding *binding)
{
	const char *family = gw_families[binding->family].name;
	uint32_t epoch = atomic_load(&gw_trace_life.epoch);
	int error = errno;
	char buffer[TEXT];
	struct gw_line line;

	if (gw_thread.trace_busy || atomic_exchange(&object->traced[binding->family], epoch) == epoch)
		return;
	start(&line, buffer, "object");
	text_member(&line, "path", gw_object_path(object));
	put_range(&line, object);
	gw_line_key(&line, "statuses");
	gw_line_char(&line, '{');
	if (binding->caller_numbering) {
		gw_line_key(&line, family);
		gw_line_unsigned(&line, numbering_id(binding->caller_numbering, family));
	}
	gw_line_char(&line, '}');
	if (binding->caller_first && binding->caller_last) {
		gw_line_key(&line, "built_for");
		gw_line_char(&line, '{');
		gw_line_key(&line, family);
		gw_line_char(&line, '[');
		gw_line_string(&line, binding->caller_first->version, strlen(binding->caller_first->version));
		gw_line_char(&line, ',');
		gw_line_string(&line, binding->caller_last->version, strlen(binding->caller_last->version));
		gw_line_text(&line, "]}");
	}
	finish(&line);
	errno = error;
}

void gw_trace_define_level(void)
{
	uint32_t changes = __atomic_load_n(&gw_trace_control.head.changes, __ATOMIC_RELAXED), known = atomic_load(&gw_trace_life.changes);
	const char *text = gw_setting(GW_SETTING_TRACE_LEVEL);
	char buffer[TEXT];
	struct gw_line line;

	/* One more than there were changes: 0 is that nothing has been defined. */
	if (known == changes + 1 || !atomic_compare_exchange_strong(&gw_trace_life.changes, &known, changes + 1))
		return;
	start(&line, buffer, "level");
	number_member(&line, "stamp", gw_trace_now());
	text_member(&line, "text", changes ? "switched by gangway trace" : gw_setting(GW_SETTING_TRACE) && text ? text : "count");
	finish(&line);
}

void gw_trace_closed(uintptr_t low)
{
	char buffer[128];
	struct gw_line line;
	int error = errno;

	if (atomic_load(&gw_trace_life.state) != GW_TRACE_READY || gw_thread.trace_busy)
		return;
	gw_line_start(&line, buffer, sizeof(buffer));
	gw_line_text(&line, "{\"def\":\"closed\"");
	hex_member(&line, "low", low);
	number_member(&line, "stamp", gw_trace_now());
	finish(&line);
	errno = error;
}

void gw_trace_finding(const char *code, const char *severity, const char *text, const char *remedy)
{
	uint32_t mark;
	char buffer[TEXT];
	struct gw_line line;
	int error = errno;

	if (atomic_load(&gw_trace_life.state) != GW_TRACE_READY)
		return;
	mark = atomic_fetch_add(&gw_trace_life.marks, 1) + 1;
	start(&line, buffer, "finding");
	number_member(&line, "mark", mark);
	number_member(&line, "stamp", gw_trace_now());
	text_member(&line, "code", code);
	text_member(&line, "severity", severity);
	text_member(&line, "text", text);
	text_member(&line, "remedy", remedy);
	if (finish(&line))
		gw_trace_mark(mark);
	errno = error;
}
