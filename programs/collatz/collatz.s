# The number of Collatz steps from n down to 1: halve an even n, replace an odd n by 3n + 1.
#
# Input:  u64 n, little-endian, not 0.
# Result: r0 = the number of steps.

entrypoint:
    ldxdw r2, [r1+0]        # r2: n
    mov64 r0, 0             # r0: steps so far
step:
    jle r2, 1, done
    add64 r0, 1
    jset r2, 1, odd
    rsh64 r2, 1
    ja step
odd:
    mul64 r2, 3
    add64 r2, 1
    ja step
done:
    exit
