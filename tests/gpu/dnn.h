/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cases of an old cuDNN program are made of: arguments by name, arrays of floats in files, and a way out of a case that cuDNN
 * refuses. A case's files are DIRECTORY/CASE.WHAT, raw floats (or ints); those that a case reads are there before it starts.
 */
#ifndef GPU_DNN_H
#define GPU_DNN_H

#include <stddef.h>
#include <cudnn.h>

extern cudnnHandle_t dnn_handle;

/* A number of the case's line; the other value where the line does not name it. */
int dnn_arg(const char *name, int otherwise);

/* Ends the case where status is not success, and says which call it was. */
void dnn_must(cudnnStatus_t status, const char *call);
#define MUST(function, ...) dnn_must(function(__VA_ARGS__), #function)

/* The file's floats on the device; the same where the program itself reads them. The last is true when there is such a file. */
float *dnn_load(const char *what);
int *dnn_load_ints(const char *what);
int dnn_has(const char *what);
/* Room for floats on the device, each NaN, or 0; and for bytes. */
float *dnn_room(size_t count);
float *dnn_zeros(size_t count);
void *dnn_bytes(size_t size);
void dnn_save(const char *what, const float *device, size_t count);

/* Copies of a file's floats to a place on the device: how many it has must be count. */
void dnn_place(const char *what, void *device, size_t count);

/* The same for a place whose numbers lie as strides say: the file has them in the order of the dimensions. */
void dnn_place_strided(const char *what, void *device, int nd, const int *dimensions, const int *strides);
void dnn_save_strided(const char *what, const void *device, int nd, const int *dimensions, const int *strides);

cudnnTensorDescriptor_t dnn_tensor(int n, int c, int h, int w);
/* Of nd >= 3 dimensions, packed. */
cudnnTensorDescriptor_t dnn_tensor3(int a, int b, int c);

extern const float dnn_one, dnn_zero;

/* The cases, by the first word of a line. */
void dnn_convolution(void);
void dnn_bias_activation(void);
void dnn_normalization(void);
void dnn_pooling(void);
void dnn_softmax(void);
void dnn_dropout(void);
void dnn_ctc(void);
void dnn_reduction(void);
void dnn_activation(void);
void dnn_attention(void);
/* For headers that have the old calls. */
void dnn_rnn(void);

#endif
