@ The start of a GBA program: no interrupts, wait states, a dark screen, code and tables copied to where they are linked.
.section .start, "ax"
.arm
.global _start
_start:
    b 1f
    .space 174
    .byte 0x96
    .space 13
1:  mov r1, #0
    ldr r0, =0x4000208
    str r1, [r0]
    ldr r0, =0x4000204
    ldr r1, =WAIT_STATES
    strh r1, [r0]
    mov r0, #0x4000000
    mov r1, #0x80
    strh r1, [r0]
    ldr sp, =0x03007f00
    ldr r0, =code_from
    ldr r1, =code_start
    ldr r2, =code_end
    bl copy
    ldr r0, =data_from
    ldr r1, =data_start
    ldr r2, =data_end
    bl copy
    ldr r0, =begin
    bx r0
copy:
    cmp r1, r2
    ldrlo r3, [r0], #4
    strlo r3, [r1], #4
    blo copy
    bx lr
.pool
