/* SPDX-License-Identifier: Apache-2.0 */
/* See built.h. Reads only what the loader has mapped; the dynamic symbol table is gone through once for each calling object. */
#include "built.h"

#include <string.h>

#include "finding.h"
#include "gw_fn.h"
#include "line.h"
#include "log.h"
#include "names.h"
#include "objects.h"
#include "settings.h"
#include "table.h"

#define KNOWN (UINT32_C(1) << 31)
#define DECIDED (UINT32_C(1) << 15)	/* by the user */
#define NOTHING (UINT32_C(1) << 30)
#define SHIFT 16
#define MASK 0x7fffu

/* Why it is this range: each bound has one reason. */
struct evidence {
	unsigned family;
	struct gw_built built;
	const char *first_text, *last_text;	/* a node, a function, a setting; NULL: the first and last known release */
	const char *first_how, *last_how;
	bool decided;
};

static bool is_of_major(const struct gw_release *release, const char *soname)
{
	const char *major = strstr(soname, ".so.");

	return major && !strcmp(release->soname_major, major + 4);
}

static void narrow(struct evidence *e, unsigned first, unsigned last, const char *how, const char *text)
{
	if (first > e->built.first) {
		e->built.first = (uint16_t)first;
		e->first_how = how;
		e->first_text = text;
	}
	if (last < e->built.last) {
		e->built.last = (uint16_t)last;
		e->last_how = how;
		e->last_text = text;
	}
	e->built.known = e->first_text || e->last_text;
}

static void by_soname(struct evidence *e, const char *soname, const char *how)
{
	const struct gw_family_data *data = &gw_families[e->family];
	uint32_t i, first = data->release_count, last = 0;

	for (i = 0; i < data->release_count; i++)
		if (is_of_major(&data->releases[i], soname)) {
			if (first > i)
				first = i;
			last = i;
		}
	if (first <= last)
		narrow(e, first, last, how, soname);
}

static bool is_soname(unsigned family, const char *name)
{
	unsigned i;

	for (i = 0; gw_families[family].sonames[i]; i++)
		if (!strcmp(gw_families[family].sonames[i], name))
			return true;
	return false;
}

static void by_libraries(struct evidence *e, const struct gw_object *object)
{
	const char *needed;
	unsigned i;

	for (i = 0; i < GW_NODE_MAX && object->wants[e->family][i]; i++)
		by_soname(e, object->wants[e->family][i], "node");
	for (i = 0; (needed = gw_image_needed(&object->image, i)); i++)
		if (is_soname(e->family, needed))
			by_soname(e, needed, "needs");
}

static bool note_import(const char *name, void *data)
{
	struct evidence *e = data;
	int fn = gw_name_find(name);
	const struct gw_function *function = fn >= 0 ? &gw_functions[fn] : NULL;

	if (function && function->family == e->family)
		narrow(e, function->first, function->last, "imports", gw_function_name((uint32_t)fn));
	return true;
}

static void tell_wrong(const char *value, const char *wrong, const char *why)
{
	char text[1024];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	gw_line_text(&line, "GANGWAY_BUILT_FOR is not obeyed: ");
	gw_line_text(&line, why);
	gw_line_text(&line, " at character ");
	gw_line_unsigned(&line, (uint64_t)(wrong - value) + 1);
	gw_line_text(&line, " of \"");
	gw_line_text(&line, value);
	gw_line_text(&line, "\"");
	line.text[line.length] = 0;
	gw_finding_tell(GW_FINDING_BUILT_FOR, "GANGWAY_BUILT_FOR", text, NULL);
}

/* True when the user decides. */
static bool by_setting(struct evidence *e, const struct gw_object *object, enum gw_setting setting)
{
	const char *value = gw_setting(setting), *wrong, *why;
	struct gw_built told;
	int result = value ? gw_built_told(value, gw_object_path(object), e->family, &told, &wrong, &why) : 0;

	if (result < 0)
		tell_wrong(value, wrong, why);
	if (result <= 0)
		return false;
	e->built = told;
	e->decided = true;
	e->first_how = e->last_how = "told";
	e->first_text = e->last_text = gw_settings_table[setting].variable;
	return true;
}

static void log_evidence(const struct evidence *e, const struct gw_object *object)
{
	const struct gw_family_data *data = &gw_families[e->family];
	char text[512];
	struct gw_line line;

	gw_line_start(&line, text, sizeof(text) - 1);
	if (e->first_text) {
		gw_line_text(&line, e->first_how);
		gw_line_char(&line, ' ');
		gw_line_text(&line, e->first_text);
	}
	if (e->last_text && e->last_text != e->first_text) {
		gw_line_text(&line, e->first_text ? "; " : "");
		gw_line_text(&line, e->last_how);
		gw_line_char(&line, ' ');
		gw_line_text(&line, e->last_text);
	}
	line.text[line.length] = 0;
	gw_log_object(gw_object_path(object), data->name, data->releases[e->built.first].version, data->releases[e->built.last].version, text);
}

static struct evidence look(struct gw_object *object, unsigned family)
{
	struct evidence e = { .family = family, .built = { .last = (uint16_t)(gw_families[family].release_count - 1) } };

	if (by_setting(&e, object, GW_SETTING_BUILT_FOR))
		return e;
	if (object->image.strings) {
		by_libraries(&e, object);
		gw_image_imports(&object->image, object->symbols_end, note_import, &e);
	}
	if (e.built.first > e.built.last)	/* no release has all of that: its functions are not the vendor's */
		e.built.known = false;
	return e;
}

static uint32_t pack(const struct evidence *e)
{
	uint32_t range = KNOWN | (uint32_t)e->built.last << SHIFT | e->built.first;

	return (e->built.known ? range : NOTHING) | (e->decided ? DECIDED : 0);
}

static struct gw_built unpack(uint32_t packed)
{
	return (struct gw_built){ .first = packed & MASK, .last = packed >> SHIFT & MASK, .known = packed & KNOWN };
}

struct gw_built gw_built_for(struct gw_object *object, unsigned family)
{
	uint32_t packed = atomic_load_explicit(&object->built[family], memory_order_acquire), empty = 0;
	struct evidence e;

	if (!packed) {
		if (!object->identity || object->role != GW_ROLE_OTHER)
			return (struct gw_built){ 0 };
		e = look(object, family);
		packed = pack(&e);
		if (atomic_compare_exchange_strong(&object->built[family], &empty, packed)) {
			if (e.built.known)
				log_evidence(&e, object);
		} else {
			packed = empty;
		}
	}
	return unpack(packed);
}

void gw_built_size(struct gw_object *object, unsigned family, enum gw_spans_id list, size_t size)
{
	const struct gw_span *spans = gw_spans + gw_span_lists[list].first;
	struct gw_built now = gw_built_for(object, family);
	uint32_t packed = atomic_load_explicit(&object->built[family], memory_order_acquire), i;
	struct evidence e = { .family = family, .built = now };
	unsigned first = UINT16_MAX, last = 0;
	char how[64];
	struct gw_line line;

	/* Who has no other relation to the family, such as libffi, calls for others. */
	if (!now.known || packed & DECIDED)
		return;
	for (i = 0; i < gw_span_lists[list].count; i++) {
		if (spans[i].value < 0 || (size_t)spans[i].value != size)
			continue;
		first = spans[i].first < first ? spans[i].first : first;
		last = spans[i].last > last ? spans[i].last : last;
	}
	if (first > last || first > e.built.last || last < e.built.first || (first <= e.built.first && last >= e.built.last))
		return;		/* no known size, none of the releases that it may be of, or nothing new */
	gw_line_start(&line, how, sizeof(how) - 1);
	gw_line_unsigned(&line, size);
	gw_line_text(&line, " bytes of");
	line.text[line.length] = 0;
	narrow(&e, first, last, how, gw_string(spans[0].name));
	if (!atomic_compare_exchange_strong(&object->built[family], &packed, pack(&e)))
		return;		/* another thread learnt something: the next call may narrow that */
	log_evidence(&e, object);
	atomic_store_explicit(&object->bindings[family], NULL, memory_order_release);
	atomic_store_explicit(&object->through[family], 0, memory_order_release);
}

bool gw_built_alike(unsigned family, unsigned first, unsigned last)
{
	unsigned i;

	for (i = first; i <= last; i++)
		if (gw_families[family].releases[i].like != gw_families[family].releases[first].like)
			return false;
	return true;
}
