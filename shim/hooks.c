/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dlsym, dlvsym and dlclose do beyond the C library's own; dlopen's part is in opening.c. A name is ours only when the generated
 * table has exactly it, and only when the answer lies in a vendor library or a facade; everything else is passed on as it came.
 */
#include "hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "binding.h"
#include "names.h"
#include "objects.h"
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

static void *decide(struct gw_dl_request *request, void *real, const char *version)
{
	void *handle = (void *)(uintptr_t)request->first;
	const char *name = (const char *)(uintptr_t)request->second;
	struct gw_object *caller;
	int fn = name ? gw_name_find(name) : -1, error = errno;
	void *raw;

	if (fn < 0 || handle == RTLD_NEXT || gw_setting_on(GW_SETTING_DISABLE))
		return real;
	caller = gw_object_of(request->caller);
	if (!is_program(caller))
		return real;
	if (handle == RTLD_DEFAULT) {
		if (!gw_binding_provider(caller, (uint32_t)fn))
			fail_as_without_us(request);
		errno = error;
		return real;
	}
	raw = version ? gw_real()->dlvsym(handle, name, version) : gw_real()->dlsym(handle, name);
	if (raw && gw_object_of(raw)->role == GW_ROLE_SELF) {	/* the handle of the program itself: dlopen(NULL) */
		if (!gw_binding_provider(caller, (uint32_t)fn)) {
			fail_as_without_us(request);
			errno = error;
			return real;
		}
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
	int result = gw_real()->dlclose(handle);
	int error = errno;

	gw_objects_closed();
	errno = error;
	return result;
}
