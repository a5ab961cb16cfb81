/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of abi/partners that are mapped, and what is wrong between them (audit_pair.h). */
#include "audit_pair.h"

#include <string.h>
#include <sys/stat.h>
#include "audit_system.h"

#define MEMBERS 96

static struct gw_audit_member members[MEMBERS]; /* in the order of mapping; free ones have no map */
static unsigned count;				/* up to the last that was ever used */

/* PATH from the root: a program may change its directory later. */
static bool make_absolute(char *to, const char *path)
{
	size_t length = strlen(path);
	long directory = 0;

	if (*path != '/') {
		directory = gw_sys_getcwd(to, GW_AUDIT_PATH);
		if (directory <= 1 || *to != '/')
			return false;
		to[directory - 1] = '/';
	}
	if ((size_t)directory + length + 1 > GW_AUDIT_PATH)
		return false;
	memcpy(to + directory, path, length + 1);
	return true;
}

static bool same_directory(const char *a, const char *b)
{
	static char one[GW_AUDIT_PATH], other[GW_AUDIT_PATH];
	struct stat info_a, info_b;

	if (!gw_copy_join(one, a, gw_copy_directory(a), ".") || !gw_copy_join(other, b, gw_copy_directory(b), "."))
		return false;
	return gw_sys_stat(one, &info_a) >= 0 && gw_sys_stat(other, &info_b) >= 0 && info_a.st_dev == info_b.st_dev &&
	       info_a.st_ino == info_b.st_ino;
}

/* Is there a file beside ONE that bears OTHER's name, and is another file than OTHER? */
static bool has_another_beside(const struct gw_audit_member *one, const struct gw_audit_member *other, bool *there)
{
	static char beside[GW_AUDIT_PATH];

	*there = gw_copy_join(beside, one->path, gw_copy_directory(one->path), other->name.stem) && gw_audit_file_stops(beside);
	return *there && !gw_copies_equal(beside, other->path);
}

static bool are_mixed(const struct gw_audit_member *one, const struct gw_audit_member *other)
{
	struct gw_partners_release a, b;
	bool there;

	if (same_directory(one->path, other->path))
		return false;
	if (has_another_beside(one, other, &there))
		return true;
	if (there)
		return false;
	if (has_another_beside(other, one, &there))
		return true;
	if (there)
		return false;
	/* Nothing to compare them with: releases that differ behind the second number have one interface. */
	gw_copy_release(one->path, &one->name, &a);
	gw_copy_release(other->path, &other->name, &b);
	a.count = a.count < 2 ? a.count : 2;
	return a.count && b.count && gw_partners_release_compare(&a, &b) != 0;
}

static void check(const struct gw_audit_member *member)
{
	for (unsigned i = 0; i < count; i++) {
		const struct gw_audit_member *other = &members[i];

		if (!other->map || other == member || !gw_partners_together(&other->name, &member->name))
			continue;
		if (gw_partners_same_library(&other->name, &member->name)) {
			if (!gw_copies_equal(other->path, member->path))
				gw_audit_tell_second(member, other);
		} else if (are_mixed(other, member)) {
			gw_audit_tell_mixed(other, member);
		}
	}
}

void gw_audit_member_add(struct link_map *map)
{
	const char *path = map->l_name ? map->l_name : "", *slash = strrchr(path, '/');
	struct gw_partners_name name;
	struct gw_audit_member *member = NULL;

	if (!gw_partners_of(slash ? slash + 1 : path, &name)) {
		gw_audit_forget_kept();
		return;
	}
	gw_audit_tell_kept(path);
	for (unsigned i = 0; i <= count && i < MEMBERS && !member; i++)
		if (i == count || !members[i].map)
			member = &members[i];
	if (!member || !make_absolute(member->path, path) ||
	    !gw_partners_of(member->path + gw_copy_directory(member->path) + 1, &member->name))
		return;
	member->map = map;
	if (member == &members[count])
		count++;
	if (!gw_audit_settings.disabled)
		check(member);
}

void gw_audit_member_remove(const struct link_map *map)
{
	for (unsigned i = 0; i < count; i++)
		if (members[i].map == map)
			members[i].map = NULL;
}

const char *gw_audit_path_of(const struct link_map *map)
{
	static char program[GW_AUDIT_PATH];

	if (map && map->l_name && *map->l_name)
		return map->l_name;
	return gw_copy_real("/proc/self/exe", program) ? program : "?";
}

const struct gw_audit_member *gw_audit_member_of(const struct link_map *map)
{
	for (unsigned i = 0; i < count; i++)
		if (members[i].map == map)
			return &members[i];
	return NULL;
}

const struct gw_audit_member *gw_audit_member_with(const struct gw_partners_name *name)
{
	for (unsigned i = 0; i < count; i++)
		if (members[i].map && !members[i].name.bundled && gw_partners_together(&members[i].name, name))
			return &members[i];
	return NULL;
}
