/* SPDX-License-Identifier: Apache-2.0 */
/* An auditor that sees each call through the PLT and does nothing: what LD_AUDIT costs before anything is written. */
#pragma GCC visibility push(default)
#include <link.h>

unsigned la_version(unsigned version)
{
	return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)map, (void)space, (void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, La_x86_64_regs *registers, unsigned *flags,
				  const char *name, long *frame)
{
	(void)index, (void)from, (void)to, (void)registers, (void)flags, (void)name, (void)frame;
	return symbol->st_value;
}
