/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for libnvrtc: what it compiles stays as it is. It knows the architectures 75 to 90, and takes the one of fake_cuda.c's device alone. */
#include <stdio.h>

#include "fault.h"

EXPORT int nvrtcVersion(int *major, int *minor)
{
	*major = 12, *minor = 9;
	return 0;
}

EXPORT const char *nvrtcGetErrorString(int status)
{
	return status == 5 ? "NVRTC_ERROR_INVALID_OPTION" : "NVRTC_SUCCESS";
}

EXPORT int nvrtcGetNumSupportedArchs(int *count)
{
	*count = 4;
	return 0;
}

EXPORT int nvrtcGetSupportedArchs(int *list)
{
	list[0] = 75, list[1] = 80, list[2] = 86, list[3] = 90;
	return 0;
}

EXPORT int nvrtcCreateProgram(void **made, const char *source, const char *name, int count, const char *const *headers, const char *const *names)
{
	(void)name, (void)headers, (void)names;
	*made = strdup(source);
	return count;
}

EXPORT int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
	const char *capability = getenv("FAKE_CAPABILITY");
	char wanted[64];

	(void)program;
	snprintf(wanted, sizeof wanted, "--gpu-architecture=compute_%s", capability ? capability : "90");
	return count == 1 && !strcmp(options[0], wanted) ? 0 : 5;
}

EXPORT int nvrtcGetPTXSize(void *program, size_t *size)
{
	*size = strlen(program) + 1;
	return 0;
}

EXPORT int nvrtcGetPTX(void *program, char *code)
{
	strcpy(code, program);
	return 0;
}
