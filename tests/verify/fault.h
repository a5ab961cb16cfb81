/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stand-ins do wrong, by the environment: FAKE_FAULTS="nccl=crash cusolver=wrong". FAKE_FAULTS_WITH_SHIM the same, where gangway is preloaded.
 */
#ifndef VERIFY_FAULT_H
#define VERIFY_FAULT_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static inline const char *fault_in(const char *list, const char *who)
{
	size_t length = strlen(who);

	for (const char *at = list; at && (at = strstr(at, who)) != NULL; at += length)
		if (at[length] == '=' && (at == list || at[-1] == ' '))
			return at + length + 1;
	return NULL;
}

/* What WHO does wrong, up to the end of the list; NULL where it does right. */
static inline const char *fault_of(const char *who)
{
	const char *preload = getenv("LD_PRELOAD"), *found = fault_in(getenv("FAKE_FAULTS"), who);

	if (!found && preload && strstr(preload, "libgangway.so"))
		found = fault_in(getenv("FAKE_FAULTS_WITH_SHIM"), who);
	return found;
}

static inline int has_fault(const char *who, const char *what)
{
	const char *found = fault_of(who);

	return found && !strncmp(found, what, strlen(what)) && (!found[strlen(what)] || found[strlen(what)] == ' ');
}

/* The faults that end the call. */
static inline void obey(const char *who)
{
	if (has_fault(who, "crash"))
		abort();
	if (has_fault(who, "exit"))
		_exit(0);
	while (has_fault(who, "hang"))
		pause();
}

#endif
