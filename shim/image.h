/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the dynamic section of an object that the loader has already mapped. Takes no lock, allocates nothing, calls no loader
 * function, so it is safe while another thread holds the loader's lock. The object must stay mapped during the call.
 */
#ifndef GW_IMAGE_H
#define GW_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the parts of one mapped object lie. Plain pointers into it: nothing to free. */
struct gw_image {
	uintptr_t base;
	const Elf64_Dyn *dynamic;
	const char *strings;
	const Elf64_Sym *symbols;
	const Elf64_Half *versions;
	const char *defined;	/* Elf64_Verdef chain or NULL */
	const char *needed;	/* Elf64_Verneed chain or NULL */
	const uint32_t *gnu_hash, *sysv_hash;
	size_t strings_size;
	const char *soname;	/* NULL when it has none */
};

/* strcmp is a sanitizer's before it is the C library's, and cannot be called as early as these functions are. */
static inline bool gw_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* False when the object has no usable dynamic section (the vdso, static programs). */
bool gw_image_read(struct gw_image *image, uintptr_t base, const Elf64_Dyn *dynamic) __attribute__((nonnull(1)));

/*
 * Address of the defined function NAME, NULL when there is none. VERSION NULL takes the default version, else any; a VERSION
 * matches that node, or any definition of an object without nodes, as the loader has it.
 */
void *gw_image_function(const struct gw_image *image, const char *name, const char *version)
	__attribute__((nonnull(1, 2)));

/* Address of the default version of the defined variable NAME, NULL when there is none. */
void *gw_image_object(const struct gw_image *image, const char *name) __attribute__((nonnull));

/* Does the object define the version node NODE? */
bool gw_image_defines_node(const struct gw_image *image, const char *node) __attribute__((nonnull));

/* Calls VISIT for each node that the object defines (true) or needs (false) until VISIT returns false. */
void gw_image_nodes(const struct gw_image *image, bool defined, bool (*visit)(const char *node, void *data), void *data)
	__attribute__((nonnull(1, 3)));

/*
 * Calls VISIT for each function or variable that the object has an undefined strong symbol for, until VISIT returns false. END bounds what is read:
 * the end of what is mapped around the symbol table.
 */
void gw_image_imports(const struct gw_image *image, uintptr_t end, bool (*visit)(const char *name, void *data), void *data)
	__attribute__((nonnull(1, 3)));

/* The N-th DT_NEEDED name, NULL past the last. */
const char *gw_image_needed(const struct gw_image *image, unsigned n) __attribute__((nonnull));

#endif
