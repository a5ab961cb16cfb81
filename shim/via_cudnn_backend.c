/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph interface of cuDNN between releases: attributes whose numbers moved go by name, notes and knobs that the caller's release cannot know
 * are not shown to it, and what the loaded release does not have yet is told by name when it refuses. Everything else is passed on.
 */
#include <stddef.h>
#include <string.h>

#include "binding.h"
#include "call.h"
#include "finding.h"
#include "gw_fn.h"
#include "gw_types.h"
#include "gw_values.h"
#include "gw_via.h"
#include "line.h"
#include "span.h"

#define SUCCESS 0	/* in every release */
#define NOTES 64	/* more than any engine has: a list that does not fit is passed on as it is */

static void tell_lacking(const struct gw_call *call, const struct gw_span *span)
{
	const struct gw_binding *binding = call->binding;
	const struct gw_family_data *family = &gw_families[binding->family];
	const struct gw_release *loaded = atomic_load_explicit(&binding->loaded_release, memory_order_acquire);
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_string(span->name));
	gw_line_text(&line, " does not exist in ");
	gw_line_text(&line, binding->path);
	gw_line_text(&line, " (");
	gw_line_text(&line, family->name);
	gw_line_char(&line, ' ');
	gw_line_text(&line, loaded->version);
	gw_line_text(&line, " or near it), which refused it; the first release that has it is ");
	gw_line_text(&line, family->releases[span->first].version);
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_LACKING, gw_string(span->name), text, NULL);
}

/* A call with VALUE failed: is it because the loaded release is older than what was asked for? */
static void explain(const struct gw_call *call, const struct gw_span_place *place, enum gw_spans_id list, int32_t value)
{
	const struct gw_span *later = gw_span_at(list, value, place->loaded) ? NULL : gw_span_later(list, value, place->loaded);

	if (later && later->first <= place->last && !gw_span_named(list, later->name, place->loaded))
		tell_lacking(call, later);
}

/* NAME as the loaded release numbers it. False when it has none, and the number means something else there. */
static bool translate(const struct gw_call *call, const struct gw_span_place *place, int type, cudnnBackendAttributeName_t *name)
{
	enum gw_spans_id list = GW_SPANS_cudnnBackendAttributeName_t;
	const struct gw_span *meaning = gw_span_meaning(list, (int32_t)*name, place->first, place->last, type), *there;

	if (!meaning || (meaning->first <= place->loaded && place->loaded <= meaning->last))
		return true;
	there = gw_span_named(list, meaning->name, place->loaded);
	if (there) {
		*name = (cudnnBackendAttributeName_t)there->value;
		return true;
	}
	if (!gw_span_at(list, meaning->value, place->loaded))
		return true;
	tell_lacking(call, meaning);
	return false;
}

static cudnnStatus_t refusal(const struct gw_call *call, const struct gw_span_place *place)
{
	const struct gw_family_data *family = &gw_families[call->binding->family];

	return (cudnnStatus_t)family->refuse[family->releases[place->loaded].numbering];
}

cudnnStatus_t gw_via_cudnn_backend_create(struct gw_call *call,
					  cudnnStatus_t (*real)(cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t *),
					  cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor)
{
	cudnnStatus_t status = real(type, descriptor);
	struct gw_span_place place;

	if (status != SUCCESS && !call->absent && gw_span_place(call, &place))
		explain(call, &place, GW_SPANS_cudnnBackendDescriptorType_t, (int32_t)type);
	return status;
}

cudnnStatus_t gw_via_cudnn_backend_set(struct gw_call *call,
				       cudnnStatus_t (*real)(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t,
							     cudnnBackendAttributeType_t, int64_t, const void *),
				       cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
				       int64_t count, const void *elements)
{
	struct gw_span_place place;
	cudnnBackendAttributeName_t theirs = name;
	cudnnStatus_t status;

	if (call->absent || !gw_span_place(call, &place))
		return real(descriptor, name, type, count, elements);
	if (!translate(call, &place, (int)type, &theirs))
		return refusal(call, &place);
	status = real(descriptor, theirs, type, count, elements);
	if (status != SUCCESS && theirs == name)
		explain(call, &place, GW_SPANS_cudnnBackendAttributeName_t, (int32_t)name);
	return status;
}

/* What the caller may be too old for, in the type of a list; -1: nothing of that type. */
static int list_of_type(int type)
{
	switch (type) {
	case GW_VALUE_CUDNN_TYPE_BEHAVIOR_NOTE: return GW_SPANS_cudnnBackendBehaviorNote_t;
	case GW_VALUE_CUDNN_TYPE_NUMERICAL_NOTE: return GW_SPANS_cudnnBackendNumericalNote_t;
	default: return -1;
	}
}

/* Not even the newest release that the caller may be of knows VALUE, and a later one does. */
static bool is_beyond(enum gw_spans_id list, int32_t value, const struct gw_span_place *place)
{
	return !gw_span_meaning(list, value, 0, place->last, -1) && gw_span_later(list, value, place->last);
}

/* What real does with a query; named to keep the signatures below within reason. */
typedef cudnnStatus_t get_function(cudnnBackendDescriptor_t const, cudnnBackendAttributeName_t, cudnnBackendAttributeType_t, int64_t, int64_t *,
				   void *);

struct query {
	get_function *real;
	cudnnBackendDescriptor_t descriptor;
	cudnnBackendAttributeName_t name;
	cudnnBackendAttributeType_t type;
	int64_t asked, *count;
	void *elements;
};

/* The whole list is asked for again, so that the count is the same whether the caller asks for the count alone, for some, or for all. */
static void hide_notes(const struct query *q, enum gw_spans_id list, const struct gw_span_place *place)
{
	int32_t all[NOTES], *shown = q->elements;
	int64_t count = 0, kept = 0, i;

	if (!q->count || q->real(q->descriptor, q->name, q->type, NOTES, &count, all) != SUCCESS || count < 0 || count > NOTES)
		return;
	for (i = 0; i < count; i++) {
		if (is_beyond(list, all[i], place))
			continue;
		if (shown && kept < q->asked)
			shown[kept] = all[i];
		kept++;
	}
	/* Some releases count what was written, others what there is. */
	if (*q->count > kept)
		*q->count = kept;
}

/* A knob's type, where its descriptor tells. */
static bool is_knob_beyond(const struct query *q, cudnnBackendDescriptor_t knob, const struct gw_span_place *place)
{
	int32_t type = -1;
	int64_t count = 0;

	return q->real(knob, GW_VALUE_CUDNN_ATTR_KNOB_INFO_TYPE, GW_VALUE_CUDNN_TYPE_KNOB_TYPE, 1, &count, &type) == SUCCESS && count == 1 &&
	       is_beyond(GW_SPANS_cudnnBackendKnobType_t, type, place);
}

/*
 * The caller's own descriptors were filled, in the library's order. Those at the end may go uncounted; one in the middle cannot be taken out, as
 * the caller may keep its descriptors in a list of its own.
 */
static void hide_knobs(const struct query *q, const struct gw_span_place *place)
{
	cudnnBackendDescriptor_t *knobs = q->elements;
	int64_t count, i;

	if (!knobs || !q->count || q->asked <= 0)
		return;
	count = *q->count < q->asked ? *q->count : q->asked;
	if (*q->count > q->asked)
		return;		/* not all are here: the end is not to be seen */
	while (count > 0 && is_knob_beyond(q, knobs[count - 1], place))
		count--;
	for (i = 0; i < count; i++)
		if (is_knob_beyond(q, knobs[i], place)) {
			gw_finding_tell(GW_FINDING_KNOB, "knob", "an engine has a knob that the caller's release of cudnn has no name for", NULL);
			break;
		}
	*q->count = count;
}

cudnnStatus_t gw_via_cudnn_backend_get(struct gw_call *call, get_function *real, cudnnBackendDescriptor_t const descriptor,
				       cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t asked, int64_t *count,
				       void *elements)
{
	struct query q = { real, descriptor, name, type, asked, count, elements };
	struct gw_span_place place;
	cudnnStatus_t status;
	int list;

	if (call->absent || !gw_span_place(call, &place))
		return real(descriptor, name, type, asked, count, elements);
	if (!translate(call, &place, (int)type, &q.name))
		return refusal(call, &place);
	status = real(descriptor, q.name, type, asked, count, elements);
	if (status != SUCCESS) {
		if (q.name == name)
			explain(call, &place, GW_SPANS_cudnnBackendAttributeName_t, (int32_t)name);
		return status;
	}
	if (place.last >= place.loaded)
		return status;	/* the caller may know all that there is */
	list = list_of_type((int)type);
	if (list >= 0)
		hide_notes(&q, (enum gw_spans_id)list, &place);
	else if (q.name == GW_VALUE_CUDNN_ATTR_ENGINE_KNOB_INFO && type == GW_VALUE_CUDNN_TYPE_BACKEND_DESCRIPTOR)
		hide_knobs(&q, &place);
	return status;
}
