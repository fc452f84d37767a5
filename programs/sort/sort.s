# Sorts unsigned words in place, ascending, by insertion.
#
# Input:  u64 n, then n words of u64, little-endian; the words are sorted where they are.
# Result: r0 = n.

entrypoint:
    ldxdw r0, [r1+0]
    add64 r1, 8             # r1: the first word
    mov64 r2, r0
    lsh64 r2, 3
    add64 r2, r1            # r2: past the last word
    mov64 r3, r1            # r3: the word to insert; all before it are sorted
outer:
    add64 r3, 8
    jge r3, r2, done
    ldxdw r4, [r3+0]        # r4: its value
    mov64 r5, r3            # r5: the free place
inner:
    jle r5, r1, place
    ldxdw r6, [r5-8]
    jle r6, r4, place
    stxdw [r5+0], r6
    sub64 r5, 8
    ja inner
place:
    stxdw [r5+0], r4
    ja outer
done:
    exit
