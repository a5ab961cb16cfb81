/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binding says who answers the calls of one family for one kind of caller: a mapped library with the addresses of its functions,
 * and, behind a facade, the releases to translate between. Bindings live in fixed memory; they are made aside and published
 * whole, without a lock, because making one may load libraries and so run constructors that call in again.
 */
#ifndef GW_BINDING_H
#define GW_BINDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "image.h"
#include "gw_fn.h"
#include "table.h"

struct gw_object;

struct gw_binding {
	_Atomic uint32_t state;			/* 0: free, 1: being made, 2: in use */
	uint8_t family;				/* enum gw_family */
	_Atomic uint8_t origin;			/* 0: none yet */
	bool is_refined;			/* made by gw_binding_refine */
	bool facade;				/* calls came through a facade: translate */
	bool stub;				/* the answering object is no vendor library but, say, a framework's own stub */
	_Atomic bool differs;			/* caller's and loaded release differ: `via` functions answer */
	bool translate;				/* their statuses are numbered differently */
	bool loaded;				/* there is a library behind it */
	_Atomic bool asked;			/* loaded_release is as known as it will be */
	const struct gw_numbering *caller_numbering, *loaded_numbering;	/* NULL: unknown, and the same */
	/* Stands for what the caller was built for: a facade's release, or one that is like all that the caller may have; NULL: not known. */
	const struct gw_release *caller_release;
	const struct gw_release *caller_first, *caller_last;	/* the oldest and newest that it may be; NULL: nothing tells */
	const struct gw_release *major_first, *major_last;	/* the releases of the answering soname */
	const struct gw_release *version_release;	/* what version questions are answered as; NULL: by the library itself */
	_Atomic(const struct gw_release *) loaded_release;	/* NULL until known: gw_binding_ask */
	_Atomic(struct gw_binding *) refined;	/* the same library for callers of which more is known; each is the next one's */
	_Atomic uint32_t traced;		/* the epoch of the trace that has its definition */
	_Atomic bool told;			/* of nobody's: why a facade has no target has been told */
	int32_t refuse;				/* status for what is missing, in the caller's numbering */
	struct gw_object *library;		/* NULL when not loaded */
	struct gw_image image;
	char path[512];				/* for the log */
	_Atomic(void *) target[GW_FN_COUNT];	/* NULL: not looked up yet; gw_binding_nothing: it has none */
};

extern char gw_binding_nothing[];	/* its address marks a function that is known to be missing */

/*
 * BINDING as it is for CALLER: one that knows which releases CALLER was built for, where that is known (built.h), else BINDING itself. At most
 * 24 of the 64 bindings, of 10 KB that are touched as functions are called, are such; when they are taken, callers are as unknown ones.
 */
struct gw_binding *gw_binding_refine(struct gw_binding *binding, struct gw_object *caller) __attribute__((nonnull, returns_nonnull));

/*
 * Asks the library for its release, once: before the first `via … always` function of a real library, since cuDNN's front loads its parts for
 * the answer. Behind a facade it is known from the start.
 */
void gw_binding_ask(struct gw_binding *binding) __attribute__((nonnull));

/* Who answers CALLER's call of FN by the interposer's own name. Never NULL. */
struct gw_binding *gw_binding_for_caller(struct gw_object *caller, uint32_t fn) __attribute__((nonnull, returns_nonnull));

/* The binding behind a facade; the first time, this finds and opens its target. Never NULL. */
struct gw_binding *gw_binding_for_facade(const struct gw_facade *facade) __attribute__((nonnull, returns_nonnull));

/* The binding of a mapped library; NULL when all are taken. */
struct gw_binding *gw_binding_for_library(struct gw_object *library, unsigned family) __attribute__((nonnull));

/* The binding that a thunk of this origin stands for; never NULL for an origin that gw_binding_origin gave. */
struct gw_binding *gw_binding_of_origin(unsigned family, unsigned origin);

/*
 * What an object remembers of its calls through an origin (gw_object.through): the origin above the binding's address, which has 47 bits.
 * An object calls through one origin as a rule; through several, the last is remembered.
 */
#define GW_THROUGH_SHIFT 48

static inline uint64_t gw_binding_by_origin(const struct gw_binding *binding, uint32_t origin)
{
	return (uint64_t)origin << GW_THROUGH_SHIFT | (uintptr_t)binding;
}

static inline struct gw_binding *gw_binding_through(uint64_t remembered)
{
	return (struct gw_binding *)(uintptr_t)(remembered & ((UINT64_C(1) << GW_THROUGH_SHIFT) - 1));
}

/* Origin number of a binding, given on demand; 0 when a family's are all taken. */
unsigned gw_binding_origin(struct gw_binding *binding) __attribute__((nonnull));

/* Address of FN there; NULL when there is none. */
void *gw_binding_target(struct gw_binding *binding, uint32_t fn) __attribute__((nonnull));

/*
 * FN for CALLER where *BINDING, which answers its other calls, lacks it: a framework's stub that has some of the functions, the vendor's
 * library the rest. Then *BINDING is the one that has it; else NULL.
 */
void *gw_binding_elsewhere(struct gw_binding **binding, struct gw_object *caller, uint32_t fn) __attribute__((nonnull));

/* Whoever would answer FN for CALLER if libgangway.so were not there; NULL when nobody would. */
struct gw_object *gw_binding_provider(struct gw_object *caller, uint32_t fn) __attribute__((nonnull));

/* Is BINDING the address of one? Reads nothing there. */
bool gw_binding_is(const struct gw_binding *binding);

/* A library has been unmapped. Only from the object table's sweep. */
void gw_binding_library_gone(struct gw_object *library) __attribute__((nonnull));

/* Facades announce themselves when they are mapped, so that callers bound to their nodes are recognised. */
void gw_facade_register(const struct gw_facade *facade) __attribute__((nonnull));
void gw_facade_unregister(const struct gw_facade *facade) __attribute__((nonnull));
const struct gw_facade *gw_facade_named(const char *soname) __attribute__((nonnull));

#endif
