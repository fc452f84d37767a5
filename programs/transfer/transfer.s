# Moves tokens from one balance to another, the check at the heart of a token program.
#
# Input:  u64 source balance, u64 destination balance, u64 amount, little-endian.
# Result: r0 = 0, both balances changed where they are; or, nothing changed,
#         1 if the source has too little, 2 if the destination would exceed 2^64 - 1.

entrypoint:
    ldxdw r2, [r1+0]        # r2: balance of the source
    ldxdw r3, [r1+8]        # r3: balance of the destination
    ldxdw r4, [r1+16]       # r4: the amount
    mov64 r0, 1
    jlt r2, r4, done        # too little
    mov64 r0, 2
    add64 r3, r4
    jlt r3, r4, done        # the sum has wrapped round
    sub64 r2, r4
    stxdw [r1+0], r2
    stxdw [r1+8], r3
    mov64 r0, 0
done:
    exit
