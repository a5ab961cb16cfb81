/* SPDX-License-Identifier: Apache-2.0 */
/* cuDNN's front library opens the file that holds a function when that function is first called. */
#ifndef FAKE_FRONT_H
#define FAKE_FRONT_H

/*
 * The address of NAME in the library SONAME, kept in *slot. Opened by its bare name, so that this library's RUNPATH leads to
 * it, as with the real front; and as the real one it ends the process with a message where there is none.
 */
void *fake_forward(void *_Atomic *slot, const char *soname, const char *name);

#endif
