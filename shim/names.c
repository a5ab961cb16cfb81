/* SPDX-License-Identifier: Apache-2.0 */
/* See names.h. */
#include "names.h"

#include <string.h>

#include "gw_fn.h"
#include "table.h"

int gw_name_find(const char *name)
{
	int low = 0, high = GW_FN_COUNT - 1;

	if (name[0] != 'c' || name[1] != 'u')	/* what every bridged name begins with: abigen's rule */
		return -1;
	while (low <= high) {
		int middle = (low + high) / 2, order = strcmp(name, gw_function_name((uint32_t)middle));

		if (!order)
			return middle;
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}
