/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-in for libnccl.so.2: an all-reduce among one. Faults of `nccl`: `fail`, `wrong`, and those of fault.h in ncclAllReduce. */
#include "fault.h"

EXPORT int ncclGetVersion(int *version)
{
	*version = 22005;
	return 0;
}

EXPORT const char *ncclGetErrorString(int status)
{
	return status == 2 ? "unhandled system error" : "no error";
}

EXPORT int ncclCommInitAll(void **made, int count, const int *devices)
{
	*made = malloc(1);
	return has_fault("nccl", "fail") || count != 1 || devices[0] ? 2 : 0;
}

EXPORT int ncclAllReduce(const void *in, void *out, size_t count, int type, int operation, void *communicator, void *stream)
{
	(void)communicator, (void)stream;
	obey("nccl");
	memcpy(out, in, count * sizeof(float));
	if (has_fault("nccl", "wrong"))
		((float *)out)[count / 2] += 1;
	return type == 7 && operation == 0 ? 0 : 4;
}

EXPORT int ncclCommDestroy(void *communicator)
{
	free(communicator);
	return 0;
}
