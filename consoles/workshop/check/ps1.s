# A BIOS for a PS1: memory timing, an empty instruction cache that is on, the program copied from 0xbfc10000 to 0x80010000.
.set noreorder
.section .bios, "ax"
    lui $t0, 0x1f80
    lui $t1, 0x1f00
    sw $t1, 0x1000($t0)
    li $t1, 0x1f802000
    sw $t1, 0x1004($t0)
    li $t1, 0x0013243f
    sw $t1, 0x1008($t0)
    li $t1, 0x00003022
    sw $t1, 0x100c($t0)
    li $t1, 0x0013243f
    sw $t1, 0x1010($t0)
    li $t1, 0x00000b88
    sw $t1, 0x1060($t0)
    li $t1, 0x00000804
    lui $t2, 0xfffe
    sw $t1, 0x0130($t2)
    lui $t3, 0x0001
    mtc0 $t3, $12
    nop
    nop
    move $t4, $zero
    li $t5, 0x1000
1:  sw $zero, 0($t4)
    addiu $t4, $t4, 16
    bne $t4, $t5, 1b
    nop
    mtc0 $zero, $12
    nop
    nop
    li $t1, 0x0001e988
    sw $t1, 0x0130($t2)
    nop
    lui $t3, 0xbfc1
    lui $t4, 0x8001
    lui $t5, 0x8003
2:  lw $t6, 0($t3)
    addiu $t3, $t3, 4
    sw $t6, 0($t4)
    addiu $t4, $t4, 4
    bne $t4, $t5, 2b
    nop
    lui $t9, 0x8001
    jr $t9
    nop
.section .start, "ax"
    lui $sp, 0x801f
    lui $gp, 0
    jal begin
    nop
1:  b 1b
    nop
