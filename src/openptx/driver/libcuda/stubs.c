/* The symbols of cuda.h, as machine code that jumps through the table. */
#include "library.h"
#include <stdio.h>

void *openptx_table[SLOTS];

#if defined(__x86_64__)
#define STUB(index, symbol)                                                                                            \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",@function\n" #symbol ":\nendbr64\n"                          \
            "movl $" #index ", %r11d\nleaq openptx_table(%rip), %r10\njmp *(%r10,%r11,8)\n.size " #symbol              \
            ",.-" #symbol "\n");
/* Saves the registers of arguments and the index, starts Python, and begins again. */
__asm__(".text\n.globl openptx_first\n.hidden openptx_first\n.type openptx_first,@function\nopenptx_first:\n"
        "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
        "subq $32, %rsp\nmovsd %xmm0, (%rsp)\nmovsd %xmm1, 8(%rsp)\n"
        "call openptx_start\n"
        "movsd (%rsp), %xmm0\nmovsd 8(%rsp), %xmm1\naddq $32, %rsp\n"
        "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
        "leaq openptx_table(%rip), %r10\njmp *(%r10,%r11,8)\n"
        ".globl openptx_missing\n.hidden openptx_missing\n.type openptx_missing,@function\nopenptx_missing:\nmovl %r11d, %edi\njmp openptx_not_supported\n");
/* Calls a callback of Python between openptx_before and openptx_after. It gets a copy of 16 words of the stack, more than
   any entry point has arguments there. */
__asm__(".text\n.globl openptx_python\n.hidden openptx_python\n.type openptx_python,@function\nopenptx_python:\n"
        "pushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r11\n"
        "subq $32, %rsp\nmovsd %xmm0, (%rsp)\nmovsd %xmm1, 8(%rsp)\n"
        "call openptx_before\n"
        "movsd (%rsp), %xmm0\nmovsd 8(%rsp), %xmm1\naddq $32, %rsp\n"
        "popq %r11\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\n"
        "leaq openptx_callbacks(%rip), %r10\n"
        "pushq %rbp\nmovq %rsp, %rbp\nsubq $144, %rsp\nmovl %eax, -8(%rbp)\n"
        ".set offset, 0\n.rept 16\nmovq 16+offset(%rbp), %rax\nmovq %rax, offset(%rsp)\n.set offset, offset+8\n.endr\n"
        "call *(%r10,%r11,8)\n"
        "movl %eax, %edi\nmovl -8(%rbp), %esi\ncall openptx_after\nleave\nret\n");
#elif defined(__aarch64__)
#define STUB(index, symbol)                                                                                            \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",%function\n" #symbol ":\nhint #34\n"                         \
            "mov w17, #" #index "\nadrp x16, openptx_table\nadd x16, x16, :lo12:openptx_table\n"                       \
            "ldr x16, [x16, x17, lsl #3]\nbr x16\n.size " #symbol ",.-" #symbol "\n");
__asm__(".text\n.globl openptx_first\n.hidden openptx_first\n.type openptx_first,%function\nopenptx_first:\n"
        "stp x29, x30, [sp, #-112]!\nmov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\nstp x17, xzr, [sp, #80]\nstp d0, d1, [sp, #96]\n"
        "bl openptx_start\n"
        "ldp d0, d1, [sp, #96]\nldr x17, [sp, #80]\nldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\n"
        "ldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #112\n"
        "adrp x16, openptx_table\nadd x16, x16, :lo12:openptx_table\nldr x16, [x16, x17, lsl #3]\nbr x16\n"
        ".globl openptx_missing\n.hidden openptx_missing\n.type openptx_missing,%function\nopenptx_missing:\nmov w0, w17\nb openptx_not_supported\n");
/* As above. */
__asm__(".text\n.globl openptx_python\n.hidden openptx_python\n.type openptx_python,%function\nopenptx_python:\n"
        "stp x29, x30, [sp, #-112]!\nmov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\nstp x17, xzr, [sp, #80]\nstp d0, d1, [sp, #96]\n"
        "bl openptx_before\nmov w9, w0\n"
        "ldp d0, d1, [sp, #96]\nldr x17, [sp, #80]\nldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\n"
        "ldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #112\n"
        "adrp x16, openptx_callbacks\nadd x16, x16, :lo12:openptx_callbacks\nldr x16, [x16, x17, lsl #3]\n"
        "stp x29, x30, [sp, #-32]!\nmov x29, sp\nstr w9, [x29, #16]\nsub sp, sp, #128\n"
        ".set offset, 0\n.rept 8\nldp x10, x11, [x29, #32+offset]\nstp x10, x11, [sp, #offset]\n.set offset, offset+16\n.endr\n"
        "blr x16\n"
        "ldr w1, [x29, #16]\nbl openptx_after\nmov sp, x29\nldp x29, x30, [sp], #32\nret\n");
#else
#error "OpenPTX has entry points for x86-64 and aarch64"
#endif

void *openptx_callbacks[SLOTS];

#define RESULT(number, name, text)
#define ENTRY(index, symbol, stem, since) STUB(index, symbol)
#define ALIAS(slot, index, symbol) STUB(slot, symbol)
#include "entries.h"
#undef ENTRY
#undef ALIAS

#define ENTRY(index, symbol, stem, since) extern PUBLIC void symbol(void);
#define ALIAS(slot, index, symbol) extern PUBLIC void symbol(void);
#include "entries.h"
#undef ENTRY
#undef ALIAS

const struct entry entries[COUNT] = {
#define ENTRY(index, symbol, stem, since) {#symbol, stem, since, (void *)symbol},
#define ALIAS(slot, index, symbol)
#include "entries.h"
#undef ENTRY
#undef ALIAS
};

const struct alias aliases[SLOTS - COUNT] = {
#define ENTRY(index, symbol, stem, since)
#define ALIAS(slot, index, symbol) {#symbol, index, (void *)symbol},
#include "entries.h"
#undef ENTRY
#undef ALIAS
};

const char *symbol_of(int slot) { return slot < COUNT ? entries[slot].symbol : aliases[slot - COUNT].symbol; }
int index_of(int slot) { return slot < COUNT ? slot : aliases[slot - COUNT].index; }

int openptx_not_supported(int slot) {
    static char told[SLOTS];
    if (!__atomic_exchange_n(&told[slot], 1, __ATOMIC_RELAXED))
        fprintf(stderr, "openptx: %s is not supported: it returns CUDA_ERROR_NOT_SUPPORTED\n", symbol_of(slot));
    return NOT_SUPPORTED;
}
