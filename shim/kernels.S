/* SPDX-License-Identifier: Apache-2.0 */
/* The text of our kernels, as the driver takes it. */
	.section .rodata.gw_kernels, "a", @progbits
	.globl gw_kernels_int8
	.hidden gw_kernels_int8
	.type gw_kernels_int8, @object
gw_kernels_int8:
	.incbin "int8.ptx"
	.byte 0
	.size gw_kernels_int8, . - gw_kernels_int8
	.section .note.GNU-stack, "", @progbits
