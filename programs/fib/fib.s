# The n-th Fibonacci number modulo 2^64: fib(0) = 0, fib(1) = 1.
#
# Input:  u64 n, little-endian.
# Result: r0 = fib(n).

entrypoint:
    ldxdw r2, [r1+0]        # r2: steps left
    mov64 r0, 0             # r0: fib(i)
    mov64 r3, 1             # r3: fib(i + 1)
    jeq r2, 0, done
step:
    mov64 r4, r0
    add64 r4, r3            # r4: fib(i + 2)
    mov64 r0, r3
    mov64 r3, r4
    sub64 r2, 1
    jne r2, 0, step
done:
    exit
