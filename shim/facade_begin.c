/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into each facade: announces it to libgangway.so while it is mapped. Opens nothing. */
#include "binding.h"
#include "facade.h"

extern const struct gw_facade gw_facade_descriptor __attribute__((visibility("hidden")));

static void __attribute__((constructor)) announce(void)
{
	gw_facade_register(&gw_facade_descriptor);
}

static void __attribute__((destructor)) withdraw(void)
{
	gw_facade_unregister(&gw_facade_descriptor);
}
