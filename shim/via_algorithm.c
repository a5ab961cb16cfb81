/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuDNN 8's algorithm descriptors and their performances, which 9 lacks: nothing but storage, and so kept here. Saved algorithms have the
 * form that 8.9.7 writes: 72 bytes that begin with the release, its build, a zero and the algorithm.
 */
#include <string.h>

#include "binding.h"
#include "gw_via.h"
#include "rnn_calls.h"
#include "rnn_cells.h"

enum { SAVED_SIZE = 72 };

struct saved {
	int32_t release, build, zero, algorithm;
};

_Static_assert(sizeof(cudnnAlgorithm_t) == sizeof(int32_t), "an algorithm is one number of whatever kind");

static cudnnStatus_t wrong(const struct gw_call *call)
{
	return gw_rnn_status(call, GW_RNN_BAD_PARAM);
}

cudnnStatus_t gw_via_algorithm_create(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmDescriptor_t *),
				      cudnnAlgorithmDescriptor_t *algoDesc)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoDesc);
	if (!algoDesc)
		return wrong(call);
	cell = gw_cell_make(GW_CELL_ALGORITHM);
	if (!cell)
		return gw_rnn_refuse(call, "it keeps no more than 16384 objects at a time");
	*algoDesc = (cudnnAlgorithmDescriptor_t)(void *)cell;
	return 0;
}

cudnnStatus_t gw_via_algorithm_destroy(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmDescriptor_t),
				       cudnnAlgorithmDescriptor_t algoDesc)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoDesc);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	if (cell)
		gw_cell_free(cell);
	return cell || !algoDesc ? 0 : wrong(call);
}

cudnnStatus_t gw_via_algorithm_set(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmDescriptor_t, cudnnAlgorithm_t),
				   cudnnAlgorithmDescriptor_t algoDesc, cudnnAlgorithm_t algorithm)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoDesc, algorithm);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	if (!cell)
		return wrong(call);
	memcpy(&cell->number, &algorithm, sizeof(cell->number));
	return 0;
}

cudnnStatus_t gw_via_algorithm_get(struct gw_call *call, cudnnStatus_t (*real)(const cudnnAlgorithmDescriptor_t,
				   cudnnAlgorithm_t *), const cudnnAlgorithmDescriptor_t algoDesc, cudnnAlgorithm_t *algorithm)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoDesc, algorithm);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	if (!cell || !algorithm)
		return wrong(call);
	memcpy(algorithm, &cell->number, sizeof(cell->number));
	return 0;
}

cudnnStatus_t gw_via_algorithm_copy(struct gw_call *call, cudnnStatus_t (*real)(const cudnnAlgorithmDescriptor_t,
				    cudnnAlgorithmDescriptor_t), const cudnnAlgorithmDescriptor_t src,
				    cudnnAlgorithmDescriptor_t dest)
{
	struct gw_cell *from, *to;

	if (!gw_rnn_answers(call))
		return real(src, dest);
	from = gw_cell_of(src, GW_CELL_ALGORITHM);
	to = gw_cell_of(dest, GW_CELL_ALGORITHM);
	if (!from || !to)
		return wrong(call);
	to->number = from->number;
	return 0;
}

cudnnStatus_t gw_via_algorithm_space(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnAlgorithmDescriptor_t,
				     size_t *), cudnnHandle_t handle, cudnnAlgorithmDescriptor_t algoDesc,
				     size_t *algoSpaceSizeInBytes)
{
	if (!gw_rnn_answers(call))
		return real(handle, algoDesc, algoSpaceSizeInBytes);
	if (!handle || !gw_cell_of(algoDesc, GW_CELL_ALGORITHM) || !algoSpaceSizeInBytes)
		return wrong(call);
	*algoSpaceSizeInBytes = SAVED_SIZE;
	return 0;
}

cudnnStatus_t gw_via_algorithm_save(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, cudnnAlgorithmDescriptor_t,
				    void *, size_t), cudnnHandle_t handle, cudnnAlgorithmDescriptor_t algoDesc, void *algoSpace,
				    size_t algoSpaceSizeInBytes)
{
	const struct gw_release *release = call->binding->version_release;	/* whose library the program believes to run on */
	struct saved saved = { 0 };
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(handle, algoDesc, algoSpace, algoSpaceSizeInBytes);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	if (!handle || !cell || !algoSpace || algoSpaceSizeInBytes < SAVED_SIZE)
		return wrong(call);
	if (release) {
		saved.release = (int32_t)release->number;
		saved.build = release->part[3];
	}
	saved.algorithm = cell->number;
	memset(algoSpace, 0, SAVED_SIZE);
	memcpy(algoSpace, &saved, sizeof(saved));
	return 0;
}

cudnnStatus_t gw_via_algorithm_restore(struct gw_call *call, cudnnStatus_t (*real)(cudnnHandle_t, void *, size_t,
				       cudnnAlgorithmDescriptor_t), cudnnHandle_t handle, void *algoSpace,
				       size_t algoSpaceSizeInBytes, cudnnAlgorithmDescriptor_t algoDesc)
{
	const struct gw_release *release = call->binding->version_release;	/* whose library the program believes to run on */
	struct gw_cell *cell;
	struct saved saved;

	if (!gw_rnn_answers(call))
		return real(handle, algoSpace, algoSpaceSizeInBytes, algoDesc);
	cell = gw_cell_of(algoDesc, GW_CELL_ALGORITHM);
	if (!handle || !cell || !algoSpace || algoSpaceSizeInBytes < SAVED_SIZE)
		return wrong(call);
	memcpy(&saved, algoSpace, sizeof(saved));
	if (release && (saved.release != (int32_t)release->number || saved.build != release->part[3]))
		return wrong(call);
	if (saved.zero)
		return gw_rnn_status(call, GW_RNN_NOT_SUPPORTED);
	cell->number = saved.algorithm;
	return 0;
}

static void free_performance(struct gw_cell *cell)
{
	if (cell->own)
		gw_cell_free(cell->own);
	gw_cell_free(cell);
}

/* With a descriptor of its own, which a Get shows until another is set. */
static struct gw_cell *make_performance(void)
{
	struct gw_cell *cell = gw_cell_make(GW_CELL_PERFORMANCE);

	if (!cell)
		return NULL;
	cell->own = gw_cell_make(GW_CELL_ALGORITHM);
	cell->algorithm = cell->own;
	if (cell->own)
		return cell;
	gw_cell_free(cell);
	return NULL;
}

cudnnStatus_t gw_via_performance_create(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmPerformance_t *, int),
					cudnnAlgorithmPerformance_t *algoPerf, int numberToCreate)
{
	struct gw_cell *cell;
	int i;

	if (!gw_rnn_answers(call))
		return real(algoPerf, numberToCreate);
	if (!algoPerf)
		return wrong(call);
	for (i = 0; i < numberToCreate; i++) {
		cell = make_performance();
		if (!cell) {
			while (i-- > 0) {
				free_performance((struct gw_cell *)(void *)algoPerf[i]);
				algoPerf[i] = NULL;
			}
			return gw_rnn_refuse(call, "it keeps no more than 16384 objects at a time");
		}
		algoPerf[i] = (cudnnAlgorithmPerformance_t)(void *)cell;
	}
	return 0;
}

cudnnStatus_t gw_via_performance_destroy(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmPerformance_t *, int),
					 cudnnAlgorithmPerformance_t *algoPerf, int numberToDestroy)
{
	struct gw_cell *cell;
	int i;

	if (!gw_rnn_answers(call))
		return real(algoPerf, numberToDestroy);
	if (!algoPerf)
		return wrong(call);
	for (i = 0; i < numberToDestroy; i++) {
		cell = gw_cell_of(algoPerf[i], GW_CELL_PERFORMANCE);
		if (cell)
			free_performance(cell);
		algoPerf[i] = NULL;
	}
	return 0;
}

cudnnStatus_t gw_via_performance_set(struct gw_call *call, cudnnStatus_t (*real)(cudnnAlgorithmPerformance_t,
				     cudnnAlgorithmDescriptor_t, cudnnStatus_t, float, size_t),
				     cudnnAlgorithmPerformance_t algoPerf, cudnnAlgorithmDescriptor_t algoDesc,
				     cudnnStatus_t status, float time, size_t memory)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoPerf, algoDesc, status, time, memory);
	cell = gw_cell_of(algoPerf, GW_CELL_PERFORMANCE);
	if (!cell)
		return wrong(call);
	cell->algorithm = algoDesc;
	cell->number = status;	/* given back as it is: the library never sees it */
	cell->time = time;
	cell->memory = memory;
	return 0;
}

cudnnStatus_t gw_via_performance_get(struct gw_call *call, cudnnStatus_t (*real)(const cudnnAlgorithmPerformance_t,
				     cudnnAlgorithmDescriptor_t *, cudnnStatus_t *, float *, size_t *),
				     const cudnnAlgorithmPerformance_t algoPerf, cudnnAlgorithmDescriptor_t *algoDesc,
				     cudnnStatus_t *status, float *time, size_t *memory)
{
	struct gw_cell *cell;

	if (!gw_rnn_answers(call))
		return real(algoPerf, algoDesc, status, time, memory);
	cell = gw_cell_of(algoPerf, GW_CELL_PERFORMANCE);
	if (!cell || !algoDesc || !status || !time || !memory)
		return wrong(call);
	*algoDesc = (cudnnAlgorithmDescriptor_t)cell->algorithm;
	*status = cell->number;
	*time = cell->time;
	*memory = cell->memory;
	return 0;
}
