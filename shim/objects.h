/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mapped object an address belongs to, and what that object is to us. A lookup that was made before is one relaxed load; a
 * new one walks the loader's list through dl_iterate_phdr, which takes the loader's list lock but never the one held while
 * constructors run. Records are dropped when their object has been closed (gw_objects_closed).
 */
#ifndef GW_OBJECTS_H
#define GW_OBJECTS_H

#include <stdatomic.h>
#include "gw_fn.h"
#include "image.h"

struct gw_binding;
struct gw_facade;

enum gw_role {
	GW_ROLE_OTHER,		/* the program and its libraries */
	GW_ROLE_VENDOR,		/* defines a vendor family's version node */
	GW_ROLE_FACADE,		/* ours, under a vendor's soname */
	GW_ROLE_SELF,		/* libgangway.so */
};

#define GW_NODE_MAX 12	/* vendor nodes of one family that an object needs: cuDNN 8 has one for each of its seven files */

struct gw_object {
	uintptr_t low, high;		/* the mapped range, all segments */
	struct gw_image image;
	const char *path;		/* the loader's own string; "" is the program */
	_Atomic uint64_t identity;		/* hash of path, base and size: says that a record is still this object */
	uint8_t role;
	int8_t family;			/* vendor and facade: enum gw_family, or -1 */
	const char *node;		/* vendor and facade: the node it defines */
	const char *wants[GW_FAMILY_COUNT][GW_NODE_MAX];	/* vendor nodes it needs, from its version references */
	uintptr_t frames;		/* .eh_frame_hdr; 0: none */
	uintptr_t symbols_end;		/* no symbol of its dynamic table lies here or beyond */
	_Atomic uint32_t built[GW_FAMILY_COUNT];	/* built.c's: which releases it was built for; 0: not known yet */
	_Atomic(struct gw_binding *) bindings[GW_FAMILY_COUNT];	/* who answers its calls; NULL: not known yet */
	_Atomic uint64_t through[GW_FAMILY_COUNT];	/* who answers those that came in through an origin: binding.h */
	_Atomic uint32_t traced[GW_FAMILY_COUNT];	/* the epoch of the trace that has its definition as a caller of the family */
	_Atomic(struct gw_binding *) answers[GW_FAMILY_COUNT];	/* the binding whose library it is */
};

/* What gw_object_known reads; written by objects.c alone. */
#define GW_OBJECT_CACHE 2048u		/* pages of calling code remembered */
#define GW_OBJECT_PAGE_SHIFT 12
#define GW_OBJECT_PAGE_BITS 36
#define GW_OBJECT_GENERATIONS 0xffffu
#define GW_OBJECT_HIDDEN __attribute__((visibility("hidden")))
extern _Atomic uint64_t gw_object_cache[GW_OBJECT_CACHE] GW_OBJECT_HIDDEN;	/* generation << 48 | index << 36 | page */
extern _Atomic uint32_t gw_object_generation GW_OBJECT_HIDDEN;
extern _Atomic int gw_objects_in_close GW_OBJECT_HIDDEN;
extern struct gw_object gw_object_records[] GW_OBJECT_HIDDEN;

/* The object that ADDRESS lies in, as far as that is known from before, by a few loads; else NULL: gw_object_of knows how to find out. */
static inline struct gw_object *gw_object_known(const void *address)
{
	uint64_t page = ((uintptr_t)address >> GW_OBJECT_PAGE_SHIFT) & ((UINT64_C(1) << GW_OBJECT_PAGE_BITS) - 1);
	uint64_t now = atomic_load_explicit(&gw_object_generation, memory_order_acquire);
	uint64_t entry = atomic_load_explicit(&gw_object_cache[page % GW_OBJECT_CACHE], memory_order_acquire);
	uint64_t index = (entry ^ ((now & GW_OBJECT_GENERATIONS) << 48 | page)) >> GW_OBJECT_PAGE_BITS;

	/* Another page, another generation, the unknown object. */
	if ((entry ^ page) & ((UINT64_C(1) << GW_OBJECT_PAGE_BITS) - 1) || index - 1 >= (1u << (48 - GW_OBJECT_PAGE_BITS)) - 1)
		return NULL;
	return atomic_load_explicit(&gw_objects_in_close, memory_order_acquire) ? NULL : &gw_object_records[index];
}

/* The object that ADDRESS lies in; never NULL: an unknown address yields a record without names. */
struct gw_object *gw_object_of(const void *address);

/* First mapped object, in load order, with this SONAME or defining this node; NULL when there is none. Not libgangway.so. */
struct gw_object *gw_object_named(const char *name) __attribute__((nonnull));

/* Calls VISIT for every mapped object in load order, until it returns false. VISIT must not call the loader. */
void gw_objects_each(bool (*visit)(struct gw_object *object, void *data), void *data) __attribute__((nonnull(1)));

/*
 * The same for what is known from before, in no order, without asking the loader: from a signal handler. An object's name may lie in memory
 * that is gone, when it was closed meanwhile.
 */
void gw_objects_recorded(bool (*visit)(const struct gw_object *object, void *data), void *data) __attribute__((nonnull(1)));

/* Does ADDRESS lie in a vendor's library, as far as is known? A few loads, for programs that get signals all the time; likewise. */
bool gw_objects_vendors(uintptr_t address);

/*
 * Around each dlclose. Between the two nothing remembered is trusted, as another thread may map something else where the closed object
 * was; then what no longer is mapped is forgotten. Cheap when nothing was unmapped.
 */
void gw_objects_closing(void);
void gw_objects_closed(void);
void gw_objects_forked(void);	/* in a fork's child */

/* No object's calls go through BINDING any more. Only from gw_binding_library_gone. */
void gw_objects_forget_binding(const struct gw_binding *binding) __attribute__((nonnull));

/* Name to print: the program's own path for the program itself. */
const char *gw_object_path(const struct gw_object *object) __attribute__((nonnull, returns_nonnull));

#endif
