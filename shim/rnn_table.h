/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was set on RNN descriptors through 8.x's old interface, kept beside them. cuDNN 9's own call wants the input's size and type too,
 * which the old interface tells later, with each input. So each computing call borrows a kit: descriptors of our own, set for its input,
 * which stay with the RNN descriptor to be used again.
 *
 * Memory: 64 chunks of 256 descriptors at most; a chunk is mapped when a caller of 8.x makes a descriptor that finds no place in those
 * there are (about 80 KiB, touched as it is used). Any thread; nobody waits: a kit that another thread has is not waited for.
 */
#ifndef GW_RNN_TABLE_H
#define GW_RNN_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "gw_types.h"

/* As the descriptor's setters left them; the numbers are the vendor's own. */
struct gw_rnn_settings {
	int32_t hidden, layers, projection;	/* projection: 0 before it was set, hidden when there is none */
	cudnnDropoutDescriptor_t dropout;
	cudnnRNNInputMode_t input_mode;
	cudnnDirectionMode_t direction;
	cudnnRNNMode_t cell;
	cudnnRNNAlgo_t algo;
	cudnnDataType_t precision;
	cudnnMathType_t math;
	cudnnRNNBiasMode_t bias;
	uint32_t padding;
	bool clips;
	cudnnRNNClipMode_t clip;
	cudnnNanPropagation_t clip_nan;
	double low, high;
};

/* Descriptors of the loaded library that one call at a time uses. */
struct gw_rnn_kit {
	_Atomic uint32_t busy;
	uint32_t generation;		/* of the settings that `rnn` has */
	void *library;			/* whose they are: the address of its create function; NULL: none made yet */
	cudnnRNNDescriptor_t rnn;
	cudnnRNNDataDescriptor_t x, y;
	cudnnTensorDescriptor_t matrix, bias;
	int32_t input;			/* for which `rnn` is set; 0: not set */
	cudnnDataType_t type;
	int32_t built;			/* batch size that it was built for; 0: not built */
};

enum { GW_RNN_KITS = 2 };

struct gw_rnn {
	_Atomic uintptr_t key;		/* the descriptor's address; 0: free, 1: being made */
	uint32_t generation;		/* counts changes of settings */
	bool set;
	bool own;			/* set by cudnnSetRNNDescriptor_v8: the library's descriptor has the settings too, and these: */
	int32_t input;
	cudnnDataType_t type;
	int32_t plan;			/* batch size of the persistent plan; 0: none */
	struct gw_rnn_settings settings;
	struct gw_rnn_kit kits[GW_RNN_KITS];
};

/* What is kept of DESCRIPTOR, or NULL. */
struct gw_rnn *gw_rnn_find(cudnnRNNDescriptor_t descriptor);

/* The same, with a new entry where there is none; one that is there is emptied. NULL: no memory, or all 16384 are taken. */
struct gw_rnn *gw_rnn_add(cudnnRNNDescriptor_t descriptor);

/* Forgets an entry. Its kits must have been given back and emptied. */
void gw_rnn_drop(struct gw_rnn *rnn) __attribute__((nonnull));

#endif
