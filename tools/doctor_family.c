/* SPDX-License-Identifier: Apache-2.0 */
/* Which file names are libraries of which family (doctor.h): the vendor's stems, and what repaired wheels make of them (`libx-HASH.so.1`). */
#include "doctor.h"

#include <string.h>

static const struct {
	const char *stem, *family;
	bool parts; /* further words may follow: libcudnn_ops */
} stems[] = {
	{"libcublas", "cublas", false},	    {"libcublasLt", "cublasLt", false},	  {"libnvblas", "cublas", false},
	{"libcudnn", "cudnn", true},	    {"libcusparse", "cusparse", false},	  {"libcusparseLt", "cusparseLt", false},
	{"libcudart", "cudart", false},	    {"libnvrtc", "nvrtc", false},	  {"libnvrtc-builtins", "nvrtc", false},
	{"libnvJitLink", "nvJitLink", false}, {"libcufft", "cufft", false},	  {"libcurand", "curand", false},
	{"libcusolver", "cusolver", false}, {"libcusolverMg", "cusolver", false}, {"libnccl", "nccl", false},
	{"libcuda", "driver", false},	    {"libcupti", "cupti", false},	  {"libnvToolsExt", "nvtx", false},
	{"libnvjpeg", "nvjpeg", false},	    {"libcufile", "cufile", false},	  {"libnvshmem", "nvshmem", true},
	{"libcutensor", "cutensor", true},   {"libcudss", "cudss", true},	  {"libnvinfer", "tensorrt", true},
	{"libcufftw", "cufft", false},	    {"libnvonnxparser", "tensorrt", false}, {"libnvvm", "nvvm", false},
};

/* The length of "-HASH", as the tools that repair wheels add it; 0. */
static size_t hash_length(const char *text)
{
	size_t digits = *text == '-' ? strspn(text + 1, "0123456789abcdef") : 0;

	return digits >= 8 ? digits + 1 : 0;
}

const char *gw_doctor_family(const char *base, char stem[64])
{
	const char *family = NULL;

	for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
		size_t length = strlen(stems[i].stem), hash;

		if (strncmp(base, stems[i].stem, length) != 0)
			continue;
		if (stems[i].parts && base[length] == '_')
			length += 1 + strspn(base + length + 1, "abcdefghijklmnopqrstuvwxyz_");
		hash = hash_length(base + length);
		if (strncmp(base + length + hash, ".so", 3) != 0 || length >= 64)
			continue;
		/* `libx.so` is for the linker, and mostly a link to one of the others. */
		if (base[length + hash + 3] != '.' && !(hash && !base[length + hash + 3]))
			continue;
		memcpy(stem, base, length);
		stem[length] = '\0';
		family = stems[i].family;
	}
	return family;
}
