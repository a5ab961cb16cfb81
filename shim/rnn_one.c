/* SPDX-License-Identifier: Apache-2.0 */
/* See rnn_one.h. */
#include "rnn_one.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { RANK = 8, LENGTHS = 256 };	/* LENGTHS: of sequences, on the stack; of more of them in memory that is mapped */

/* The type is not compared, as 8.x does not either: it takes the sequences'. */
static cudnnStatus_t same_tensor(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnTensorDescriptor_t a,
				 cudnnTensorDescriptor_t b)
{
	int rank[2] = { 0, 0 }, dim[2][RANK] = { { 0 } }, stride[2][RANK] = { { 0 } }, i, k;
	cudnnDataType_t type;
	cudnnStatus_t status = calls->get_tensor(a, RANK, &type, &rank[0], dim[0], stride[0]);

	if (!status)
		status = calls->get_tensor(b, RANK, &type, &rank[1], dim[1], stride[1]);
	if (status)
		return status;
	for (k = 0; k < 2; k++)
		for (i = rank[k] < 0 ? 0 : rank[k]; i < RANK; i++)
			dim[k][i] = 1;
	for (i = 0; i < RANK; i++)
		if (dim[0][i] != dim[1][i] || (dim[0][i] > 1 && stride[0][i] != stride[1][i]))
			return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	return 0;
}

cudnnStatus_t gw_rnn_one_tensor(const struct gw_call *call, const struct gw_rnn_calls *calls, const struct gw_rnn_part parts[GW_RNN_PARTS],
				cudnnTensorDescriptor_t *one)
{
	cudnnStatus_t status = 0;
	int i;

	*one = NULL;
	for (i = 0; i < GW_RNN_PARTS && !status; i++) {
		if (!parts[i].at)
			continue;
		if (!parts[i].descriptor)
			return gw_rnn_status(call, GW_RNN_BAD_PARAM);
		if (!*one)
			*one = parts[i].descriptor;
		else if (*one != parts[i].descriptor)
			status = same_tensor(call, calls, *one, parts[i].descriptor);
	}
	return status;
}

struct data {
	cudnnDataType_t type;
	cudnnRNNDataLayout_t layout;
	int longest, batch, vector;
};

static cudnnStatus_t read_data(const struct gw_rnn_calls *calls, cudnnRNNDataDescriptor_t descriptor, int count, int *lengths, struct data *data)
{
	double fill[2];		/* of whatever type */

	memset(data, 0, sizeof(*data));
	return calls->get_data(descriptor, &data->type, &data->layout, &data->longest, &data->batch, &data->vector, count, lengths, fill);
}

static cudnnStatus_t same_lengths(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnRNNDataDescriptor_t a,
				  cudnnRNNDataDescriptor_t b, int count, int *lengths)
{
	struct data data;
	cudnnStatus_t status = read_data(calls, a, count, lengths, &data);

	if (!status)
		status = read_data(calls, b, count, lengths + count, &data);
	if (!status && memcmp(lengths, lengths + count, (size_t)count * sizeof(*lengths)))
		status = gw_rnn_status(call, GW_RNN_BAD_PARAM);
	return status;
}

cudnnStatus_t gw_rnn_same_data(const struct gw_call *call, const struct gw_rnn_calls *calls, cudnnRNNDataDescriptor_t a,
			       cudnnRNNDataDescriptor_t b)
{
	int here[2 * LENGTHS], error = errno;
	struct data mine, theirs;
	cudnnStatus_t status;
	size_t size;
	void *made;

	if (a == b)
		return 0;
	status = read_data(calls, a, 0, NULL, &mine);
	if (!status)
		status = read_data(calls, b, 0, NULL, &theirs);
	if (status)
		return status;
	if (mine.type != theirs.type || mine.layout != theirs.layout || mine.longest != theirs.longest || mine.batch != theirs.batch ||
	    mine.vector != theirs.vector)
		return gw_rnn_status(call, GW_RNN_BAD_PARAM);
	if (mine.batch <= LENGTHS)
		return mine.batch > 0 ? same_lengths(call, calls, a, b, mine.batch, here) : 0;
	size = 2 * (size_t)mine.batch * sizeof(int);
	made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = error;
	if (made == MAP_FAILED)
		return gw_rnn_status(call, GW_RNN_INTERNAL_ERROR);
	status = same_lengths(call, calls, a, b, mine.batch, made);
	munmap(made, size);
	errno = error;
	return status;
}
