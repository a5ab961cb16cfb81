/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of `gangway doctor` share: one root, what was found in it, and the report, which is JSON (docs/doctor.md).
 * Executes nothing of what it looks at.
 *
 * All paths are as a program sees them whose file system starts at the root. Ownership: every string of these structs lives
 * until gw_doctor_finish. A lack of memory sets `failed`, and leaves out what it hit; the command then exits with 3.
 */
#ifndef GW_TOOLS_DOCTOR_H
#define GW_TOOLS_DOCTOR_H

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include "abi.h"
#include "doctor_frameworks.h"
#include "doctor_read.h"
#include "doctor_table.h"
#include "gw_findings.h"
#include "loader_search.h"
#include "scan.h"

/* A directory of the installed toolkits. */
struct gw_doctor_toolkit {
	const char *path;    /* without links */
	const char *names;   /* the links that lead to it, with commas; may be empty */
	const char *release; /* NULL where no version file says it */
	const char *version_file;
	bool nvcc, current; /* current: /usr/local/cuda is this one */
};

/* A package of pip's. */
struct gw_doctor_package {
	const char *name, *version;
	const char *record; /* its RECORD */
	bool nvidia;        /* its version is that of the library in it */
};

/* A line of a RECORD. */
struct gw_doctor_record {
	const char *path; /* without links where it exists */
	size_t package;
	const char *hash; /* sha256 in its base64; NULL: not compared */
	uint64_t size;
	unsigned line;
	const char *wrong; /* how the file differs; NULL where it does not */
};

/* Where a release is known from. The first three are certain. */
enum gw_doctor_evidence { GW_DOCTOR_WHEEL, GW_DOCTOR_FILE_NAME, GW_DOCTOR_CONTENTS, GW_DOCTOR_EXPORTS, GW_DOCTOR_NEAREST, GW_DOCTOR_UNKNOWN };
extern const char *const gw_doctor_evidence[];

/* A copy of a library. One file that two directories name is two. */
struct gw_doctor_copy {
	const char *family, *stem; /* "cudnn", "libcudnn_ops" */
	const char *path, *directory, *real; /* directory: of path, without links */
	const char *soname;
	const char *release, *oldest; /* release: the newest that fits, oldest: likewise; NULL where unknown */
	enum gw_doctor_evidence evidence;
	const char *origin;  /* "pip nvidia-cudnn-cu12 8.9.2.26" */
	const char *site;    /* the Python environment that it belongs to; NULL for none */
	const char *toolkit; /* or the toolkit */
	bool wins;           /* an ordinary program that needs its soname gets it */
	bool changed;        /* differs from its RECORD */
	bool blamed;         /* told to be the wrong one: what it lacks is not told again */
	const struct gw_doctor_copy *shadow; /* what wins instead of it, of another release; NULL (doctor_faults.c) */
};

/* What a framework gets for one name. */
struct gw_doctor_use {
	const char *soname, *family;
	const char *path, *real; /* NULL: nothing */
	const char *how;	 /* "RPATH of /…/libtorch_cuda.so" */
	const char *by;		 /* who needs or opens it */
	bool later;		 /* not when the framework is imported, but when it needs it */
	const struct gw_doctor_copy *copy; /* once copies are settled; NULL for none */
};

/* A framework of a Python environment. */
struct gw_doctor_framework {
	const char *name, *site;
	size_t line;				 /* where it begins in gw_doctor.frameworks */
	const struct gw_doctor_package *package; /* NULL: not known to pip */
	const char *version;			 /* NULL without a package */
	const char *cuda, *cuda_from, *cudnn, *cudnn_from; /* what it was built for; NULL where nothing says it */
	bool preloads;				 /* it had to open its libraries by their paths */
	struct gw_doctor_use *uses;
	size_t use_count;
};

struct gw_doctor_gpu {
	const char *model, *arch, *from; /* arch: "9.0"; NULL where the name is not known */
};

struct gw_doctor {
	struct gw_scan scan; /* root, LD_LIBRARY_PATH, database, --python */
	struct gw_rules rules;
	struct gw_table table; /* drivers */
	struct gw_frameworks frameworks;
	const char *given_gpu; /* --gpu */
	const char **sites;
	size_t site_count;
	const char **prefixes; /* of conda */
	size_t prefix_count;
	struct gw_doctor_toolkit *toolkits;
	size_t toolkit_count;
	struct gw_doctor_package *packages;
	size_t package_count;
	struct gw_doctor_record *records; /* sorted by path once they are read */
	size_t record_count;
	struct gw_doctor_copy *copies;
	size_t copy_count;
	struct gw_doctor_framework *installed;
	size_t framework_count;
	const char *module, *driver, *driver_kind, *driver_maximum, *maximum_from; /* doctor_driver.c */
	bool driver_newer; /* than any that the table has: it may run more */
	struct gw_doctor_gpu *gpus;
	size_t gpu_count;
	json_t *findings;
	bool severe, failed;
	void **kept;
	size_t kept_count;
};

/* ---- doctor_keep.c: memory, text and findings */

/* A string that lives as long as DOCTOR; "" without memory. */
const char *gw_doctor_keep(struct gw_doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
/* Room for one more item of SIZE in *ARRAY, all zero bytes; NULL without memory. */
void *gw_doctor_more(struct gw_doctor *doctor, void *array, size_t *count, size_t size);
/* REMEDY: NULL for the finding's own. Text that is not UTF-8 is shown with `?`. */
void gw_doctor_find(struct gw_doctor *doctor, enum gw_finding which, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A finding that a file could not be read; MESSAGE starts with its path, which may be that outside the root. */
void gw_doctor_unreadable(struct gw_doctor *doctor, const char *message);
/* null for NULL. */
json_t *gw_doctor_text(const char *text);
void gw_doctor_finish(struct gw_doctor *doctor);
/* The first number with dots in TEXT, as long as it has LEAST parts; NULL. */
const char *gw_doctor_number(struct gw_doctor *doctor, const char *text, unsigned least);

/* ---- doctor_root.c: files under the root */

/* PATH without links; false with errno. */
bool gw_doctor_resolve(const struct gw_doctor *doctor, const char *path, char out[PATH_MAX]);
/* A regular file for reading; -errno. SIZE may be NULL. */
int gw_doctor_open(const struct gw_doctor *doctor, const char *path, uint64_t *size);
/* The same as a stream; NULL with errno. */
FILE *gw_doctor_stream(const struct gw_doctor *doctor, const char *path);
/* A whole small file, ended by NUL, to free; NULL with errno: EFBIG where it has more than LIMIT bytes. */
char *gw_doctor_read(const struct gw_doctor *doctor, const char *path, size_t limit);
/* Each existing path that fits PATTERN, whose parts may hold `*` and `?`, in sorted order. */
typedef void gw_doctor_match_fn(struct gw_doctor *doctor, const char *path, void *context);
void gw_doctor_match(struct gw_doctor *doctor, const char *pattern, gw_doctor_match_fn *each, void *context);

/* ---- doctor_driver.c, doctor_toolkit.c: what is there beside the libraries. Each returns its part of the report. */
json_t *gw_doctor_driver(struct gw_doctor *doctor);
void gw_doctor_find_toolkits(struct gw_doctor *doctor);
json_t *gw_doctor_toolkits(struct gw_doctor *doctor);

/* ---- doctor_family.c: which file names are copies of which family */
/* The family of a file's base name, and its stem ("libcudnn_ops"); NULL when it has none. */
const char *gw_doctor_family(const char *base, char stem[64]);

/* ---- doctor_pip.c: packages, and what their RECORDs say */
void gw_doctor_read_packages(struct gw_doctor *doctor);
/* Compares files with their lines; tells GW-120. */
void gw_doctor_check_records(struct gw_doctor *doctor);
/* The lines about the file REAL: the first, and how many there are. */
const struct gw_doctor_record *gw_doctor_records(const struct gw_doctor *doctor, const char *real, size_t *count);

/* ---- doctor_copies.c, doctor_release.c, doctor_origin.c */
void gw_doctor_find_sites(struct gw_doctor *doctor);
void gw_doctor_find_copies(struct gw_doctor *doctor);
/* One more file, found for a Python environment's directory, or none; before they are settled alone. */
void gw_doctor_add_copy(struct gw_doctor *doctor, const char *path, const char *site);
/* Sorts them, and finds out who wins, which releases they are and where they come from. */
void gw_doctor_settle_copies(struct gw_doctor *doctor);
/* What an ordinary program that needs SONAME gets, and how it is found ("LD_LIBRARY_PATH"); NULL. */
const char *gw_doctor_winner(struct gw_doctor *doctor, const char *soname, const char **how);
void gw_doctor_find_release(struct gw_doctor *doctor, struct gw_doctor_copy *copy);
void gw_doctor_find_origins(struct gw_doctor *doctor);

/* ---- doctor_installed.c, doctor_uses.c: frameworks, and what they get */
void gw_doctor_find_frameworks(struct gw_doctor *doctor);
/* Adds to the copies what they get. */
void gw_doctor_follow_frameworks(struct gw_doctor *doctor);
/* How a file was found: "RPATH of /…/libtorch_cuda.so", "LD_LIBRARY_PATH". */
const char *gw_doctor_how(struct gw_doctor *doctor, enum gw_rule rule, const struct gw_file *owner);
/* A pattern of the data file with what stands in braces filled in; NULL where that is not known. */
const char *gw_doctor_fill(struct gw_doctor *doctor, const struct gw_doctor_framework *framework, const char *text);

/* ---- doctor_report.c: what was found as JSON. The table of what carries 'the CUDA version' comes once all else is known. */
json_t *gw_doctor_copies(struct gw_doctor *doctor);
json_t *gw_doctor_frameworks(struct gw_doctor *doctor);
json_t *gw_doctor_versions(struct gw_doctor *doctor);

/* ---- doctor_faults.c, doctor_sets.c, doctor_suits.c: what is wrong between them */
void gw_doctor_faults(struct gw_doctor *doctor);
void gw_doctor_check_sets(struct gw_doctor *doctor);
void gw_doctor_check_suits(struct gw_doctor *doctor);
/* doctor_nccl.c: an NCCL's release, and the CUDA that it was built with; false where it does not say them. */
bool gw_doctor_nccl(struct gw_doctor *doctor, const char *real, const char **release, const char **cuda);
void gw_doctor_check_nccl(struct gw_doctor *doctor, const struct gw_doctor_framework *framework);
/* doctor_kernels.c */
void gw_doctor_check_kernels(struct gw_doctor *doctor, const struct gw_doctor_framework *framework);
void gw_doctor_check_partners(struct gw_doctor *doctor);
/* Which libcublas works on which libcublasLt. */
json_t *gw_doctor_pairs(struct gw_doctor *doctor);
/* Does the loader take it when it comes to its directory? Its name is its soname then. */
bool gw_doctor_is_named(const struct gw_doctor_copy *copy);
/* The release in words: "9.1.0.70 to 9.20.0.48" where several fit. */
const char *gw_doctor_release(struct gw_doctor *doctor, const struct gw_doctor_copy *copy);
/* Are both releases known so well that they cannot be one? */
bool gw_doctor_differ(const struct gw_doctor_copy *a, const struct gw_doctor_copy *b);

/* ---- doctor_print.c: the report as text */
void gw_doctor_print(json_t *report);

#endif
