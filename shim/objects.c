/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of mapped objects; see objects.h. All writing happens inside dl_iterate_phdr's callback, where the loader's own list lock
 * makes one writer at a time; readers follow indices published in the address cache. It must never ask the loader for more
 * than dl_iterate_phdr: dlopen, dlsym and dladdr take the lock that another thread may hold while constructors run.
 */
#include "objects.h"

#include <link.h>
#include <string.h>

#include "binding.h"
#include "forked.h"
#include "ordered.h"
#include "process.h"
#include "table.h"
#include "trace.h"

#define RECORDS 4096u		/* objects mapped at once that we can tell apart; more of them share record 0 */
#define CACHE GW_OBJECT_CACHE
#define PAGE_SHIFT GW_OBJECT_PAGE_SHIFT
#define PAGE_BITS GW_OBJECT_PAGE_BITS
#define INDEX_BITS 12
#define GENERATION_MASK GW_OBJECT_GENERATIONS

struct gw_object gw_object_records[RECORDS];	/* open addressing by dynamic section; 0 is the unknown object */
static _Atomic uint16_t vendors[64];		/* records that held a vendor's library once; 0: free; more of them are not listed */
static uint32_t seen[RECORDS];			/* pass in which a record was last met */
_Atomic uint64_t gw_object_cache[CACHE];
_Atomic uint32_t gw_object_generation = 1;
static _Atomic uint32_t swept = 1;		/* generation whose unmapped objects have been dropped */
static _Atomic bool used;			/* a record was made */
_Atomic int gw_objects_in_close;		/* threads inside dlclose: what they unmap may be mapped anew before they come back */
static uint32_t pass_number;
static _Atomic uint64_t last_subtractions;
static _Atomic uint64_t unknown_since;		/* objects ever mapped, when a page was last found to belong to none; 0: never */

struct pass {
	const void *address;
	const char *name;
	struct gw_object *found;
	bool (*visit)(struct gw_object *object, void *data);
	void *data;
	uint64_t met, additions, subtractions;
	uint64_t complete;	/* how many objects there are, when additions and subtractions still are what they were; 0: not known */
	uint32_t generation;
	bool started, stopped;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x100000001b3);
}

GW_READS_LOADER static uint64_t identity_of(const struct dl_phdr_info *info, uintptr_t dynamic)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const char *p;

	for (p = info->dlpi_name; p && *p; p++)
		hash = mix(hash, (unsigned char)*p);
	hash = mix(mix(mix(hash, info->dlpi_addr), dynamic), info->dlpi_phnum);
	return hash ? hash : 1;
}

static int family_of_node(const char *node)
{
	unsigned f, i;

	if (strncmp(node, "lib", 3))
		return -1;
	for (f = 0; f < GW_FAMILY_COUNT; f++)
		for (i = 0; gw_families[f].sonames[i]; i++)
			if (!strcmp(gw_families[f].sonames[i], node))
				return (int)f;
	return -1;
}

static bool note_defined(const char *node, void *data)
{
	struct gw_object *object = data;
	int family = family_of_node(node);

	if (family < 0)
		return true;
	object->role = GW_ROLE_VENDOR;
	object->family = (int8_t)family;
	object->node = node;
	return false;
}

static bool note_wanted(const char *node, void *data)
{
	struct gw_object *object = data;
	int family = family_of_node(node);
	unsigned i;

	for (i = 0; family >= 0 && i < GW_NODE_MAX; i++)
		if (!object->wants[family][i]) {
			object->wants[family][i] = node;
			break;
		}
	return true;
}

/* The vdso has a dynamic section that the loader does not relocate. */
GW_READS_LOADER static bool is_vdso(const char *path)
{
	return gw_same(path, "linux-vdso.so.1");
}

static void classify(struct gw_object *object)
{
	const char *needed;
	unsigned i;

	gw_image_nodes(&object->image, true, note_defined, object);
	gw_image_nodes(&object->image, false, note_wanted, object);
	/* A stand-in for a vendor's library may define no nodes: then its name says what it is. */
	if (object->role == GW_ROLE_OTHER && object->image.soname)
		note_defined(object->image.soname, object);
	if (object->image.soname && !strcmp(object->image.soname, gw_process_soname))
		object->role = GW_ROLE_SELF;
	for (i = 0; (needed = gw_image_needed(&object->image, i)); i++)
		if (!strcmp(needed, gw_process_soname) && object->image.defined)
			object->role = GW_ROLE_FACADE;
}

/* Where the file's bytes end that are mapped around ADDRESS; 0: nowhere. */
static uintptr_t end_of_segment(const struct dl_phdr_info *info, uintptr_t address)
{
	unsigned i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && address >= start && address < start + p->p_filesz)
			return start + p->p_filesz;
	}
	return 0;
}

static void fill(struct gw_object *object, const struct dl_phdr_info *info, const Elf64_Dyn *dynamic, uint64_t identity)
{
	unsigned i;

	memset(object, 0, sizeof(*object));
	object->family = -1;
	object->path = info->dlpi_name ? info->dlpi_name : "";
	object->low = UINTPTR_MAX;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			object->frames = start;
		if (p->p_type != PT_LOAD)
			continue;
		if (start < object->low)
			object->low = start;
		if (start + p->p_memsz > object->high)
			object->high = start + p->p_memsz;
	}
	if (gw_image_read(&object->image, info->dlpi_addr, dynamic) && !is_vdso(object->path)) {
		classify(object);
		object->symbols_end = end_of_segment(info, (uintptr_t)object->image.symbols);
	}
	object->identity = identity;
}

/* Under the loader's lock, as all writing. */
static void list_vendors(uint32_t index)
{
	unsigned i;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		if (atomic_load_explicit(&vendors[i], memory_order_relaxed) == index)
			return;
		if (!atomic_load_explicit(&vendors[i], memory_order_relaxed)) {
			atomic_store_explicit(&vendors[i], (uint16_t)index, memory_order_release);
			return;
		}
	}
}

bool gw_objects_vendors(uintptr_t address)
{
	unsigned i, index;

	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]) && (index = atomic_load_explicit(&vendors[i], memory_order_acquire)); i++)
		if (gw_object_records[index].role == GW_ROLE_VENDOR && gw_object_records[index].identity &&
		    address >= gw_object_records[index].low && address < gw_object_records[index].high)
			return true;
	return false;
}

/* The record of the object that INFO describes, filled anew when another one was there. */
static struct gw_object *record_of(const struct dl_phdr_info *info)
{
	const Elf64_Dyn *dynamic = NULL;
	uint64_t identity;
	unsigned i, probe;
	uint32_t index, reusable = 0;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	identity = identity_of(info, (uintptr_t)dynamic);
	index = (uint32_t)((identity >> 20) % (RECORDS - 1)) + 1;
	for (probe = 0; probe < RECORDS - 1; probe++) {
		struct gw_object *object = &gw_object_records[index];

		if (object->identity == identity) {
			seen[index] = pass_number;
			return object;
		}
		if (!object->identity && !reusable)
			reusable = index;
		if (!object->identity && !object->low)
			break;		/* never used: the chain ends here */
		index = index % (RECORDS - 1) + 1;
	}
	if (!reusable)
		return &gw_object_records[0];
	fill(&gw_object_records[reusable], info, dynamic, identity);
	if (gw_object_records[reusable].role == GW_ROLE_VENDOR)
		list_vendors(reusable);
	seen[reusable] = pass_number;
	return &gw_object_records[reusable];
}

/* After a complete pass: what was not met has been unmapped. Its address range stays as a tombstone, so that probes go on. */
static void sweep(uint32_t now)
{
	uint32_t i;

	for (i = 1; i < RECORDS; i++) {
		struct gw_object *object = &gw_object_records[i];

		if (!object->identity || seen[i] == pass_number)
			continue;
		if (object->role == GW_ROLE_VENDOR || object->role == GW_ROLE_FACADE)
			gw_binding_library_gone(object);
		gw_trace_closed(object->low);
		object->identity = 0;
	}
	swept = now;
}

void gw_objects_forget_binding(const struct gw_binding *binding)
{
	unsigned i, f;

	for (i = 0; i < RECORDS; i++)
		for (f = 0; f < GW_FAMILY_COUNT; f++) {
			struct gw_object *object = &gw_object_records[i];

			if (atomic_load_explicit(&object->bindings[f], memory_order_relaxed) == binding)
				atomic_store_explicit(&object->bindings[f], NULL, memory_order_relaxed);
			if (gw_binding_through(atomic_load_explicit(&object->through[f], memory_order_relaxed)) == binding)
				atomic_store_explicit(&object->through[f], 0, memory_order_relaxed);
		}
}

static int each_locked(const struct dl_phdr_info *info, size_t size, struct pass *pass)
{
	struct gw_object *object;

	if (!pass->started) {
		pass->started = true;
		atomic_store_explicit(&used, true, memory_order_relaxed);
		pass->met = 0;
		if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
			if (pass->additions != info->dlpi_adds || pass->subtractions != info->dlpi_subs)
				pass->complete = 0;
			pass->additions = info->dlpi_adds;
			pass->subtractions = info->dlpi_subs;
		}
		pass->generation = atomic_load_explicit(&gw_object_generation, memory_order_relaxed);
		pass_number++;
	}
	object = record_of(info);
	pass->met++;
	if (pass->address && (uintptr_t)pass->address >= object->low && (uintptr_t)pass->address < object->high)
		pass->found = object;
	if (pass->name && !pass->found && object->role != GW_ROLE_SELF &&
	    ((object->image.soname && !strcmp(object->image.soname, pass->name)) ||
	     (object->node && !strcmp(object->node, pass->name))))
		pass->found = object;
	if (pass->visit && !pass->stopped && object->identity)
		pass->stopped = !pass->visit(object, pass->data);
	if (pass->met == pass->complete && swept != pass->generation)
		sweep(pass->generation);
	return 0;
}

static int each(struct dl_phdr_info *info, size_t size, void *data)
{
	static char list_lock;	/* stands for the loader's */
	int result;

	gw_ordered_begin(&list_lock);
	result = each_locked(info, size, data);
	gw_ordered_end(&list_lock);
	return result;
}

static void walk(struct pass *pass)
{
	gw_forked_iterate(each, pass);
}

/*
 * Drops the records of what is no longer mapped. The loader's counters do not tell how many objects a pass will meet: they count every
 * namespace's, an auditor's too, and some of those more than once. So one pass counts, and the next, if nothing changed, sweeps.
 */
static void drop_unmapped(void)
{
	struct pass pass = { .complete = 0 };
	unsigned tries;

	for (tries = 0; tries < 4 && atomic_load(&swept) != atomic_load(&gw_object_generation); tries++) {
		walk(&pass);
		pass.complete = pass.met;
		pass.started = false;
	}
}

struct counters {
	uint64_t additions, subtractions;
};

static int read_counters(struct dl_phdr_info *info, size_t size, void *data)
{
	struct counters *counters = data;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
		counters->additions = info->dlpi_adds;
		counters->subtractions = info->dlpi_subs;
	}
	return 1;
}

static void forget_all(void)
{
	uint32_t now = atomic_fetch_add_explicit(&gw_object_generation, 1, memory_order_acq_rel) + 1;

	if (!(now & GENERATION_MASK))	/* tags wrapped: entries of the first round would come to life again */
		memset(gw_object_cache, 0, sizeof(gw_object_cache));
}

/* May a page that belonged to no object still be taken for one? Not once anything has been mapped since. */
static bool still_unknown(void)
{
	uint64_t since = atomic_load_explicit(&unknown_since, memory_order_acquire);
	struct counters counters = { 0, 0 };

	gw_forked_iterate(read_counters, &counters);
	if (counters.additions == since)
		return true;
	if (atomic_compare_exchange_strong(&unknown_since, &since, counters.additions))
		forget_all();
	return false;
}

struct gw_object *gw_object_of(const void *address)
{
	uint64_t page = ((uintptr_t)address >> PAGE_SHIFT) & ((UINT64_C(1) << PAGE_BITS) - 1);
	uint32_t now = atomic_load_explicit(&gw_object_generation, memory_order_acquire);
	uint64_t tag = (uint64_t)(now & GENERATION_MASK) << 48 | page;
	_Atomic uint64_t *slot = &gw_object_cache[page % CACHE];
	uint64_t entry = atomic_load_explicit(slot, memory_order_acquire);
	const uint64_t index_mask = ((UINT64_C(1) << INDEX_BITS) - 1) << PAGE_BITS;
	struct pass pass = { .address = address };

	if ((entry & ~index_mask) == tag && !atomic_load_explicit(&gw_objects_in_close, memory_order_acquire) &&
	    (entry & index_mask || still_unknown()))
		return &gw_object_records[(entry & index_mask) >> PAGE_BITS];
	if (atomic_load_explicit(&swept, memory_order_relaxed) != now)
		drop_unmapped();
	walk(&pass);
	if (!pass.found) {	/* code that no object holds, such as a JIT's */
		pass.found = &gw_object_records[0];
		if (!still_unknown())
			return pass.found;
	}
	atomic_store_explicit(slot, tag | (uint64_t)(pass.found - gw_object_records) << PAGE_BITS, memory_order_release);
	return pass.found;
}

struct gw_object *gw_object_named(const char *name)
{
	struct pass pass = { .name = name };

	walk(&pass);
	return pass.found;
}

void gw_objects_each(bool (*visit)(struct gw_object *object, void *data), void *data)
{
	struct pass pass = { .visit = visit, .data = data };

	walk(&pass);
}

void gw_objects_recorded(bool (*visit)(const struct gw_object *object, void *data), void *data)
{
	unsigned i;

	for (i = 1; i < RECORDS; i++)
		if (gw_object_records[i].identity && !visit(&gw_object_records[i], data))
			return;
}

void gw_objects_closing(void)
{
	atomic_fetch_add(&gw_objects_in_close, 1);
}

static void forget_closed(void)
{
	struct counters counters = { 0, 0 };

	if (!atomic_load_explicit(&used, memory_order_relaxed))
		return;		/* a process that never met a vendor's library */
	gw_forked_iterate(read_counters, &counters);
	if (atomic_exchange_explicit(&last_subtractions, counters.subtractions, memory_order_relaxed) == counters.subtractions)
		return;
	forget_all();
	drop_unmapped();
}

void gw_objects_closed(void)
{
	int now = atomic_load(&gw_objects_in_close);

	forget_closed();
	while (now > 0 && !atomic_compare_exchange_weak(&gw_objects_in_close, &now, now - 1))
		;
}

void gw_objects_forked(void)
{
	atomic_store(&gw_objects_in_close, 0);	/* the threads that were in there are the parent's */
	gw_forked();
}

const char *gw_object_path(const struct gw_object *object)
{
	if (!object->identity)
		return "?";
	return *object->path ? object->path : gw_process_program();
}
