/* SPDX-License-Identifier: Apache-2.0 */
/* Finds programs as a shell does (find.h), and tells kinds of files apart by their first bytes. */
#include "find.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FIRST_LINE 512
#define DEFAULT_PATH                                                                               \
	"/usr/local/bin:/bin:/usr/bin" /* where execvp looks when PATH is unset, and the usual     \
					  place */

/* 0: may be executed; else why not. */
static int executable(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return errno;
	if (S_ISDIR(info.st_mode))
		return EISDIR;
	return access(path, X_OK) == 0 ? 0 : errno;
}

char *gw_find_program(const char *name, int *status, int *reason)
{
	const char *path = getenv("PATH");

	*reason = ENOENT;
	if (strchr(name, '/')) {
		*reason = executable(name);
		*status = *reason == ENOENT || *reason == ENOTDIR ? 127 : *reason ? 126 : 0;
		return *reason ? NULL : strdup(name);
	}
	for (path = path ? path : DEFAULT_PATH; *name;) {
		size_t length = strcspn(path, ":");
		char *candidate = NULL;
		int why;

		if (asprintf(&candidate, "%.*s%s%s", (int)length, path, length ? "/" : "./", name) <
		    0) {
			*status = -ENOMEM;
			return NULL;
		}
		why = executable(candidate);
		if (!why) {
			*status = 0;
			return candidate;
		}
		free(candidate);
		if (why == EACCES)
			*reason = why;
		if (!path[length])
			break;
		path += length + 1;
	}
	*status = *reason == EACCES ? 126 : 127;
	return NULL;
}

static ssize_t read_at(int file, void *buffer, size_t size, off_t offset)
{
	ssize_t count;

	do {
		count = pread(file, buffer, size, offset);
	} while (count < 0 && errno == EINTR);
	return count;
}

/* Has the ELF file a PT_INTERP? Unreadable tables count as 'yes': the kernel will have its own
 * word. */
static bool has_interpreter(int file, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;

	if (header->e_phentsize != sizeof segment)
		return true;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t offset = header->e_phoff + i * sizeof segment;

		if (offset > INT64_MAX - sizeof segment ||
		    read_at(file, &segment, sizeof segment, (off_t)offset) != sizeof segment)
			return true;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

enum gw_program_kind gw_find_program_kind(const char *path)
{
	Elf64_Ehdr header;
	enum gw_program_kind kind = GW_PROGRAM_OTHER;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t count;

	if (file < 0)
		return GW_PROGRAM_OTHER;
	count = read_at(file, &header, sizeof header, 0);
	if (count >= 2 && memcmp(&header, "#!", 2) == 0)
		kind = GW_PROGRAM_SCRIPT;
	else if (count < (ssize_t)sizeof(Elf32_Ehdr) ||
		 memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		kind = GW_PROGRAM_OTHER;
	else if (header.e_ident[EI_CLASS] == ELFCLASS32)
		kind = header.e_machine == EM_386 || header.e_machine == EM_X86_64
			       ? GW_PROGRAM_32_BIT
			       : GW_PROGRAM_FOREIGN;
	else if (header.e_machine != EM_X86_64)
		kind = GW_PROGRAM_FOREIGN;
	else if (count == sizeof header)
		kind = has_interpreter(file, &header) ? GW_PROGRAM_DYNAMIC : GW_PROGRAM_STATIC;
	close(file);
	return kind;
}

char *gw_find_interpreter(const char *script)
{
	char line[FIRST_LINE];
	char *word, *rest;
	int status, reason, file = open(script, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t count;

	if (file < 0)
		return NULL;
	count = read_at(file, line, sizeof line - 1, 0);
	close(file);
	if (count < 2 || memcmp(line, "#!", 2) != 0)
		return NULL;
	line[count] = '\0';
	line[strcspn(line, "\n")] = '\0';
	word = strtok_r(line + 2, " \t\r", &rest);
	if (!word)
		return NULL;
	if (strcmp(strrchr(word, '/') ? strrchr(word, '/') + 1 : word, "env") == 0)
		do { /* env's options and assignments come before the program */
			word = strtok_r(NULL, " \t\r", &rest);
		} while (word && (*word == '-' || strchr(word, '=')));
	return word ? gw_find_program(word, &status, &reason) : NULL;
}

bool gw_find_gains_rights(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return false;
	if ((info.st_mode & S_ISUID) && info.st_uid != getuid())
		return true;
	if ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}
