# The greatest common divisor, by Euclid's algorithm; gcd(a, 0) = a.
#
# Input:  u64 a, u64 b, little-endian.
# Result: r0 = gcd(a, b).

entrypoint:
    ldxdw r0, [r1+0]        # r0: a
    ldxdw r2, [r1+8]        # r2: b
    jeq r2, 0, done
step:                       # (a, b) becomes (b, a mod b)
    mov64 r3, r0
    mod64 r3, r2
    mov64 r0, r2
    mov64 r2, r3
    jne r2, 0, step
done:
    exit
