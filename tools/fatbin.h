/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which code for GPUs a file holds: kernels of which architectures, PTX of which versions. Read
 * from the headers of the fat binaries that nvcc puts into .nv_fatbin; the code itself is mostly
 * compressed, and is not read. What lies elsewhere (kernels that a library keeps in resources of
 * its own, PTX in strings) is not seen.
 *
 * No vendor documents the format. What is read of it was measured: with nvcc, ptxas and fatbinary of
 * CUDA 13.0 for each architecture, and compared with the libraries of CUDA 11.7 to 13.0.
 */
#ifndef GW_TOOLS_FATBIN_H
#define GW_TOOLS_FATBIN_H

#include "elf_read.h"

/* "sm_90a": 90 and 'a'. */
struct gw_gpu {
	unsigned arch; /* ten times the compute capability */
	char variant;  /* 'a': this architecture alone; 'f': its family alone; 0 */
};

enum gw_fatbin_kind {
	GW_FATBIN_KERNELS,
	GW_FATBIN_PTX,
	GW_FATBIN_OTHER, /* intermediate code for the linker, or newer than this file knows */
};

/* One kind of code, however often the file has it. */
struct gw_fatbin_code {
	enum gw_fatbin_kind kind;
	struct gw_gpu gpu;
	unsigned major, minor; /* of PTX: the version of its language */
	size_t count;          /* entries */
	size_t compressed;     /* of those */
};

struct gw_fatbin {
	struct gw_fatbin_code *code; /* by kind, architecture, variant and version */
	size_t count;
	size_t modules;         /* fat binaries: each was one compilation, and is loaded by itself */
	const char *incomplete; /* why some of it could not be read; NULL: all was */
};

/* A file without fat binaries has none: no error. 0 or -ENOMEM. */
int gw_fatbin_read(struct gw_fatbin *fatbin, const struct gw_elf *elf)
	__attribute__((warn_unused_result, nonnull));
void gw_fatbin_finish(struct gw_fatbin *fatbin) __attribute__((nonnull));

/* What a GPU of compute capability GPU.arch / 10 gets of it. */
enum gw_fatbin_fit {
	GW_FATBIN_NOTHING, /* "no kernel image is available for execution on the device" */
	GW_FATBIN_COMPILED, /* PTX alone, which the driver compiles, if it knows its version */
	GW_FATBIN_READY,    /* kernels */
};
enum gw_fatbin_fit gw_fatbin_fits(const struct gw_fatbin *fatbin, unsigned arch)
	__attribute__((nonnull));

/* The PTX of the newest version; where ARCH is not 0, of that which this GPU could use; NULL. */
const struct gw_fatbin_code *gw_fatbin_newest_ptx(const struct gw_fatbin *fatbin, unsigned arch)
	__attribute__((nonnull));

/* "sm_90a", "90a", "9.0": false for anything else. */
bool gw_gpu_parse(struct gw_gpu *gpu, const char *text) __attribute__((nonnull));

#endif
