/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions that a front library forwards to. */
#include "front.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *fake_forward(void *_Atomic *slot, const char *soname, const char *name)
{
	void *address = atomic_load_explicit(slot, memory_order_acquire), *library;

	if (address)
		return address;
	library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "Could not load library %s. Error: %s\nPlease make sure %s is in your library path!\n", soname, dlerror(),
			soname);
		abort();
	}
	address = dlsym(library, name);
	if (!address) {
		fprintf(stderr, "Could not load symbol %s from %s: %s\n", name, soname, dlerror());
		abort();
	}
	atomic_store_explicit(slot, address, memory_order_release);
	return address;
}
