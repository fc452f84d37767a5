# Whether n is prime, by trial division.
#
# Input:  u64 n, little-endian.
# Result: r0 = 1 for a prime, 0 otherwise.

entrypoint:
    ldxdw r2, [r1+0]        # r2: n
    mov64 r0, 0
    jlt r2, 2, done
    mov64 r3, 2             # r3: the divisor
try:
    mov64 r4, r2
    div64 r4, r3            # r4: n / d
    jgt r3, r4, prime       # d * d > n: no divisor is left to try
    mov64 r5, r4
    mul64 r5, r3
    jeq r5, r2, done        # d divides n
    add64 r3, 1
    ja try
prime:
    mov64 r0, 1
done:
    exit
