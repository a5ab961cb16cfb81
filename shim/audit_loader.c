/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the auditor asks the loader. It is linked to nothing, so that nothing has to be found and
 * mapped for it; the loader's few words are looked up in its own symbol table when it announces
 * itself (la_objopen).
 */
#include "audit.h"

#include <string.h>
#include "image.h"

/* dlinfo's work for RTLD_DI_SERINFO(SIZE), which the C library's dlinfo calls; the same since it
 * exists, before 2.17. */
typedef void serinfo(struct link_map *map, Dl_serinfo *list, bool counting);

static struct {
	struct link_map *map, *program;
	serinfo *search_list;
	char **environment;
} loader;

static bool has_tag(const struct link_map *map, Elf64_Sxword tag)
{
	for (const Elf64_Dyn *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag)
			return true;
	return false;
}

/* Behind argc and argv; argv is passed by its end, because `ld.so PROGRAM` takes words out of it.
 */
static char **environment_of(char **stack)
{
	char **at = stack + 1;

	while (*at)
		at++;
	return at + 1;
}

bool gw_audit_loader_meet(struct link_map *map)
{
	struct gw_image image;
	void *const *stack;
	void *function;

	if (!loader.program)
		loader.program = map;
	if (loader.map || !gw_image_read(&image, map->l_addr, map->l_ld) || !image.soname ||
	    strcmp(image.soname, "ld-linux-x86-64.so.2") != 0)
		return false;
	loader.map = map;
	function = gw_image_function(&image, "_dl_rtld_di_serinfo", NULL);
	memcpy(&loader.search_list, &function, sizeof function);
	stack = gw_image_object(&image, "__libc_stack_end");
	if (stack && *stack)
		loader.environment = environment_of(*stack);
	return true;
}

/*
 * 2.27 is the oldest whose source was read for it: before, a loader that is given another name at
 * the start of a search may forget the one that was asked for. The C library shows its age by what
 * it defines.
 */
bool gw_audit_loader_is_new(const struct link_map *map)
{
	struct gw_image image;

	return gw_image_read(&image, map->l_addr, map->l_ld) && image.soname &&
	       strcmp(image.soname, "libc.so.6") == 0 &&
	       gw_image_function(&image, "memfd_create", NULL);
}

const char *gw_audit_setting(const char *variable)
{
	size_t length = strlen(variable);

	for (char **entry = loader.environment; entry && *entry; entry++)
		if (strncmp(*entry, variable, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return "";
}

const Dl_serinfo *gw_audit_loader_searches(struct link_map *map)
{
	static union {
		Dl_serinfo info;
		char space[64 << 10];
	} list;
	Dl_serinfo size;

	if (!map || !loader.search_list)
		return NULL;
	loader.search_list(map, &size, true);
	if (size.dls_size > sizeof list)
		return NULL;
	list.info.dls_size = size.dls_size;
	list.info.dls_cnt = size.dls_cnt;
	loader.search_list(map, &list.info, false);
	return &list.info;
}

/*
 * The loader's own search is that of an object without RUNPATH: the program's RPATH,
 * LD_LIBRARY_PATH, the defaults. Where there is no RPATH, what is left ends everybody's search, so
 * that nothing need tell them apart.
 */
const Dl_serinfo *gw_audit_loader_defaults(void)
{
	return loader.map && !has_tag(loader.program, DT_RPATH)
		       ? gw_audit_loader_searches(loader.map)
		       : NULL;
}
