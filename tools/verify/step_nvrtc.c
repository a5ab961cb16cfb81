/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC compiles a kernel, the driver takes it, and it computes: what a program's own code needs. */
#include "step.h"

#include <stdio.h>

#include "tools/verify/facts.h"

enum { COUNT = 1000, THREADS = 128 };

static const char source[] = "extern \"C\" __global__ void gangway_verify(const float *x, float *y, float factor, int n)\n"
			     "{\n\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\n\tif (i < n)\n\t\ty[i] = factor * x[i] + 1.0f;\n}\n";

static void *nvrtc;

static void must(int status, const char *call)
{
	const char *(*text_of)(int) = (const char *(*)(int))gw_function_if_there(nvrtc, "nvrtcGetErrorString");

	if (status != GW_VALUE_NVRTC_SUCCESS)
		gw_end(GW_FAILED, "%s answered %d: %s", call, status, text_of ? text_of(status) : "without words");
}

/* The newest architecture that both NVRTC and this GPU know; NVRTC before 11.2 cannot be asked. */
static int architecture(void)
{
	int (*count_of)(int *) = (int (*)(int *))gw_function_if_there(nvrtc, "nvrtcGetNumSupportedArchs");
	int (*list_of)(int *) = (int (*)(int *))gw_function_if_there(nvrtc, "nvrtcGetSupportedArchs");
	int count = 0, best = 0, *list;

	if (!count_of || !list_of)
		return gw_device_capability();
	must(count_of(&count), "nvrtcGetNumSupportedArchs");
	list = gw_room((size_t)count, sizeof *list);
	must(list_of(list), "nvrtcGetSupportedArchs");
	for (int i = 0; i < count; i++)
		if (list[i] <= gw_device_capability() && list[i] > best)
			best = list[i];
	if (!best)
		gw_end(GW_FAILED, "nvrtc compiles for no GPU as old as this one, of compute capability %d.%d", gw_device_capability() / 10,
		       gw_device_capability() % 10);
	return best;
}

static char *compile(void)
{
	int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
	int (*build)(void *, int, const char *const *), (*size_of)(void *, size_t *), (*take)(void *, char *);
	char option[64], *code;
	const char *options[] = {option};
	void *program = NULL;
	size_t size = 0;

	snprintf(option, sizeof option, "--gpu-architecture=compute_%d", architecture());
	create = (int (*)(void **, const char *, const char *, int, const char *const *, const char *const *))gw_function(nvrtc, "nvrtcCreateProgram");
	must(create(&program, source, "gangway_verify.cu", 0, NULL, NULL), "nvrtcCreateProgram");
	build = (int (*)(void *, int, const char *const *))gw_function(nvrtc, "nvrtcCompileProgram");
	must(build(program, 1, options), "nvrtcCompileProgram");
	size_of = (int (*)(void *, size_t *))gw_function(nvrtc, "nvrtcGetPTXSize");
	must(size_of(program, &size), "nvrtcGetPTXSize");
	code = gw_room(size + 1, 1);
	take = (int (*)(void *, char *))gw_function(nvrtc, "nvrtcGetPTX");
	must(take(program, code), "nvrtcGetPTX");
	return code;
}

static void run(const char *code, void *x, void *y)
{
	int (*load)(void **, const void *), (*find)(void **, void *, const char *);
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
	void *module = NULL, *kernel = NULL;
	float factor = 0.5f;
	int count = COUNT;
	void *arguments[] = {&x, &y, &factor, &count};

	load = (int (*)(void **, const void *))gw_function(gw_driver(), "cuModuleLoadData");
	gw_driver_must(load(&module, code), "cuModuleLoadData of NVRTC's PTX");
	find = (int (*)(void **, void *, const char *))gw_function(gw_driver(), "cuModuleGetFunction");
	gw_driver_must(find(&kernel, module, "gangway_verify"), "cuModuleGetFunction");
	launch = (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))gw_function(gw_driver(),
															   "cuLaunchKernel");
	gw_driver_must(launch(kernel, (COUNT + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
}

void gw_step_nvrtc(const char *which)
{
	static const struct gw_format f32 = {.size = 4};
	int (*version_of)(int *, int *);
	int major = 0, minor = 0;
	double *got = gw_room(COUNT, sizeof *got), *wanted = gw_room(COUNT, sizeof *wanted);
	char *raw = gw_room(COUNT, f32.size);
	void *x, *y;

	(void)which;
	nvrtc = gw_library("nvrtc");
	version_of = (int (*)(int *, int *))gw_function(nvrtc, "nvrtcVersion");
	must(version_of(&major, &minor), "nvrtcVersion");
	gw_fact("NVRTC", "%d.%d", major, minor);
	gw_device_open();
	for (size_t i = 0; i < COUNT; i++) {
		wanted[i] = (double)i * 0.5 + 1;
		gw_number_store(&f32, raw, i, (double)i);
	}
	x = gw_device_put(raw, COUNT * f32.size);
	y = gw_device_room(COUNT * f32.size);
	run(compile(), x, y);
	gw_device_get(raw, y, COUNT * f32.size);
	for (size_t i = 0; i < COUNT; i++)
		got[i] = gw_number_load(&f32, raw, i);
	gw_case("a kernel", got, wanted, COUNT, 0);
}
