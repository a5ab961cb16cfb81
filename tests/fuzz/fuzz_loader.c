/* SPDX-License-Identifier: Apache-2.0 */
/* What says where libraries are: the first byte tells whether the rest is ld.so.cache (odd) or ld.so.conf of a root. */
#include "fuzz.h"

#include <string.h>
#include "tools/loader.h"

static const struct gw_platform platform = {.defaults = {"/lib"}, .default_count = 1, .lib = "lib", .platform = "x86_64",
					    .capability = {"glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/", ""},
					    .capability_count = 3, .named_count = 2};

static void use_cache(const char *path)
{
	struct gw_cache cache;
	char error[512];

	if (gw_cache_read(&cache, path, error, sizeof error) != 0) {
		gw_fuzz_error(error, path);
		return;
	}
	gw_cache_find(&cache, &platform, "libc.so.6");
	for (size_t i = 0; i < cache.count && i < 100; i++)
		gw_cache_find(&cache, &platform, cache.entry[i].name);
	gw_cache_finish(&cache);
}

static void use_conf(const uint8_t *data, size_t size)
{
	struct gw_loader loader = {.root = gw_fuzz_root(), .platform = platform};

	gw_fuzz_put("etc/ld.so.conf", data, size);
	if (gw_conf_read(&loader) == 0)
		for (size_t i = 0; i < loader.configured_count; i++)
			gw_loader_directory(&loader, loader.configured[i]);
	gw_conf_finish(&loader);
	gw_loader_forget(&loader);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	gw_fuzz_put("etc/ld.so.conf.d/a.conf", "/opt/a\ninclude ../ld.so.conf\n", 29);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		use_cache(gw_fuzz_file(data + 1, size - 1));
	else
		use_conf(data + 1, size - 1);
	return 0;
}
