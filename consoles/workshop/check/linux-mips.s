# The start, the end and the marks of a MIPS program without a library: system calls of Linux.
.set noreorder
.section .text
.global __start
__start:
    jal begin
    nop
    li $v0, 4001
    li $a0, 0
    syscall
    nop
.global mark
mark:
    li $v0, 4162
    syscall
    nop
    jr $ra
    nop
