/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL: its version, and an all-reduce among one GPU, which gives back what went in. */
#include "step.h"

#include "tools/verify/facts.h"

enum { COUNT = 1000 };

static void *nccl;

static void must(int status, const char *call)
{
	const char *(*text_of)(int) = (const char *(*)(int))gw_function_if_there(nccl, "ncclGetErrorString");
	const char *(*last_of)(void *) = (const char *(*)(void *))gw_function_if_there(nccl, "ncclGetLastError");

	if (status != GW_VALUE_ncclSuccess)
		gw_end(GW_FAILED, "%s answered %d: %s%s%s", call, status, text_of ? text_of(status) : "without words", last_of ? "; " : "",
		       last_of ? last_of(NULL) : "");
}

/* Prototypes as nccl.h of any release of version 2 has them. */
void gw_step_nccl(const char *which)
{
	static const struct gw_format f32 = {.size = 4};
	int (*version_of)(int *), (*start)(void **, int, const int *), (*end)(void *);
	int (*reduce)(const void *, void *, size_t, int, int, void *, void *);
	int version = 0, device = 0;
	void *communicator = NULL, *in, *out;
	double *wanted = gw_room(COUNT, sizeof *wanted), *got = gw_room(COUNT, sizeof *got);
	char *raw = gw_room(COUNT, f32.size);
	uint64_t seed = 31;

	(void)which;
	nccl = gw_library("nccl");
	version_of = (int (*)(int *))gw_function(nccl, "ncclGetVersion");
	must(version_of(&version), "ncclGetVersion");
	gw_fact("NCCL", "%d.%d.%d", version / 10000, version % 10000 / 100, version % 100);
	gw_device_open();
	for (size_t i = 0; i < COUNT; i++) {
		wanted[i] = gw_random(&seed, 1 << 23);
		gw_number_store(&f32, raw, i, wanted[i]);
	}
	in = gw_device_put(raw, COUNT * f32.size);
	out = gw_device_room(COUNT * f32.size);
	start = (int (*)(void **, int, const int *))gw_function(nccl, "ncclCommInitAll");
	must(start(&communicator, 1, &device), "ncclCommInitAll");
	reduce = (int (*)(const void *, void *, size_t, int, int, void *, void *))gw_function(nccl, "ncclAllReduce");
	must(reduce(in, out, COUNT, GW_VALUE_ncclFloat32, GW_VALUE_ncclSum, communicator, NULL), "ncclAllReduce");
	gw_device_get(raw, out, COUNT * f32.size);
	for (size_t i = 0; i < COUNT; i++)
		got[i] = gw_number_load(&f32, raw, i);
	gw_case("all-reduce among one", got, wanted, COUNT, 0);
	end = (int (*)(void *))gw_function(nccl, "ncclCommDestroy");
	must(end(communicator), "ncclCommDestroy");
}
