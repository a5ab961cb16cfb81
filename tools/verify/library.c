/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that the command line names (step.h), opened as programs open them, and which files of vendors are mapped in the end. */
#include "step.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gw_signatures.h"
#include "gw_values.h"

enum { MOST_LIBRARIES = 16, MOST_FILES = 64 };

static struct {
	const char *name, *file;
	size_t name_length;
} told[MOST_LIBRARIES];
static size_t told_count;

bool gw_library_told(const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1] || told_count == MOST_LIBRARIES)
		return false;
	told[told_count].name = text;
	told[told_count].name_length = (size_t)(equals - text);
	told[told_count++].file = equals + 1;
	return true;
}

static const char *file_of(const char *name)
{
	for (size_t i = 0; i < told_count; i++)
		if (strlen(name) == told[i].name_length && !memcmp(name, told[i].name, told[i].name_length))
			return told[i].file;
	return NULL;
}

void *gw_library_if_there(const char *name)
{
	const char *file = file_of(name);

	if (!file)
		return NULL;
	gw_doing("dlopen(%s)", file);
	return dlopen(file, RTLD_LAZY | RTLD_GLOBAL);
}

void *gw_library(const char *name)
{
	const char *file = file_of(name), *why;
	void *library = gw_library_if_there(name);

	gw_about(name);
	if (library)
		return library;
	why = file ? dlerror() : NULL;
	gw_end(GW_MISSING, "%s", why ? why : "no file of it was named");
}

void *gw_function_if_there(void *library, const char *name)
{
	return dlsym(library, name);
}

void *gw_function(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		gw_end(GW_FAILED, "%s", dlerror());
	/* The caller calls it next. */
	gw_doing("%s", name);
	return function;
}

/* ---- which files are mapped */

/* Numbers that a version function answers: MAJOR * major + MINOR * minor + the rest. */
static void number(char *text, size_t size, long version, long major, long minor)
{
	snprintf(text, size, "%ld.%ld.%ld", version / major, version % major / minor, version % minor);
}

/*
 * LIBRARYGetProperty, of the same form in cublas_api.h, cublasLt.h, cudnn.h and cusolver_common.h: three calls, of a part each, that need no
 * device.
 */
static bool properties(void *library, const char *name, char *text, size_t size)
{
	gw_signature_cublasGetProperty *get = (gw_signature_cublasGetProperty *)dlsym(library, name);
	int major, minor, patch;

	if (!get || get(GW_VALUE_MAJOR_VERSION, &major) || get(GW_VALUE_MINOR_VERSION, &minor) || get(GW_VALUE_PATCH_LEVEL, &patch))
		return false;
	snprintf(text, size, "%d.%d.%d", major, minor, patch);
	return true;
}

static bool lt_release(void *library, char *text, size_t size)
{
	return properties(library, "cublasLtGetProperty", text, size);
}

static bool cublas_release(void *library, char *text, size_t size)
{
	return properties(library, "cublasGetProperty", text, size);
}

static bool cudnn_release(void *library, char *text, size_t size)
{
	return properties(library, "cudnnGetProperty", text, size);
}

static bool solver_release(void *library, char *text, size_t size)
{
	return properties(library, "cusolverGetProperty", text, size);
}

static bool one_number(void *library, const char *name, char *text, size_t size, long major, long minor)
{
	int (*get)(int *) = (int (*)(int *))dlsym(library, name);
	int version = 0;

	if (!get || get(&version) || version <= 0)
		return false;
	number(text, size, version, major, minor);
	return true;
}

/* CUDART_VERSION of cuda_runtime_api.h, CUDA_VERSION of cuda.h: 1000 * major + 10 * minor. */
static bool runtime_release(void *library, char *text, size_t size)
{
	return one_number(library, "cudaRuntimeGetVersion", text, size, 1000, 10);
}

static bool driver_release(void *library, char *text, size_t size)
{
	return one_number(library, "cuDriverGetVersion", text, size, 1000, 10);
}

/* NCCL_VERSION of nccl.h, since 2.9: 10000 * major + 100 * minor + patch. */
static bool nccl_release(void *library, char *text, size_t size)
{
	return one_number(library, "ncclGetVersion", text, size, 10000, 100);
}

static bool nvrtc_release(void *library, char *text, size_t size)
{
	int (*get)(int *, int *) = (int (*)(int *, int *))dlsym(library, "nvrtcVersion"); /* nvrtc.h */
	int major, minor;

	if (!get || get(&major, &minor))
		return false;
	snprintf(text, size, "%d.%d", major, minor);
	return true;
}

static const struct family {
	const char *name, *stem;
	bool (*release)(void *library, char *text, size_t size);
} families[] = {
	{"driver", "libcuda", driver_release},       {"cudart", "libcudart", runtime_release},   {"cublasLt", "libcublasLt", lt_release},
	{"cublas", "libcublas", cublas_release},     {"cudnn", "libcudnn", cudnn_release},       {"cudnn", "libcudnn_", NULL},
	{"cusolver", "libcusolver", solver_release},   {"nccl", "libnccl", nccl_release},          {"nvrtc", "libnvrtc", nvrtc_release},
};

static struct file {
	const struct family *family;
	char *name, *path; /* the loader's, and its own */
	uintptr_t at;
	char release[64];
} files[MOST_FILES];
static size_t file_count;

static const struct family *family_of(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		size_t length = strlen(families[i].stem);

		if (!strncmp(base, families[i].stem, length) && (families[i].stem[length - 1] == '_' || !strncmp(base + length, ".so", 3)))
			return &families[i];
	}
	return NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct family *family = family_of(info->dlpi_name);

	(void)size;
	(void)data;
	if (!family || file_count == MOST_FILES)
		return 0;
	files[file_count].name = strdup(info->dlpi_name);
	files[file_count].family = family;
	for (int i = 0; i < info->dlpi_phnum && !files[file_count].at; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			files[file_count].at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	if (files[file_count].name)
		file_count++;
	return 0;
}

/* Its own path: the loader's name for it may be one that it searched for in vain, and a facade answered. */
static void find_paths(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	unsigned long from, to;
	int at;

	while (maps && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at = 0;
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) != 2 || line[at] != '/')
			continue;
		for (size_t i = 0; i < file_count; i++)
			if (!files[i].path && files[i].at >= from && files[i].at < to)
				files[i].path = strdup(line + at);
	}
	free(line);
	if (maps)
		fclose(maps);
	for (size_t i = 0; i < file_count; i++)
		if (!files[i].path)
			files[i].path = files[i].name;
}

/* After the loader's list was left: a library that is asked may open another. */
static void ask_all(void)
{
	for (size_t i = 0; i < file_count; i++) {
		void *library = files[i].family->release ? dlopen(files[i].name, RTLD_LAZY | RTLD_NOLOAD) : NULL;

		if (library && !files[i].family->release(library, files[i].release, sizeof files[i].release))
			files[i].release[0] = '\0';
	}
}

bool gw_library_mapped(size_t *cursor, struct gw_library_file *file)
{
	if (!*cursor) {
		/* A facade opens what it forwards to when it is asked: so everything is asked, and then all that there is. */
		for (int i = 0; i < 2; i++) {
			file_count = 0;
			memset(files, 0, sizeof files);
			dl_iterate_phdr(visit, NULL);
			ask_all();
		}
		find_paths();
	}
	if (*cursor >= file_count)
		return false;
	*file = (struct gw_library_file){files[*cursor].family->name, files[*cursor].path, files[*cursor].release};
	(*cursor)++;
	return true;
}
