# The integer square root, bit by bit from the top.
#
# Input:  u64 n, little-endian.
# Result: r0 = the largest x with x * x <= n.

entrypoint:
    ldxdw r2, [r1+0]        # r2: what is left of n
    mov64 r0, 0             # r0: the root so far, scaled
    lddw r3, 0x4000000000000000   # r3: the square of the bit in question
shrink:
    jge r2, r3, bit         # start at the highest power of 4 not above n
    rsh64 r3, 2
    jne r3, 0, shrink
    exit                    # n is 0
bit:
    mov64 r4, r0
    add64 r4, r3
    rsh64 r0, 1
    jlt r2, r4, next        # the bit is 0
    sub64 r2, r4
    add64 r0, r3
next:
    rsh64 r3, 2
    jne r3, 0, bit
    exit
