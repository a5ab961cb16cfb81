/* SPDX-License-Identifier: Apache-2.0 */
/* See facade.h: decides once, for each symbol of a facade that is called, where its slot leads. */
#include "facade.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "absent.h"
#include "binding.h"
#include "call.h"
#include "finding.h"
#include "line.h"
#include "objects.h"
#include "release.h"
#include "target.h"
#include "visible.h"

#define GENERIC 16u

extern const char gw_thunks[] __attribute__((visibility("hidden")));
#define THUNK_BYTES 16u

static void tell(enum gw_finding which, const struct gw_facade *facade, const struct gw_facade_symbol *entry, const char *what)
{
	const char *symbol = entry->name;
	char text[1024], remedy[384];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, symbol);
	gw_line_text(&line, " of ");
	gw_line_text(&line, facade->soname);
	gw_line_text(&line, what);
	line.text[line.length] = 0;
	gw_line_start(&line, remedy, sizeof(remedy) - 1);
	gw_line_text(&line, gw_finding_remedy(GW_FINDING_PRIVATE));
	gw_line_text(&line, ": ");
	if (entry->first <= entry->last && facade->family >= 0)
		gw_release_range_of(&line, (unsigned)facade->family, entry->first, entry->last);
	line.text[line.length] = 0;
	if (which == GW_FINDING_ABSENT)
		gw_finding_tell_absent(facade->family_name, symbol, text);
	else if (which == GW_FINDING_PRIVATE && entry->first <= entry->last)
		gw_finding_tell(which, symbol, text, remedy);
	else
		gw_finding_tell(which, symbol, text, NULL);
}

static void *refusal(const struct gw_facade *facade, const struct gw_facade_symbol *symbol)
{
	if (symbol->result_class == GW_CLASS_INT32)
		return gw_absent_status(facade->refuse);
	return gw_absent_plain(symbol->result_class);
}

/* Targets of generic families, opened once each: they have no binding. Losing a race costs one more reference. */
static struct gw_object *generic_target(const struct gw_facade *facade)
{
	static struct {
		_Atomic(const struct gw_facade *) facade;
		_Atomic(struct gw_object *) library;
	} opened[GENERIC];
	struct gw_target target;
	unsigned i;

	for (i = 0; i < GENERIC; i++)
		if (atomic_load(&opened[i].facade) == facade && atomic_load(&opened[i].library))
			return atomic_load(&opened[i].library);
	gw_target_open(facade, &target);
	for (i = 0; i < GENERIC && target.library; i++) {
		const struct gw_facade *empty = NULL;

		if (atomic_compare_exchange_strong(&opened[i].facade, &empty, facade) || empty == facade) {
			atomic_store(&opened[i].library, target.library);
			break;
		}
	}
	return target.library;
}

static void *forward(const struct gw_facade *facade, const struct gw_facade_symbol *symbol, bool *lasting)
{
	struct gw_image *image = NULL;
	struct gw_object *library;
	struct gw_binding *binding;
	void *at;

	if (facade->family >= 0) {
		binding = gw_binding_for_facade(facade);
		image = binding->loaded ? &binding->image : NULL;
	} else {
		library = generic_target(facade);
		image = library ? &library->image : NULL;
	}
	at = image ? gw_image_function(image, symbol->name, NULL) : NULL;
	if (at)
		return at;
	*lasting = image != NULL;
	if (image)
		tell(GW_FINDING_ABSENT, facade, symbol,
		     symbol->result_class == GW_CLASS_INT32 ?
			     " does not exist in the release that is installed; the program was told 'not supported'" :
			     " does not exist in the release that is installed; it was answered 0");
	return refusal(facade, symbol);
}

static void *bind(const struct gw_facade *facade, const struct gw_facade_symbol *symbol, bool *lasting)
{
	struct gw_binding *binding;
	unsigned origin;

	switch (symbol->how) {
	case GW_FACADE_FUNCTION:
		binding = gw_binding_for_facade(facade);
		origin = gw_binding_origin(binding);
		if (origin)
			return (void *)(gw_thunks + ((size_t)(origin - 1) * GW_FN_COUNT + (size_t)symbol->fn) * THUNK_BYTES);
		*lasting = false;	/* no target: told already, and it may be there the next time */
		return refusal(facade, symbol);
	case GW_FACADE_FORWARD:
		return forward(facade, symbol, lasting);
	default:
		tell(GW_FINDING_PRIVATE, facade, symbol,
		     " is private to its release or changed its meaning; it was answered 'not supported'");
		return refusal(facade, symbol);
	}
}

GW_VISIBLE void *gw_facade_bind(const struct gw_facade *facade, uint32_t index)
{
	const struct gw_facade_symbol *symbol = &facade->symbols[index];
	bool lasting = true;
	int error = errno;
	void *answer;

	/* Another build counts functions otherwise: its numbers would lead to the wrong ones. Told when it was mapped. */
	answer = strcmp(facade->build_id, gw_build_id) ? refusal(facade, symbol) : bind(facade, symbol, &lasting);
	if (lasting)
		__atomic_store_n(&facade->slots[index], answer, __ATOMIC_RELEASE);
	errno = error;
	return answer;
}
