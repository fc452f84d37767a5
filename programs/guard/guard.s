# Guards withdrawals from a vault: none of nothing, none before the vault opens, none above what is there,
# and no more in a day than the limit.
#
# Input:  u64 balance, u64 amount, u64 limit a day, u64 withdrawn today, u64 time now, u64 time it opens,
#         little-endian.
# Result: r0 = 0 if the withdrawal may go ahead; else 1 for nothing asked, 2 for a closed vault,
#         3 for too small a balance, 4 for the limit.

entrypoint:
    ldxdw r2, [r1+0]        # r2: balance
    ldxdw r3, [r1+8]        # r3: amount
    ldxdw r4, [r1+16]       # r4: limit a day
    ldxdw r5, [r1+24]       # r5: withdrawn today
    ldxdw r6, [r1+32]       # r6: now
    ldxdw r7, [r1+40]       # r7: when it opens
    mov64 r0, 1
    jeq r3, 0, done
    mov64 r0, 2
    jlt r6, r7, done
    mov64 r0, 3
    jlt r2, r3, done
    mov64 r0, 4
    jlt r4, r5, done        # the limit is used up already
    sub64 r4, r5            # r4: what is left of it
    jlt r4, r3, done
    mov64 r0, 0
done:
    exit
