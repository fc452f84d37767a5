# n! modulo 2^64, by recursion: one stack frame for each n, so n above 63 exceeds the call depth.
#
# Input:  u64 n, little-endian.
# Result: r0 = n!.

entrypoint:
    ldxdw r1, [r1+0]
    call function_factorial
    exit

# r1: n; returns n! in r0. A call saves r6 to r9 for the caller.
function_factorial:
    jgt r1, 1, deeper
    mov64 r0, 1
    exit
deeper:
    mov64 r6, r1
    sub64 r1, 1
    call function_factorial
    mul64 r0, r6
    exit
