/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of the tables that abigen writes (gw_table.c) and the shim reads. Read-only data, no pointers to free, any thread.
 * What there are thousands of is found by offset (gw_string) or index, not by pointer: each pointer would be a relocation, for which
 * the loader writes to memory at every start of every program, before anybody asks for a name.
 * Ids (enum gw_fn, enum gw_family, GW_ENUM_…) come from the generated gw_fn.h.
 */
#ifndef GW_TABLE_H
#define GW_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* How a value travels in the x86-64 calling convention, as far as logging and answering for it matter. */
enum gw_class {
	GW_CLASS_VOID,
	GW_CLASS_INT32,		/* int, and enums (see enum_type) */
	GW_CLASS_UINT32,
	GW_CLASS_INT64,		/* long, int64_t */
	GW_CLASS_UINT64,	/* size_t */
	GW_CLASS_INT8,		/* char, as cublas.h passes transposition */
	GW_CLASS_FLOAT,
	GW_CLASS_DOUBLE,
	GW_CLASS_POINTER,	/* any pointer, opaque handles included */
	GW_CLASS_STRING,	/* const char *, NUL-terminated (returned only: never followed as an argument) */
	GW_CLASS_STRUCT,	/* by value; logged as its size */
};

enum gw_method { GW_METHOD_PASS, GW_METHOD_TABLE, GW_METHOD_VIA, GW_METHOD_GONE, GW_METHOD_NEW };

struct gw_parameter {
	uint32_t name;		/* gw_string */
	int16_t enum_type;	/* index into gw_enums, or -1; pointers to an enum have -1 */
	uint8_t class;
	uint8_t size;		/* bytes, GW_CLASS_STRUCT only */
};

struct gw_function {
	uint32_t name;		/* gw_string */
	uint32_t parameters;	/* index of the first in gw_parameters */
	int16_t result_enum;	/* index into gw_enums, or -1 */
	uint8_t parameter_count;
	uint8_t family;		/* enum gw_family */
	uint8_t method;		/* enum gw_method */
	uint8_t result_class;
	uint8_t returns_status;	/* 1: result_enum is the family's status */
	uint8_t via_always;	/* the `via` function also answers where caller and loaded release are the same */
	uint16_t first, last;	/* the oldest and the newest known release that declare it: indices into the family's releases */
};

/* What the trace keeps of what a parameter points to: abi/trace. */
struct gw_trace_content {
	uint16_t fn;		/* sorted by it; 0xffff ends the table */
	uint8_t parameter;
	uint8_t bytes;
	uint8_t after;		/* as it is after the call, not before */
	uint8_t size;		/* the parameter that says how many bytes there are; 255: none */
};

struct gw_constant {
	int32_t value;
	uint32_t name;		/* gw_string: the name in the newest release that has this value */
};

/* The constant with VALUE among COUNT that are sorted by it; NULL when there is none. */
static inline const struct gw_constant *gw_constant_find(const struct gw_constant *constants, uint32_t count, int64_t value)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (constants[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && constants[low].value == value ? &constants[low] : NULL;
}

/* The treatment's `spans` lines: a constant's number, or a struct's size, in the releases from first to last. */
struct gw_span {
	int32_t value;
	uint32_t name;		/* gw_string: equal offsets, equal names */
	uint16_t first, last;	/* indices into the family's releases */
	int16_t typed;		/* the type that is passed with it, where its number meant something else before or since; -1: any */
};

struct gw_span_list {
	uint32_t first, count;	/* in gw_spans; sorted by value, then release */
};

struct gw_enum {
	uint32_t name;		/* gw_string */
	uint32_t constants;	/* index of the first in gw_constants: sorted by value, one name a value */
	uint32_t count;
};

/*
 * A numbering of a family's status, old -> neutral -> new. A neutral id is an index into gw_family_data.neutral. Releases with equal
 * numbering share one.
 */
/* What stands for a status in [first, last] that no known release has: the treatment's `fold` lines, in one numbering. */
struct gw_fold {
	int32_t first, last, value;
};

struct gw_numbering {
	const struct gw_constant *constants;	/* this numbering's (value, name), sorted by value */
	const uint16_t *neutral_of;		/* neutral id of constants[i] */
	const int32_t *value_of;		/* [neutral_count]: the value here; folded by the treatment's `fold` lines; never a guess */
	uint32_t count;
	uint32_t fold_count;
	const struct gw_fold *folds;		/* in the treatment's order: the first that fits counts */
};

struct gw_release {
	const char *version;	/* "12.1.3.1" */
	const char *soname_major;	/* "12": what follows ".so." in this release's sonames */
	uint16_t part[4];
	uint16_t numbering;	/* index into gw_family_data.numberings */
	uint16_t like;		/* index of the oldest release whose enums and structs are all the same as this one's */
	uint32_t number;	/* what the version function of this release answers: CUBLAS_VERSION, CUDNN_VERSION of its headers */
};

struct gw_family_data {
	const char *name;
	const struct gw_release *releases;	/* oldest first */
	const struct gw_numbering *numberings;
	uint32_t release_count, numbering_count, neutral_count;
	int32_t refuse[16];	/* the `refuse` status, by numbering */
	uint8_t suite;		/* families of one suite come from one directory */
	uint8_t suite_first;	/* 1: the family whose library is opened first (cublasLt before cublas) */
	const char *suite_name;
	const char *property_function;	/* "cublasGetProperty": answers (0 major, 1 minor, 2 patch, &value) without a handle */
	const char *const *sonames;	/* every known soname of this family, NULL-terminated: libcublas.so.11, … */
};

/* One symbol of a facade. */
enum gw_facade_how {
	GW_FACADE_FUNCTION,	/* public and bridged: goes to the typed wrapper `fn` */
	GW_FACADE_FORWARD,	/* tail jump to the symbol of the same name in the target, where it has one */
	GW_FACADE_REFUSE,	/* answers the family's refuse status, and a finding */
};

struct gw_facade_symbol {
	const char *name;
	int16_t fn;		/* enum gw_fn, or -1 */
	uint8_t how;		/* enum gw_facade_how */
	uint8_t result_class;	/* what a refusal has to return: GW_CLASS_INT32 means the status */
	uint16_t first, last;	/* the oldest and newest known release whose library has it, by index; first > last: not known */
};

struct gw_facade {
	const char *soname;		/* "libcublas.so.11" */
	const char *const *targets;	/* sonames, best first, NULL-terminated */
	const char *answer_version;	/* the newest known release of this soname: what version questions get */
	const struct gw_facade_symbol *symbols;
	void **slots;			/* [symbol_count], in the facade's own writable memory */
	uint32_t symbol_count;
	int16_t family;			/* enum gw_family, or -1 for a generic family */
	int32_t refuse;			/* the status for refusals, in the numbering of this soname */
	uint16_t release;		/* index of answer_version in the family's releases (bridged families) */
	const char *build_id;		/* must equal libgangway.so's gw_build_id */
	const char *family_name;
};

extern const struct gw_function gw_functions[];	/* by enum gw_fn, sorted by name (strcmp) */
extern const struct gw_enum gw_enums[];
extern const struct gw_family_data gw_families[];	/* by enum gw_family */
extern const char gw_build_id[];

/* Only for those who link gw_table.c. */
extern const char gw_strings[] __attribute__((visibility("hidden")));
extern const struct gw_parameter gw_parameters[] __attribute__((visibility("hidden")));
extern const struct gw_constant gw_constants[] __attribute__((visibility("hidden")));
extern const struct gw_trace_content gw_trace_contents[] __attribute__((visibility("hidden")));
extern const struct gw_span gw_spans[] __attribute__((visibility("hidden")));
extern const struct gw_span_list gw_span_lists[] __attribute__((visibility("hidden")));	/* by enum gw_spans_id */

static inline const char *gw_string(uint32_t offset)
{
	return gw_strings + offset;
}

static inline const char *gw_function_name(uint32_t fn)
{
	return gw_string(gw_functions[fn].name);
}

#endif
