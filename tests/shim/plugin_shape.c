/* SPDX-License-Identifier: Apache-2.0 */
/* A library of a given size that has nothing to do with any vendor. */
extern char shape_bytes[BYTES];
__attribute__((visibility("default"))) char shape_bytes[BYTES];
