/* SPDX-License-Identifier: Apache-2.0 */
/* See binding.h. Opening a facade's target is in target.c; this file decides who answers whom. */
#include "binding.h"

#include <dlfcn.h>
#include <string.h>

#include "absent.h"
#include "built.h"
#include "finding.h"
#include "log.h"
#include "objects.h"
#include "real.h"
#include "release.h"
#include "target.h"
#include "visible.h"

#define BINDINGS 64u
#define FACADES 64u
#define CLOSURE 256u	/* objects looked through for one caller */
#define REFINED 24u	/* bindings for callers of known releases; the rest is for libraries */
#define RESERVED 2u	/* origins that only facades get: without one, a facade could translate nothing */

static struct gw_binding bindings[BINDINGS];
static _Atomic uint32_t refined_count;
static _Atomic(struct gw_binding *) origins[GW_FAMILY_COUNT][GW_ORIGINS + 1];
static _Atomic(const struct gw_facade *) facades[FACADES];
static struct gw_binding nobody[GW_FAMILY_COUNT];	/* answers where no library can */
static _Atomic int nobody_ready;
char gw_binding_nothing[1];

static struct gw_binding *take_free(void)
{
	unsigned i;

	for (i = 0; i < BINDINGS; i++) {
		uint32_t free_state = 0;

		if (atomic_compare_exchange_strong(&bindings[i].state, &free_state, 1)) {
			atomic_store_explicit(&bindings[i].traced, 0, memory_order_relaxed);
			return &bindings[i];
		}
	}
	return NULL;
}

static void give_back(struct gw_binding *binding)
{
	unsigned fn;

	for (fn = 0; fn < GW_FN_COUNT; fn++)
		atomic_store_explicit(&binding->target[fn], NULL, memory_order_relaxed);
	atomic_store(&binding->origin, 0);
	atomic_store(&binding->refined, NULL);
	atomic_store(&binding->asked, false);
	if (binding->is_refined)
		atomic_fetch_sub(&refined_count, 1);
	binding->is_refined = false;
	binding->library = NULL;
	atomic_store(&binding->state, 0);
}

static struct gw_binding *nobody_of(unsigned family)
{
	int untouched = 0;
	unsigned f;

	if (atomic_compare_exchange_strong(&nobody_ready, &untouched, 1)) {
		for (f = 0; f < GW_FAMILY_COUNT; f++) {
			nobody[f].family = (uint8_t)f;
			nobody[f].refuse = gw_families[f].refuse[gw_families[f].releases[0].numbering];
		}
		atomic_store_explicit(&nobody_ready, 2, memory_order_release);
	}
	while (atomic_load_explicit(&nobody_ready, memory_order_acquire) != 2)
		__builtin_ia32_pause();	/* a few stores long, and they wait for nothing */
	return &nobody[family];
}

static void copy_path(struct gw_binding *binding, const char *path)
{
	size_t length = strlen(path);

	if (length >= sizeof(binding->path))
		length = sizeof(binding->path) - 1;
	memcpy(binding->path, path, length);
	binding->path[length] = 0;
}

/* What follows ".so." of the node, with which releases are grouped; "" when there is none. */
static const char *major_of(const char *node)
{
	const char *at = node ? strstr(node, ".so.") : NULL;

	return at ? at + 4 : "";
}

/* The releases whose sonames end in MAJOR, which follow one another; all of them when it is "". False when there are none. */
static bool releases_of(unsigned family, const char *major, const struct gw_release **first, const struct gw_release **last)
{
	const struct gw_family_data *data = &gw_families[family];
	uint32_t i;

	*first = *last = NULL;
	for (i = 0; i < data->release_count; i++)
		if (!*major || !strcmp(data->releases[i].soname_major, major)) {
			*first = *first ? *first : &data->releases[i];
			*last = &data->releases[i];
		}
	return *first != NULL;
}

struct gw_binding *gw_binding_for_library(struct gw_object *library, unsigned family)
{
	struct gw_binding *binding = atomic_load_explicit(&library->answers[family], memory_order_acquire);
	const struct gw_release *newest;
	struct gw_binding *other = NULL;

	if (binding)
		return binding;
	binding = take_free();
	if (!binding)
		return NULL;
	binding->family = (uint8_t)family;
	binding->facade = binding->translate = false;
	atomic_store_explicit(&binding->differs, false, memory_order_relaxed);
	binding->stub = library->role == GW_ROLE_OTHER;
	binding->loaded = true;
	binding->library = library;
	binding->image = library->image;
	binding->caller_release = binding->caller_first = binding->caller_last = binding->version_release = NULL;
	atomic_store_explicit(&binding->loaded_release, NULL, memory_order_relaxed);
	/* Numbers are the same in all releases of one soname; only newer ones have more of them. */
	newest = releases_of(family, major_of(library->node), &binding->major_first, &binding->major_last) && library->node ?
			 binding->major_last : NULL;
	binding->caller_numbering = binding->loaded_numbering = newest ? &gw_families[family].numberings[newest->numbering] : NULL;
	binding->refuse = gw_families[family].refuse[newest ? newest->numbering : 0];
	copy_path(binding, gw_object_path(library));
	atomic_store(&binding->state, 2);
	if (!atomic_compare_exchange_strong(&library->answers[family], &other, binding)) {
		give_back(binding);
		return other;
	}
	if (!binding->stub)
		gw_log_library(gw_families[family].name, library->image.soname ? library->image.soname : library->node,
			       binding->path, NULL);
	return binding;
}

/* The binding of a facade's release, which all facades of that family and soname generation share. */
static struct gw_binding *find_facade_binding(const struct gw_facade *facade)
{
	unsigned i;

	for (i = 0; i < BINDINGS; i++)
		if (atomic_load_explicit(&bindings[i].state, memory_order_acquire) == 2 && bindings[i].facade &&
		    !bindings[i].is_refined && bindings[i].family == facade->family && bindings[i].version_release == &gw_families[facade->family].releases[facade->release])
			return &bindings[i];
	return NULL;
}

struct gw_binding *gw_binding_for_facade(const struct gw_facade *facade)
{
	static _Atomic(struct gw_binding *) published[GW_FAMILY_COUNT][64];
	const struct gw_family_data *family = &gw_families[facade->family];
	_Atomic(struct gw_binding *) *place = &published[facade->family][facade->release % 64];
	struct gw_binding *binding = atomic_load_explicit(place, memory_order_acquire), *other = NULL;
	struct gw_target target;

	if (binding && binding->version_release == &family->releases[facade->release])
		return binding;
	binding = binding ? find_facade_binding(facade) : NULL;
	if (binding)
		return binding;
	gw_target_open(facade, &target);
	binding = target.library ? take_free() : NULL;
	atomic_store(&nobody_of((unsigned)facade->family)->told, !target.library);
	if (!binding) {	/* no library: told already; it may be there at a later call, so this answer is not kept */
		gw_target_close(&target);
		return nobody_of((unsigned)facade->family);
	}
	binding->family = (uint8_t)facade->family;
	binding->facade = true;
	binding->stub = false;
	binding->caller_release = binding->version_release = &family->releases[facade->release];
	releases_of((unsigned)facade->family, binding->version_release->soname_major, &binding->major_first, &binding->major_last);
	binding->caller_first = binding->major_first;
	binding->caller_last = binding->major_last;
	binding->caller_numbering = &family->numberings[binding->caller_release->numbering];
	binding->library = target.library;
	binding->loaded = true;
	atomic_store_explicit(&binding->loaded_release, target.release, memory_order_relaxed);
	atomic_store_explicit(&binding->asked, true, memory_order_relaxed);
	binding->loaded_numbering = target.release ? &family->numberings[target.release->numbering] :
						     binding->caller_numbering;
	binding->translate = binding->caller_numbering != binding->loaded_numbering;
	atomic_store_explicit(&binding->differs, true, memory_order_relaxed);
	binding->refuse = facade->refuse;
	binding->image = target.library->image;
	copy_path(binding, target.path);
	atomic_store(&binding->state, 2);
	if (!atomic_compare_exchange_strong(place, &other, binding)) {
		gw_target_close(&target);
		if (other->version_release == &family->releases[facade->release]) {
			give_back(binding);
			return other;
		}
	}
	gw_log_library(family->name, facade->soname, binding->path, target.version);
	return binding;
}

void gw_binding_ask(struct gw_binding *binding)
{
	const struct gw_release *loaded = NULL, *caller = binding->caller_release;
	char version[32];

	/* Two threads may ask at once, and hear the same. */
	if (binding->loaded && !binding->stub && binding->library)
		loaded = gw_release_asked(binding->library, binding->family, version, sizeof(version));
	atomic_store_explicit(&binding->loaded_release, loaded, memory_order_release);
	if (caller && loaded)
		atomic_store_explicit(&binding->differs, caller->like != loaded->like, memory_order_release);
	atomic_store_explicit(&binding->asked, true, memory_order_release);
}

/* BUILT, but of the releases whose soname the binding answers for: [*FIRST, *LAST]. False when there are none. */
static bool clip(const struct gw_binding *base, struct gw_built built, const struct gw_release **first, const struct gw_release **last)
{
	const struct gw_release *releases = gw_families[base->family].releases;

	*first = releases + built.first > base->major_first ? releases + built.first : base->major_first;
	*last = releases + built.last < base->major_last ? releases + built.last : base->major_last;
	return *first <= *last;
}

static void fill_refined(struct gw_binding *binding, const struct gw_binding *base, const struct gw_release *first,
			 const struct gw_release *last)
{
	const struct gw_family_data *data = &gw_families[base->family];
	bool alike = gw_built_alike(base->family, (unsigned)(first - data->releases), (unsigned)(last - data->releases));

	binding->family = base->family;
	binding->facade = base->facade;
	binding->stub = base->stub;
	binding->loaded = true;
	binding->library = base->library;
	binding->image = base->image;
	binding->caller_first = first;
	binding->caller_last = last;
	/* Behind a facade some release has to be meant; what its newest one has, older ones have where they have it at all. */
	binding->caller_release = alike ? first : base->facade ? last : NULL;
	binding->version_release = base->version_release;
	binding->major_first = base->major_first;
	binding->major_last = base->major_last;
	/* Within one soname numbers stay and new ones come: what even the newest that the caller may be has no name for is folded. */
	binding->caller_numbering = &data->numberings[(binding->caller_release ? binding->caller_release : last)->numbering];
	binding->loaded_numbering = base->loaded_numbering;
	binding->translate = binding->loaded_numbering && binding->caller_numbering != binding->loaded_numbering;
	binding->refuse = base->facade ? data->refuse[binding->caller_release->numbering] : base->refuse;
	atomic_store_explicit(&binding->differs, base->facade, memory_order_relaxed);
	atomic_store_explicit(&binding->loaded_release, base->facade ? atomic_load(&base->loaded_release) : NULL, memory_order_relaxed);
	atomic_store_explicit(&binding->asked, base->facade, memory_order_relaxed);
	copy_path(binding, base->path);
}

static struct gw_binding *among(struct gw_binding *from, const struct gw_release *first, const struct gw_release *last)
{
	for (; from; from = atomic_load_explicit(&from->refined, memory_order_acquire))
		if (from->caller_first == first && from->caller_last == last)
			return from;
	return NULL;
}

struct gw_binding *gw_binding_refine(struct gw_binding *base, struct gw_object *caller)
{
	struct gw_built built = base->loaded && !base->stub ? gw_built_for(caller, base->family) : (struct gw_built){ 0 };
	const struct gw_release *first, *last;
	struct gw_binding *binding, *head;

	if (!built.known || !base->major_first || !clip(base, built, &first, &last))
		return base;
	binding = among(base, first, last);
	if (binding)
		return binding;
	if (atomic_fetch_add(&refined_count, 1) >= REFINED || !(binding = take_free())) {
		atomic_fetch_sub(&refined_count, 1);
		return base;
	}
	binding->is_refined = true;
	fill_refined(binding, base, first, last);
	head = atomic_load_explicit(&base->refined, memory_order_acquire);
	atomic_store(&binding->state, 2);
	do {
		struct gw_binding *other = among(head, first, last);

		if (other) {
			give_back(binding);
			return other;
		}
		atomic_store_explicit(&binding->refined, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&base->refined, &head, binding));
	return binding;
}

struct gw_binding *gw_binding_of_origin(unsigned family, unsigned origin)
{
	struct gw_binding *binding = atomic_load_explicit(&origins[family][origin], memory_order_acquire);

	return binding ? binding : nobody_of(family);
}

unsigned gw_binding_origin(struct gw_binding *binding)
{
	unsigned origin = atomic_load_explicit(&binding->origin, memory_order_acquire);
	unsigned last = binding->facade ? GW_ORIGINS : GW_ORIGINS - RESERVED;

	if (origin || binding == nobody_of(binding->family))
		return origin;
	for (origin = 1; origin <= last; origin++) {
		struct gw_binding *empty = NULL;

		if (atomic_compare_exchange_strong(&origins[binding->family][origin], &empty, binding) || empty == binding) {
			atomic_store_explicit(&binding->origin, (uint8_t)origin, memory_order_release);
			return origin;
		}
	}
	return 0;
}

void gw_binding_library_gone(struct gw_object *library)
{
	unsigned i, f, o;

	for (f = 0; f < GW_FAMILY_COUNT; f++)
		atomic_store(&library->answers[f], NULL);
	for (i = 0; i < BINDINGS; i++) {
		if (atomic_load(&bindings[i].state) != 2 || bindings[i].library != library || bindings[i].facade)
			continue;	/* a facade's target is held open and never goes */
		for (o = 1; o <= GW_ORIGINS; o++) {
			struct gw_binding *expected = &bindings[i];

			atomic_compare_exchange_strong(&origins[bindings[i].family][o], &expected, NULL);
		}
		gw_objects_forget_binding(&bindings[i]);
		give_back(&bindings[i]);
	}
}

GW_VISIBLE void gw_facade_register(const struct gw_facade *facade)
{
	unsigned i;

	if (strcmp(facade->build_id, gw_build_id))
		gw_finding_tell(GW_FINDING_OTHER_BUILD, facade->soname,
				"a facade was built with another libgangway.so than the one in this process", NULL);
	for (i = 0; i < FACADES; i++) {
		const struct gw_facade *empty = NULL;

		if (atomic_compare_exchange_strong(&facades[i], &empty, facade))
			return;
	}
}

GW_VISIBLE void gw_facade_unregister(const struct gw_facade *facade)
{
	unsigned i;

	for (i = 0; i < FACADES; i++) {
		const struct gw_facade *expected = facade;

		atomic_compare_exchange_strong(&facades[i], &expected, NULL);
	}
}

const struct gw_facade *gw_facade_named(const char *soname)
{
	unsigned i;

	for (i = 0; i < FACADES; i++) {
		const struct gw_facade *facade = atomic_load_explicit(&facades[i], memory_order_acquire);

		if (facade && !strcmp(facade->soname, soname))
			return facade;
	}
	return NULL;
}

/* The mapped library that answers CALLER's references to a node of this family; the loader binds a node by its file's name. */
static struct gw_object *by_node(struct gw_object *caller, unsigned family, const char *name)
{
	struct gw_object *first = NULL;
	unsigned i;

	for (i = 0; i < GW_NODE_MAX && caller->wants[family][i]; i++) {
		struct gw_object *object = gw_object_named(caller->wants[family][i]);

		if (!object || object->role == GW_ROLE_OTHER)
			continue;
		if (object->role == GW_ROLE_FACADE || gw_image_function(&object->image, name, NULL))
			return object;
		if (!first)
			first = object;
	}
	return first;
}

/* CALLER and what it needs, breadth first, as its own search list has it: the first that defines NAME. */
static struct gw_object *by_closure(struct gw_object *caller, const char *name)
{
	struct gw_object *queue[CLOSURE];
	unsigned count = 0, at, i, k;
	const char *needed;

	if (!caller->identity || !caller->image.strings)
		return NULL;
	queue[count++] = caller;
	for (at = 0; at < count; at++) {
		struct gw_object *object = queue[at];

		if (object->role != GW_ROLE_SELF && gw_image_function(&object->image, name, NULL))
			return object;
		for (i = 0; count < CLOSURE && (needed = gw_image_needed(&object->image, i)); i++) {
			struct gw_object *next = gw_object_named(needed);

			for (k = 0; next && k < count; k++)
				if (queue[k] == next)
					next = NULL;
			if (next && next->image.strings)
				queue[count++] = next;
		}
	}
	return NULL;
}

/* Who of all that is mapped defines NAME: the family's first library, else the first of all. */
struct definer {
	const char *name;
	unsigned family, count;
	struct gw_object *vendor, *any;
};

static bool defines(struct gw_object *object, void *data)
{
	struct definer *definer = data;
	bool vendor = (object->role == GW_ROLE_VENDOR || object->role == GW_ROLE_FACADE) && object->family == (int)definer->family;

	if (object->role == GW_ROLE_SELF || !gw_image_function(&object->image, definer->name, NULL))
		return true;
	definer->count++;
	if (vendor && !definer->vendor)
		definer->vendor = object;
	if (!definer->any)
		definer->any = object;
	return true;
}

static struct gw_object *by_own_list(struct gw_object *caller, uint32_t fn)
{
	struct gw_object *object = by_node(caller, gw_functions[fn].family, gw_function_name(fn));

	return object ? object : by_closure(caller, gw_function_name(fn));
}

struct gw_object *gw_binding_provider(struct gw_object *caller, uint32_t fn)
{
	struct gw_object *object = by_own_list(caller, fn);
	void *next;

	if (!object && (next = gw_real()->dlsym(RTLD_NEXT, gw_function_name(fn)))) {
		object = gw_object_of(next);
		if (!object->identity || object->role == GW_ROLE_SELF)
			object = NULL;
	}
	return object;
}

static struct gw_binding *binding_of_provider(struct gw_object *object, unsigned family)
{
	const struct gw_facade *facade;

	if (object->role == GW_ROLE_FACADE && object->image.soname && (facade = gw_facade_named(object->image.soname)) &&
	    facade->family == (int)family)
		return gw_binding_for_facade(facade);
	return gw_binding_for_library(object, family);
}

struct gw_binding *gw_binding_for_caller(struct gw_object *caller, uint32_t fn)
{
	const struct gw_function *function = &gw_functions[fn];
	unsigned family = function->family;
	struct gw_binding *binding = atomic_load_explicit(&caller->bindings[family], memory_order_acquire);
	struct definer definer = { .name = gw_function_name(fn), .family = family };
	struct gw_object *object;

	if (binding)
		return binding;
	object = by_own_list(caller, fn);
	if (!object) {
		gw_objects_each(defines, &definer);
		/* Only a choice needs the loader's word, which takes the lock that a constructor may be waiting under. */
		if (definer.count > 1)
			object = gw_binding_provider(caller, fn);
		if (!object)
			object = definer.vendor ? definer.vendor : definer.any;
	}
	binding = object ? binding_of_provider(object, family) : NULL;
	if (!binding)
		return nobody_of(family);
	binding = gw_binding_refine(binding, caller);
	/* Remembered for callers that are real objects; one that no object holds is asked for anew, as it may be anybody. */
	if (caller->identity && binding != nobody_of(family))
		atomic_store_explicit(&caller->bindings[family], binding, memory_order_release);
	return binding;
}

/* FN where the binding's own library lacks it: another file of the same family and generation (cuDNN's parts). */
struct sibling {
	const struct gw_binding *binding;
	const char *name;
	void *found;
};

static bool in_sibling(struct gw_object *object, void *data)
{
	struct sibling *s = data;

	if (object->role != GW_ROLE_VENDOR || object->family != s->binding->family || !object->node ||
	    !s->binding->library->node || strcmp(major_of(object->node), major_of(s->binding->library->node)))
		return true;
	s->found = gw_image_function(&object->image, s->name, NULL);
	return !s->found;
}

void *gw_binding_target(struct gw_binding *binding, uint32_t fn)
{
	void *target = atomic_load_explicit(&binding->target[fn], memory_order_acquire);
	struct sibling sibling = { .binding = binding, .name = gw_function_name(fn) };

	if (target)
		return target == gw_binding_nothing ? NULL : target;
	if (!binding->loaded)
		return NULL;
	target = gw_image_function(&binding->image, sibling.name, NULL);
	if (!target) {
		gw_objects_each(in_sibling, &sibling);
		target = sibling.found;
	}
	/* Only a facade's target is complete for good: other libraries of a process may still be on their way. */
	if (target || binding->facade)
		atomic_store_explicit(&binding->target[fn], target ? target : gw_binding_nothing, memory_order_release);
	return target;
}

void *gw_binding_elsewhere(struct gw_binding **binding, struct gw_object *caller, uint32_t fn)
{
	struct gw_object *object = gw_binding_provider(caller, fn);
	struct gw_binding *other = object ? binding_of_provider(object, gw_functions[fn].family) : NULL;
	void *target = other && other != *binding ? gw_binding_target(other, fn) : NULL;

	if (target)
		*binding = gw_binding_refine(other, caller);
	return target;
}

static bool is_within(const struct gw_binding *binding, const struct gw_binding *first, size_t count)
{
	uintptr_t offset = (uintptr_t)binding - (uintptr_t)first;

	return offset < count * sizeof(*first) && offset % sizeof(*first) == 0;
}

bool gw_binding_is(const struct gw_binding *binding)
{
	return is_within(binding, bindings, BINDINGS) || is_within(binding, nobody, GW_FAMILY_COUNT);
}
