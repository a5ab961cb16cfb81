/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls the vendor's from its constructor, while the loader's lock is held. */
#include <stdlib.h>

#include "lt.h"

static void __attribute__((constructor)) begin(void)
{
	if (!cublasLtGetVersion())
		abort();
}
