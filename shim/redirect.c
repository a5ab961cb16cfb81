/* SPDX-License-Identifier: Apache-2.0 */
/* See redirect.h. */
#include "redirect.h"

#include <errno.h>
#include <stdatomic.h>

#include "binding.h"
#include "finding.h"
#include "line.h"
#include "objects.h"
#include "policy.h"
#include "settings.h"

#define PLACES 256u	/* remembered as told, so that a message is not put together again each time */

static const char *const names[] = {
#define GW_RESCUE_NAME(function, id, name) name,
	GW_RESCUES(GW_RESCUE_NAME)
#undef GW_RESCUE_NAME
};

static _Atomic uint64_t places[PLACES];

const char *gw_rescue_name(enum gw_rescue rescue)
{
	return names[rescue];
}

bool gw_redirect_wanted(const struct gw_call *call, enum gw_rescue rescue, const struct gw_shape *shape)
{
	const struct gw_release *release = atomic_load_explicit(&call->binding->loaded_release, memory_order_relaxed);
	struct gw_policy_case asked = {
		.name = names[rescue], .function = gw_function_name(call->fn), .family = gw_families[call->binding->family].name, .algorithm = -1,
		.release = release ? gw_policy_release(release->part) : -1, .arch = shape->architecture ? shape->architecture : -1,
		.m = shape->m, .n = shape->n, .k = shape->k, .batch = shape->batch,
	};
	const struct gw_policy_rule *rule;

	if (gw_setting_on(GW_SETTING_DISABLE))
		return false;
	rule = gw_policy_find(gw_policy(), GW_POLICY_RESCUE, &asked);
	return !rule || rule->effect == GW_POLICY_ON;
}

/* True for the first with this key, and again for one that another pushed out: gw_finding_tell knows what it has told. */
static bool first_time(uintptr_t caller, uintptr_t what)
{
	uint64_t key = (caller ^ what * UINT64_C(0x9e3779b97f4a7c15)) | 1;
	_Atomic uint64_t *place = &places[(key >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 56];

	return atomic_exchange_explicit(place, key, memory_order_relaxed) != key;
}

/* "/path/lib.so+0x1234" */
static void put_caller(struct gw_line *line, const void *caller)
{
	const struct gw_object *object = gw_object_of(caller);

	gw_line_text(line, gw_object_path(object));
	gw_line_char(line, '+');
	gw_line_hex(line, (uintptr_t)caller - object->image.base);
}

static void tell(const struct gw_call *call, enum gw_finding finding, const char *first, const char *name, const char *second, const char *third)
{
	char text[1536], subject[640];
	struct gw_line line;
	int error = errno;

	gw_line_start(&line, subject, sizeof(subject) - 1);
	put_caller(&line, call->caller);
	gw_line_text(&line, name);	/* another rescue, or reason, is another finding */
	gw_line_text(&line, finding == GW_FINDING_NOT_RESCUED ? second : "");
	line.text[line.length] = 0;
	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, gw_function_name(call->fn));
	gw_line_text(&line, ", called by ");
	put_caller(&line, call->caller);
	gw_line_text(&line, first);
	gw_line_text(&line, second);
	gw_line_text(&line, third);
	gw_line_text(&line, " (rescue ");
	gw_line_text(&line, name);
	gw_line_char(&line, ')');
	line.text[line.length] = 0;
	gw_finding_tell(finding, subject, text, NULL);
	errno = error;
}

void gw_redirect_tell(const struct gw_call *call, enum gw_rescue rescue, const char *what, const char *how)
{
	if (first_time((uintptr_t)call->caller, (uintptr_t)rescue + 1))
		tell(call, GW_FINDING_RESCUED, ", was refused: ", names[rescue], what, how);
}

void gw_redirect_tell_not(const struct gw_call *call, enum gw_rescue rescue, const char *why)
{
	if (first_time((uintptr_t)call->caller, (uintptr_t)why))
		tell(call, GW_FINDING_NOT_RESCUED, ", was refused, and gangway did not do it otherwise: ", names[rescue], why, "");
}
