/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gangway-import: what `gangway abi import` becomes. A program of its own, so that libclang and
 *libzip, which take longer to map than most programs take to run, are mapped for nothing else.
 *
 *	gangway-import DATABASE import ARGUMENT...
 */
#include "abi.h"

#include "cmd.h"

const char gw_data_place[] = "../../share/gangway";

int main(int argc, char **argv)
{
	if (argc < 3) {
		gw_complain("this is a part of `gangway abi import`; use that");
		return GW_EXIT_USAGE;
	}
	return gw_abi_import(argv[1], argc - 2, argv + 2);
}
