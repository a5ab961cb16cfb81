/* SPDX-License-Identifier: Apache-2.0 */
/* The driver: does it find a GPU, which one, and does memory come back as it went? */
#include "step.h"

#include <string.h>

void gw_step_driver(const char *which)
{
	int (*version_of)(int *), (*name_of)(char *, int, int), (*memory_of)(size_t *, int);
	int version = 0;
	size_t memory = 0;
	char name[256] = "";
	unsigned char sent[4096], back[sizeof sent];
	double got, wanted = 0;

	(void)which;
	gw_device_open();
	version_of = (int (*)(int *))gw_function(gw_driver(), "cuDriverGetVersion");
	gw_driver_must(version_of(&version), "cuDriverGetVersion");
	name_of = (int (*)(char *, int, int))gw_function(gw_driver(), "cuDeviceGetName");
	gw_driver_must(name_of(name, sizeof name, 0), "cuDeviceGetName");
	memory_of = (int (*)(size_t *, int))gw_function(gw_driver(), "cuDeviceTotalMem_v2");
	gw_driver_must(memory_of(&memory, 0), "cuDeviceTotalMem");
	gw_fact("newest CUDA of the driver", "%d.%d", version / 1000, version % 1000 / 10);
	gw_fact("GPU", "%s", name);
	gw_fact("compute capability", "%d.%d", gw_device_capability() / 10, gw_device_capability() % 10);
	gw_fact("memory", "%zu MiB", memory >> 20);
	for (size_t i = 0; i < sizeof sent; i++)
		sent[i] = (unsigned char)(i * 7 + i / 256);
	memset(back, 0, sizeof back);
	gw_device_get(back, gw_device_put(sent, sizeof sent), sizeof back);
	got = memcmp(sent, back, sizeof sent) ? 1 : 0;
	gw_case("4 KiB there and back", &got, &wanted, 1, 0);
}
