/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The entry point and the one way into the kernel, for each architecture. Included by entry.c alone.
 *
 * raw_call() takes the number and six arguments as a C function does, and returns what the kernel returns: -errno in case
 * of an error. At _start the stack pointer points to argc, the arguments, a null pointer, the environment and another one.
 */
#if defined(__x86_64__)
/* The kernel enters with an aligned stack and without a return address, which a C function expects. */
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
	"\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tcall start\n\thlt\n"
	".globl raw_call\n.type raw_call, @function\nraw_call:\n"
	"\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tmov %rcx, %rdx\n"
	"\tmov %r8, %r10\n\tmov %r9, %r8\n\tmov 8(%rsp), %r9\n\tsyscall\n\tret\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl _start\n.type _start, %function\n_start:\n"
	"\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tbl start\n\tbrk #1\n"
	".globl raw_call\n.type raw_call, %function\nraw_call:\n"
	"\tmov x8, x0\n\tmov x0, x1\n\tmov x1, x2\n\tmov x2, x3\n\tmov x3, x4\n\tmov x4, x5\n\tmov x5, x6\n"
	"\tsvc #0\n\tret\n");
#elif defined(__arm__)
#ifdef __thumb__
#define MODE ".thumb_func\n"
#else
#define MODE ""
#endif
/* The first four arguments are in registers, the others on the stack, below five saved registers. */
__asm__(".text\n.globl _start\n.type _start, %function\n" MODE "_start:\n"
	"\tmov r0, sp\n\tbic r1, r0, #7\n\tmov sp, r1\n\tbl start\n\tudf #0\n"
	".globl raw_call\n.type raw_call, %function\n" MODE "raw_call:\n"
	"\tpush {r4, r5, r6, r7, lr}\n\tmov r7, r0\n\tmov r0, r1\n\tmov r1, r2\n\tmov r2, r3\n"
	"\tldr r3, [sp, #20]\n\tldr r4, [sp, #24]\n\tldr r5, [sp, #28]\n\tsvc #0\n\tpop {r4, r5, r6, r7, pc}\n");
#elif defined(__riscv) && __riscv_xlen == 64
__asm__(".text\n.globl _start\n.type _start, @function\n_start:\n"
	"\t.option push\n\t.option norelax\n\tlla gp, __global_pointer$\n\t.option pop\n"
	"\tmv a0, sp\n\tandi sp, sp, -16\n\tcall start\n\tebreak\n"
	".globl raw_call\n.type raw_call, @function\nraw_call:\n"
	"\tmv a7, a0\n\tmv a0, a1\n\tmv a1, a2\n\tmv a2, a3\n\tmv a3, a4\n\tmv a4, a5\n\tmv a5, a6\n\tecall\n\tret\n");
#else
#error "no system calls for this architecture"
#endif
