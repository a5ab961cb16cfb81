/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen, dlsym and dlvsym end in a jump, never in a call: the C library takes the caller from the return address, and with it the
 * RUNPATH, $ORIGIN and scope of the search. The decisions are C functions (hooks.c); here only registers are kept.
 */

/* \name(rdi, rsi, rdx): \decide(struct gw_dl_request *) returns where to jump, or NULL to return request.answer. */
.macro hook name, decide
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	subq $56, %rsp
	.cfi_adjust_cfa_offset 56
	movq %rdi, 0(%rsp)		/* gw_dl_request.first */
	movq %rsi, 8(%rsp)		/* .second */
	movq %rdx, 16(%rsp)		/* .third */
	movq 56(%rsp), %rax
	movq %rax, 24(%rsp)		/* .caller */
	movq $0, 32(%rsp)		/* .answer */
	movq %rsp, %rdi
	call \decide
	movq %rax, %r11
	movq 0(%rsp), %rdi
	movq 8(%rsp), %rsi
	movq 16(%rsp), %rdx
	movq 32(%rsp), %rax
	addq $56, %rsp
	.cfi_adjust_cfa_offset -56
	testq %r11, %r11
	jz 1f
	jmp *%r11
1:	ret
	.cfi_endproc
	.size \name, . - \name
.endm

	.text
	hook dlopen, gw_hook_dlopen
	hook dlsym, gw_hook_dlsym
	hook dlvsym, gw_hook_dlvsym

	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a"
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	/* IBT and SHSTK */
