/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the libFuzzer targets of this directory share: places for the bytes of one execution, and what is asked of every
 * error. fuzz_NAME.c is one target each; `run` builds and starts them.
 */
#ifndef GW_TESTS_FUZZ_H
#define GW_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The bytes as a file in memory, the same one each time; its path. */
const char *gw_fuzz_file(const uint8_t *data, size_t size);

/* A directory in memory that is removed at the end; the bytes as the file NAME below it, whose directories are made. */
const char *gw_fuzz_root(void);
void gw_fuzz_put(const char *name, const void *data, size_t size);

/* Ends the run where an error does not begin with the name of its file and, but where it is about the file as a whole, a
 * place in it: `:0xOFFSET: ` or `:LINE: `. */
void gw_fuzz_error(const char *error, const char *path);

#endif
