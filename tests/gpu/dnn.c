/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnn DIRECTORY: an old program of cuDNN. It runs each case of DIRECTORY/cases, one a line: CASE KIND NAME=NUMBER…, and says of each what came of
 * it: `CASE ok`, or `CASE` and the call that failed. dnn.py writes the cases and compares what they computed.
 */
#include "dnn.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

cudnnHandle_t dnn_handle;
const float dnn_one = 1, dnn_zero = 0;

static const char *directory, *case_name;
static char *arguments;		/* of the case: " NAME=NUMBER NAME=NUMBER" */
static jmp_buf next_case;

int dnn_arg(const char *name, int otherwise)
{
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s=", name);
	at = strstr(arguments, wanted);
	return at ? atoi(at + strlen(wanted)) : otherwise;
}

void dnn_must(cudnnStatus_t status, const char *call)
{
	if (status == CUDNN_STATUS_SUCCESS)
		return;
	printf("%s %s: %s\n", case_name, call, cudnnGetErrorString(status));
	longjmp(next_case, 1);
}

static FILE *file_of(const char *what, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%s", directory, case_name, what);
	return fopen(path, mode);
}

/* The file's bytes; the caller frees them. */
static void *content(const char *what, size_t *size)
{
	FILE *file = file_of(what, "rb");
	void *bytes = NULL;
	long length = -1;

	if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0) {
		rewind(file);
		bytes = malloc((size_t)length + 1);
	}
	if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) {
		printf("%s %s: cannot be read\n", case_name, what);
		exit(3);
	}
	fclose(file);
	*size = (size_t)length;
	return bytes;
}

int dnn_has(const char *what)
{
	FILE *file = file_of(what, "rb");

	if (file)
		fclose(file);
	return file != NULL;
}

int *dnn_load_ints(const char *what)
{
	size_t size;

	return content(what, &size);
}

float *dnn_load(const char *what)
{
	size_t size;
	void *bytes = content(what, &size), *device = memory_take(size);

	memory_put(device, bytes, size);
	free(bytes);
	return device;
}

void dnn_place(const char *what, void *device, size_t count)
{
	size_t size;
	void *bytes = content(what, &size);

	if (size != count * sizeof(float)) {
		printf("%s %s: %zu floats wanted, the file has %zu\n", case_name, what, count, size / sizeof(float));
		longjmp(next_case, 1);
	}
	memory_put(device, bytes, size);
	free(bytes);
}

static float *filled(size_t count, float value)
{
	float *floats = malloc((count + 1) * sizeof(float)), *device = memory_take(count * sizeof(float));
	size_t i;

	for (i = 0; floats && i < count; i++)
		floats[i] = value;
	memory_put(device, floats, count * sizeof(float));
	free(floats);
	return device;
}

float *dnn_room(size_t count)
{
	return filled(count, NAN);
}

float *dnn_zeros(size_t count)
{
	return filled(count, 0);
}

void *dnn_bytes(size_t size)
{
	return memory_take(size);
}

void dnn_save(const char *what, const float *device, size_t count)
{
	FILE *file = file_of(what, "wb");
	float *floats = malloc((count + 1) * sizeof(float));

	memory_get(floats, device, count * sizeof(float));
	if (!file || fwrite(floats, sizeof(float), count, file) != count || fclose(file)) {
		printf("%s %s: cannot be written\n", case_name, what);
		exit(3);
	}
	free(floats);
}

/* Where the number lies that comes at this index of the file. */
static size_t strided(size_t index, int nd, const int *dimensions, const int *strides)
{
	size_t at = 0;

	while (nd-- > 0) {
		at += index % (size_t)dimensions[nd] * (size_t)strides[nd];
		index /= (size_t)dimensions[nd];
	}
	return at;
}

static size_t product(int nd, const int *dimensions)
{
	size_t count = 1;

	while (nd-- > 0)
		count *= (size_t)dimensions[nd];
	return count;
}

void dnn_place_strided(const char *what, void *device, int nd, const int *dimensions, const int *strides)
{
	size_t count = product(nd, dimensions), size, i;
	float *floats = content(what, &size), *placed = calloc(count, sizeof(float));

	if (!placed || size != count * sizeof(float)) {
		printf("%s %s: %zu floats wanted, the file has %zu\n", case_name, what, count, size / sizeof(float));
		longjmp(next_case, 1);
	}
	for (i = 0; i < count; i++)
		placed[strided(i, nd, dimensions, strides)] = floats[i];
	memory_put(device, placed, size);
	free(floats);
	free(placed);
}

void dnn_save_strided(const char *what, const void *device, int nd, const int *dimensions, const int *strides)
{
	size_t count = product(nd, dimensions), i;
	float *floats = calloc(count, sizeof(float)), *placed = calloc(count, sizeof(float)), *again = memory_take(count * sizeof(float));

	memory_get(placed, device, count * sizeof(float));
	for (i = 0; i < count; i++)
		floats[i] = placed[strided(i, nd, dimensions, strides)];
	memory_put(again, floats, count * sizeof(float));
	dnn_save(what, again, count);
	free(floats);
	free(placed);
}

cudnnTensorDescriptor_t dnn_tensor(int n, int c, int h, int w)
{
	cudnnTensorDescriptor_t tensor;

	MUST(cudnnCreateTensorDescriptor, &tensor);
	MUST(cudnnSetTensor4dDescriptor, tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w);
	return tensor;
}

cudnnTensorDescriptor_t dnn_tensor3(int a, int b, int c)
{
	const int dimensions[3] = {a, b, c}, strides[3] = {b * c, c, 1};
	cudnnTensorDescriptor_t tensor;

	MUST(cudnnCreateTensorDescriptor, &tensor);
	MUST(cudnnSetTensorNdDescriptor, tensor, CUDNN_DATA_FLOAT, 3, dimensions, strides);
	return tensor;
}

static void run(void (*one)(void))
{
	int lost;

	if (setjmp(next_case))
		return;
	one();
	lost = memory_wait();
	if (lost) {
		printf("%s driver error %d\n", case_name, lost);
		exit(5);
	}
	printf("%s ok\n", case_name);
}

static void one_case(const char *kind)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{"convolution", dnn_convolution}, {"bias_activation", dnn_bias_activation}, {"normalization", dnn_normalization},
		{"pooling", dnn_pooling}, {"softmax", dnn_softmax}, {"dropout", dnn_dropout}, {"ctc", dnn_ctc}, {"reduction", dnn_reduction},
		{"activation", dnn_activation}, {"attention", dnn_attention},
#if CUDNN_VERSION < 9000
		{"rnn", dnn_rnn},
#endif
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name)) {
			run(kinds[i].run);
			return;
		}
	printf("%s %s: no such kind\n", case_name, kind);
}

int main(int argc, char **argv)
{
	char path[4096], line[1024], *kind;
	FILE *cases;

	if (argc != 2) {
		fprintf(stderr, "usage: dnn DIRECTORY\n");
		return 2;
	}
	directory = argv[1];
	snprintf(path, sizeof(path), "%s/cases", directory);
	cases = fopen(path, "r");
	setlinebuf(stdout);
	memory_open();
	if (!cases || cudnnCreate(&dnn_handle) != CUDNN_STATUS_SUCCESS) {
		printf("%s\n", cases ? "cudnnCreate failed" : path);
		return 4;
	}
	fprintf(stderr, "header %d, library %zu\n", CUDNN_VERSION, cudnnGetVersion());
	while (fgets(line, sizeof(line), cases)) {
		case_name = strtok(line, " \n");
		kind = strtok(NULL, " \n");
		arguments = kind ? kind + strlen(kind) + 1 : NULL;
		if (!kind)
			continue;
		memmove(arguments + 1, arguments, strlen(arguments) + 1);
		arguments[0] = ' ';
		one_case(kind);
	}
	return 0;
}
