/* SPDX-License-Identifier: Apache-2.0 */
/* Marks the few symbols that libgangway.so exports. */
#ifndef GW_VISIBLE_H
#define GW_VISIBLE_H

#define GW_VISIBLE __attribute__((visibility("default")))

#endif
