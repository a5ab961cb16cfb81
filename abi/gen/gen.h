/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abigen: facts and treatment -> C, assembly, version scripts, documentation. Run by the build;
 * never part of what is installed.
 *
 * One pass: load (db.c, treatment.c), decide (model.c, carry.c, status.c, facade.c, differ.c, change.c: every check, so a bad
 * input writes nothing), emit (emit_*.c: no decisions). Memory lives until the program ends; an
 * error prints one line and ends the program with 1.
 */
#ifndef GW_GEN_H
#define GW_GEN_H

#include <stdio.h>
#include "../db.h"
#include "../findings.h"
#include "../../shim/table.h"
#include "treatment.h"

#define GEN_ORIGINS 8 /* how many fixed bindings the shim may hand out entry points for */

/* What a type is to the calling convention, in one release of one family. */
struct gen_type {
	const char *spelling;  /* as the header has it */
	const char *canonical; /* typedefs resolved, qualifiers dropped */
	const char *enum_name; /* the database's name of the enum, or NULL */
	const char *record;    /* GW_CLASS_STRUCT: the database's name of the struct or union */
	enum gw_class class;
	unsigned size; /* GW_CLASS_STRUCT: bytes */
};

/* Whether a parameter or result holds, or leads to, a status, other than by being one. */
struct gen_carrier {
	bool carries, via;
	bool plain;         /* a pointer to statuses, or to structs with statuses in fixed places */
	const char *record; /* the database's name of that struct, or NULL */
	const char *count, *most; /* parameters; NULL: one, no limit */
	const struct treatment_line *line;
};

struct gen_parameter {
	const char *name; /* unique, never empty */
	struct gen_type type;
	struct gen_carrier carrier;
	bool status; /* the family's status, by value */
	unsigned kept; /* bytes that the trace keeps of what it points to; 0: none */
	bool kept_after; /* as they are after the call */
	const char *kept_size; /* the parameter that says how many there are, or NULL */
};

struct gen_signature {
	struct gen_type result;
	struct gen_parameter *parameters;
	size_t count;
};

/* A bridged public function. */
struct gen_function {
	const char *name;
	const struct abi_fact *fact; /* the newest declaration */
	struct gen_signature signature;
	size_t family; /* index into gen.families */
	enum gw_method method;
	bool translates; /* statuses are translated */
	bool returns_status;
	const char *via;         /* NULL unless GW_METHOD_VIA */
	const struct gen_function *narrow; /* by a `narrow` line: who carries it, and */
	const char *refusal;               /* the status of what does not fit */
	bool via_always;         /* also where caller and loaded release are the same */
	const char *shape; /* how the trace reads its shape, or NULL */
	struct gen_carrier result_carrier;
	struct abi_set releases; /* that declare it */
};

/* A gw_constant whose name is not yet in the pool. */
struct gen_constant {
	int32_t value;
	const char *name;
};

struct gen_numbering {
	struct gen_constant *constants;
	uint16_t *neutral_of;
	int32_t *value_of;
	size_t count;
	struct gw_fold *folds;
	size_t fold_count;
	int32_t refuse;
	size_t newest; /* a release that has it */
};

/* A bridged family. */
struct gen_family {
	const struct abi_family *facts;
	const struct treatment_line *bridge;
	const char *status; /* enum's name */
	const char *prefix; /* its functions begin so */
	const char *suite_name;
	unsigned suite;
	bool suite_first;
	bool translates; /* its default method is `table` */
	struct gen_numbering *numberings;
	size_t numbering_count, neutral_count;
	size_t *numbering_of; /* [release_count] */
	int32_t *number_of;   /* [release_count]: what a version question answers; 0 when unknown */
};

/* A constant's number, or a struct's size, in the releases from first to last. */
struct gen_span {
	const char *name;
	int32_t value;
	size_t first, last;
	int typed; /* the type that is passed with it, or -1 */
};

struct gen_spans {
	const char *name; /* the enum or struct */
	size_t family;
	struct gen_span *span; /* sorted by value, then release */
	size_t count;
};

struct gen_facade_symbol {
	const char *name, *node;
	const char *why; /* documentation of a refusal, else NULL */
	int fn;
	enum gw_facade_how how;
	enum gw_class result;
	int first, last; /* releases whose library of this name exports it */
};

struct gen_facade {
	const char *soname, *node, *family_name;
	const struct treatment_line *line;
	const struct abi_family *facts;
	int family;    /* bridged family's index, or -1 */
	size_t answer; /* the newest release of this soname */
	int32_t refuse;
	struct gen_facade_symbol *symbols;
	size_t count;
};

/* How a thing of the facts differs between releases. */
enum gen_form {
	GEN_APPEARS,  /* a release has it that an older one lacks */
	GEN_VANISHES, /* a release lacks it that an older one has */
	GEN_CHANGES,  /* releases say different things of it */
	GEN_REUSES,   /* a constant whose value was another's, which is gone */
	GEN_FORM_COUNT
};

/* One row of the table of differences. */
struct gen_change {
	size_t family; /* index into gen.families */
	enum abi_kind kind;
	enum gen_form form;
	const char *name;            /* as abi_subject says it */
	const struct abi_fact *fact; /* the newest that is about it */
	struct abi_set releases;     /* that have it */
	const char *values;          /* GEN_CHANGES: V,V,… in the order of releases */
	const char *what;            /* for people */
	/* What is done about it, by change.c. */
	const struct treatment_line *line; /* NULL: follows from other decisions */
	const char *how, *status, *finding, *note; /* status, finding: "-" for none */
};

struct gen {
	struct abi_db db;
	struct treatment treatment, changes_file;
	struct abi_findings findings; /* empty where no file of them is given */
	struct gen_family *families; /* sorted by name, as in enum gw_family */
	size_t family_count;
	struct gen_function *functions;
	size_t function_count;
	const char **enums; /* sorted names of gw_enums */
	size_t enum_count;
	struct gen_spans *spans; /* in the treatment's order */
	size_t spans_count;
	struct gen_facade *facades;
	size_t facade_count;
	struct gen_change *changes; /* sorted by family, kind, name, form */
	size_t change_count;
	const char *out; /* directory */
	const char *trace_path;
	const char *named[32]; /* enums that no function has, and the shim wants all the same */
	size_t named_count;
	char build_id[80];
};

/* util.c */
void *gen_alloc(size_t size) __attribute__((returns_nonnull, malloc));
char *gen_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *gen_slice(const char *text, size_t length) __attribute__((returns_nonnull));
void gen_fail(const char *path, unsigned line, unsigned column, const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));
FILE *gen_open(const struct gen *gen, const char *name) __attribute__((returns_nonnull));
void gen_close(FILE *file, const char *name);
void gen_release_memory(void);
uint64_t gen_hash(uint64_t hash, const void *data, size_t size);
uint64_t gen_hash_file(uint64_t hash, const char *path);

/* facts.c: questions to the database. */
struct gen_range {
	const struct abi_fact *first;
	size_t count;
};
struct gen_range facts_of(const struct abi_family *family, enum abi_kind kind);
struct gen_range facts_named(const struct abi_family *family, enum abi_kind kind, const char *name);
const struct abi_family *facts_owner(const struct gen *gen, const struct abi_family *family,
				     enum abi_kind kind, const char *name);
int facts_newest(const struct abi_family *family, const struct abi_set *set); /* -1: empty */
int facts_oldest(const struct abi_family *family, const struct abi_set *set);
bool facts_empty(const struct abi_set *set);
bool facts_equal(const struct abi_set *a, const struct abi_set *b);
void facts_join(struct abi_set *set, const struct abi_set *other);
bool facts_soname(const struct abi_family *family, const char *soname, struct abi_set *releases);
unsigned facts_column(const struct abi_fact *fact,
		      unsigned column); /* 1-based, in the file's line */
char *facts_ranges(const struct abi_family *family, const struct abi_set *set);

/* types.c */
struct gen_type type_resolve(const struct gen *gen, const struct abi_family *family, size_t release,
			     const char *spelling, const struct abi_fact *fact, unsigned column);
struct gen_signature type_signature(const struct gen *gen, const struct abi_family *family,
				    const struct abi_fact *fact);
const struct abi_fact *type_typedef(const struct gen *gen, const struct abi_family *family,
				    size_t release, const char *name);
char *type_declare(const char *spelling, const char *name);
bool type_is_builtin(const char *word);
bool type_is_integer(const char *canonical);
char *type_canonical(const struct gen *gen, const struct abi_family *family, size_t release,
		     const char *spelling, const struct abi_fact *fact, unsigned column);
char *type_canonical_signature(const struct gen_signature *signature);

/* Deciding. */
void model_build(struct gen *gen);
int model_function(const struct gen *gen, const char *name); /* enum gw_fn, or -1 */
int model_family(const struct gen *gen, const char *name);
int model_enum(const struct gen *gen, const char *name);
void status_build(struct gen *gen);
void facade_build(struct gen *gen);
void carry_build(struct gen *gen);
void spans_build(struct gen *gen);
void differ_build(struct gen *gen); /* finds all differences */
void change_build(struct gen *gen); /* says how each is treated */
extern const char *const gen_form_words[GEN_FORM_COUNT];
/* The first row of this thing, or NULL. */
struct gen_change *differ_find(const struct gen *gen, size_t family, enum abi_kind kind, const char *name);
/* The releases that have a library, by its soname up to `.so`. */
struct abi_set differ_library(const struct abi_family *facts, const char *stem, size_t length);
/* Gives the functions that the `narrow` lines name their method; TREATED: those that have a line of their own. */
void narrow_apply(struct gen *gen, const bool *treated);
/* 0: constant NAME has one value in all releases of all bridged families; 1: several; -1: there is none. */
int gen_value(const struct gen *gen, const char *name);
/* A field of a struct is the family's status; a struct has such a field. */
bool carry_is_status(const struct gen *gen, size_t family, const struct abi_fact *field);
bool carry_has_status(const struct gen *gen, size_t family, const char *record);

/* trace.c, emit_trace.c: abi/trace; its part of a wrapper; its table. */
void trace_load_enums(struct gen *gen, const char *path); /* before model_build */
void trace_load(struct gen *gen, const char *path);
void trace_write_record(FILE *file, const struct gen_function *function);
void trace_write_table(const struct gen *gen, FILE *file);
/* emit_wrap.c: defines gw_values, the arguments of a call. */
void emit_values_of(FILE *file, const struct gen_function *function, const char *indent);

/* until.c: the `until` lines, checked when the functions' methods are known; written into gw_via.h. */
void until_check(const struct gen *gen);
void until_write(const struct gen *gen, FILE *file);

/* strings.c: the offset of a copy of TEXT in gw_strings; the definition of gw_strings with all that were added. */
uint32_t strings_add(const char *text);
void strings_write(FILE *file);
void strings_finish(void);

/* Emitting. */
void emit_heads(const struct gen *gen);      /* gw_fn.h, gw_via.h, gw_signatures.h */
void emit_lt(const struct gen *gen);         /* gw_lt.h */
void emit_types(const struct gen *gen);      /* gw_types.h */
void emit_table(const struct gen *gen);      /* gw_table.c */
void emit_wrappers(const struct gen *gen);   /* gw_wrap_FAMILY.c */
void emit_narrow(const struct gen *gen);     /* gw_narrow.c */
void emit_values(const struct gen *gen);     /* gw_values.h */
void emit_thunks(const struct gen *gen);     /* gw_thunks.S */
void emit_interposer(const struct gen *gen); /* gw_interposer.{map,exports} */
void emit_facades(const struct gen *gen);    /* facade-*, facades.txt */
void emit_docs(const struct gen *gen);       /* functions.md, facades.md */
void emit_changes(const struct gen *gen);    /* translations.md, translations.txt */
void emit_findings(const struct gen *gen);   /* gw_findings.{h,c}, findings.md */
const char *emit_class(enum gw_class class);

#endif
