/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA runtime, which most programs bring with them: does this driver take it? */
#include "step.h"

#include <string.h>

#include "tools/verify/facts.h"

static void *runtime;

static void must(int status, const char *call)
{
	const char *(*text_of)(int) = (const char *(*)(int))gw_function_if_there(runtime, "cudaGetErrorString");
	const char *(*name_of)(int) = (const char *(*)(int))gw_function_if_there(runtime, "cudaGetErrorName");

	if (status != GW_VALUE_cudaSuccess)
		gw_end(GW_FAILED, "%s answered %d, %s: %s", call, status, name_of ? name_of(status) : "an error",
		       text_of ? text_of(status) : "without words");
}

/* Prototypes as cuda_runtime_api.h has them in CUDA 11, 12 and 13. */
void gw_step_runtime(const char *which)
{
	int (*version_of)(int *), (*count_of)(int *), (*alloc)(void **, size_t), (*copy)(void *, const void *, size_t, int), (*release)(void *);
	int version = 0, driver = 0, count = 0;
	void *room = NULL;
	char sent[1000] = "there and back", back[sizeof sent] = "";
	double got, wanted = 0;

	(void)which;
	runtime = gw_library("cudart");
	version_of = (int (*)(int *))gw_function(runtime, "cudaRuntimeGetVersion");
	must(version_of(&version), "cudaRuntimeGetVersion");
	gw_fact("runtime", "%d.%d", version / 1000, version % 1000 / 10);
	version_of = (int (*)(int *))gw_function(runtime, "cudaDriverGetVersion");
	must(version_of(&driver), "cudaDriverGetVersion");
	gw_fact("newest CUDA of the driver", "%d.%d", driver / 1000, driver % 1000 / 10);
	gw_device_open();
	count_of = (int (*)(int *))gw_function(runtime, "cudaGetDeviceCount");
	must(count_of(&count), "cudaGetDeviceCount");
	gw_fact("devices", "%d", count);
	alloc = (int (*)(void **, size_t))gw_function(runtime, "cudaMalloc");
	must(alloc(&room, sizeof sent), "cudaMalloc");
	copy = (int (*)(void *, const void *, size_t, int))gw_function(runtime, "cudaMemcpy");
	must(copy(room, sent, sizeof sent, GW_VALUE_cudaMemcpyHostToDevice), "cudaMemcpy to the device");
	must(copy(back, room, sizeof back, GW_VALUE_cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
	release = (int (*)(void *))gw_function(runtime, "cudaFree");
	must(release(room), "cudaFree");
	got = memcmp(sent, back, sizeof sent) ? 1 : 0;
	gw_case("1000 bytes there and back", &got, &wanted, 1, 0);
}
