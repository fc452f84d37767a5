# The Internet checksum (RFC 1071): the ones' complement of the ones' complement sum of the 16-bit
# big-endian words, an odd last byte being the high half of a word.
#
# Input:  u64 n, little-endian, then n bytes.
# Result: r0 = the checksum.

entrypoint:
    ldxdw r2, [r1+0]        # r2: bytes left
    add64 r1, 8             # r1: the next byte
    mov64 r0, 0             # r0: the sum
    mov64 r3, 0
word:
    jlt r2, 2, tail
    ldxh r3, [r1+0]
    be16 r3
    add64 r0, r3
    add64 r1, 2
    sub64 r2, 2
    ja word
tail:
    jeq r2, 0, fold
    ldxb r3, [r1+0]
    lsh64 r3, 8
    add64 r0, r3
fold:                       # add the carries back until none is left
    mov64 r3, r0
    rsh64 r3, 16
    jeq r3, 0, done
    and64 r0, 0xffff
    add64 r0, r3
    ja fold
done:
    xor64 r0, 0xffff
    exit
