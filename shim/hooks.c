/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dlsym, dlvsym, dlclose and dlerror do beyond the C library's own; dlopen's part is in opening.c. A name is ours only when the generated
 * table has exactly it, and only when the answer lies in a vendor library or a facade; everything else is passed on as it came.
 */
#include "hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "binding.h"
#include "names.h"
#include "objects.h"
#include "pair.h"
#include "real.h"
#include "settings.h"
#include "visible.h"

extern const char gw_thunks[] __attribute__((visibility("hidden")));

/* The vendor's libraries and our facades get raw answers: what they call is not the program's doing. */
static bool is_program(const struct gw_object *caller)
{
	return caller->role == GW_ROLE_OTHER;
}

/*
 * Asking the default scope would find our own export and turn a probe into a success. Whoever would have answered without us decides:
 * nobody means the C library's own failure, from a handle that surely lacks the name, so that dlerror speaks of it.
 */
static void fail_as_without_us(struct gw_dl_request *request)
{
	static void *_Atomic libc_handle;
	void *handle = __atomic_load_n((void **)&libc_handle, __ATOMIC_ACQUIRE);

	if (!handle) {
		handle = gw_real()->dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
		__atomic_store_n((void **)&libc_handle, handle, __ATOMIC_RELEASE);
	}
	if (handle)
		request->first = (uint64_t)(uintptr_t)handle;
}

/* Replaces the raw answer of a handle's own lookup by the wrapper that stands for that library. */
static void *wrapped(void *raw, uint32_t fn)
{
	struct gw_object *holder = gw_object_of(raw);
	struct gw_binding *binding;
	unsigned origin;

	if (holder->role != GW_ROLE_VENDOR || holder->family != gw_functions[fn].family)
		return raw;	/* a facade's symbol leads to a wrapper by itself; a framework's stub calls in again */
	binding = gw_binding_for_library(holder, gw_functions[fn].family);
	origin = binding ? gw_binding_origin(binding) : 0;
	if (!origin)
		return raw;	/* more libraries than origins: unseen, but right */
	return (void *)(gw_thunks + ((size_t)(origin - 1) * GW_FN_COUNT + fn) * 16);
}

struct next {
	const struct gw_object *caller;
	const char *name;
	bool passed, between;	/* the caller was met; an object after it, and before us, has the name */
};

static bool note_next(struct gw_object *object, void *data)
{
	struct next *next = data;

	if (object->role == GW_ROLE_SELF)
		return false;
	if (next->passed && object->image.strings && gw_image_function(&object->image, next->name, NULL))
		next->between = true;
	if (object == next->caller)
		next->passed = true;
	return true;
}

/*
 * RTLD_NEXT from an object that was loaded before us would find our own export, and what it means is the one after that: a wrapper
 * for it, not our export, which would ask for the caller's provider and find the caller itself. True when REQUEST is answered.
 */
static bool answer_next(struct gw_dl_request *request, const struct gw_object *caller, uint32_t fn, const char *version)
{
	struct next next = { .caller = caller, .name = (const char *)(uintptr_t)request->second };
	void *raw;

	gw_objects_each(note_next, &next);
	if (!next.passed || next.between)
		return false;
	raw = version ? gw_real()->dlvsym(RTLD_NEXT, next.name, version) : gw_real()->dlsym(RTLD_NEXT, next.name);
	if (raw)
		request->answer = wrapped(raw, fn);
	else
		fail_as_without_us(request);
	return raw != NULL;
}

/* Does anything mapped but us have FN under VERSION? Our exports have no versions, so the loader takes them for any. */
struct versioned {
	const char *name, *version;
	struct gw_object *found;
};

static bool note_version(struct gw_object *object, void *data)
{
	struct versioned *versioned = data;

	if (object->role == GW_ROLE_SELF || !object->image.strings || !object->image.defined ||
	    !gw_image_function(&object->image, versioned->name, versioned->version))
		return true;
	versioned->found = object;
	return false;
}

static void *by_version(const char *name, const char *version)
{
	struct versioned versioned = { .name = name, .version = version };

	gw_objects_each(note_version, &versioned);
	return versioned.found ? gw_image_function(&versioned.found->image, name, version) : NULL;
}

/* A question to the whole scope, which our own export would answer. */
static void *scope(struct gw_dl_request *request, void *real, struct gw_object *caller, uint32_t fn, const char *version)
{
	int error = errno;
	void *raw;

	if (!gw_binding_provider(caller, fn)) {
		fail_as_without_us(request);
	} else if (version) {
		raw = by_version((const char *)(uintptr_t)request->second, version);
		if (raw)
			request->answer = wrapped(raw, fn);
		else
			fail_as_without_us(request);
		real = raw ? NULL : real;
	}
	errno = error;
	return real;
}

static void *decide(struct gw_dl_request *request, void *real, const char *version)
{
	void *handle = (void *)(uintptr_t)request->first;
	const char *name = (const char *)(uintptr_t)request->second;
	struct gw_object *caller;
	int fn = name ? gw_name_find(name) : -1, error = errno;
	void *raw;

	if (fn < 0 || gw_setting_on(GW_SETTING_DISABLE))
		return real;
	caller = gw_object_of(request->caller);
	if (!is_program(caller))
		return real;
	if (handle == RTLD_NEXT) {
		if (answer_next(request, caller, (uint32_t)fn, version))
			real = NULL;
		errno = error;
		return real;
	}
	if (handle == RTLD_DEFAULT)
		return scope(request, real, caller, (uint32_t)fn, version);
	raw = version ? gw_real()->dlvsym(handle, name, version) : gw_real()->dlsym(handle, name);
	if (raw && gw_object_of(raw)->role == GW_ROLE_SELF) {	/* the handle of the program itself: dlopen(NULL) */
		return scope(request, real, caller, (uint32_t)fn, version);
	} else if (raw) {
		raw = wrapped(raw, (uint32_t)fn);
	}
	errno = error;
	request->answer = raw;
	return NULL;	/* when raw is NULL, dlerror has the C library's own message */
}

void *gw_hook_dlsym(struct gw_dl_request *request)
{
	return decide(request, (void *)gw_real()->dlsym, NULL);
}

void *gw_hook_dlvsym(struct gw_dl_request *request)
{
	return decide(request, (void *)gw_real()->dlvsym, (const char *)(uintptr_t)request->third);
}

GW_VISIBLE int dlclose(void *handle)
{
	int result, error;

	gw_objects_closing();
	result = gw_real()->dlclose(handle);
	error = errno;
	gw_objects_closed();
	errno = error;
	return result;
}

/*
 * Might TEXT name a library of abi/partners? All of those begin so. A sanitizer asks before the program's environment stands, when strstr cannot
 * be called and no setting may be read.
 */
static bool may_name_vendor(const char *text)
{
	for (; *text; text++)
		if (text[0] == 'l' && text[1] == 'i' && text[2] == 'b' && ((text[3] == 'c' && text[4] == 'u') || text[3] == 'n'))
			return true;
	return false;
}

/* Programs often ask why, and do not say it: the loader's words are handed on as they are, and noted where they are about the vendor's libraries. */
GW_VISIBLE char *dlerror(void)
{
	char *text = gw_real()->dlerror();

	if (text && may_name_vendor(text) && !gw_setting_on(GW_SETTING_DISABLE))
		gw_pair_note_error(text);
	return text;
}
