# Does what its instruction data says: places bytes on the heap, then takes steps, one of them calls.
#
# Input:  u64 length and u64 offset of the bytes within the data, then steps of six u64: what, and five
#         arguments. A step of 0 ends with its first argument as the result.
#
# It runs under every version: no double-word loads of immediates, no arithmetic that versions differ in.

entrypoint:
    mov64 r6, r2            # r6: the next step
    mov64 r1, 3
    lsh64 r1, 32            # the heap
    ldxdw r3, [r6+0]
    ldxdw r2, [r6+8]
    add64 r2, r6
    add64 r6, 16
    syscall sol_memcpy_
step:
    ldxdw r0, [r6+0]
    ldxdw r1, [r6+8]
    ldxdw r2, [r6+16]
    ldxdw r3, [r6+24]
    ldxdw r4, [r6+32]
    ldxdw r5, [r6+40]
    add64 r6, 48
    jeq r0, 1, store
    jeq r0, 2, call_c
    jeq r0, 3, call_rust
    jeq r0, 4, show
    jeq r0, 5, copy
    jeq r0, 6, give_back
    jeq r0, 7, given_back
    jeq r0, 8, sibling
    jeq r0, 9, again
    mov64 r0, r1
    exit
store:
    stxdw [r1+0], r2
    ja step
call_c:
    syscall sol_invoke_signed_c
    ja step
call_rust:
    syscall sol_invoke_signed_rust
    ja step
show:
    syscall sol_log_data
    ja step
copy:
    syscall sol_memcpy_
    ja step
give_back:
    syscall sol_set_return_data
    ja step
given_back:
    syscall sol_get_return_data
    ja step
sibling:
    syscall sol_get_processed_sibling_instruction
    ja step
again:
    ldxdw r0, [r1+0]        # goes back r2 bytes as often as the word at r1 says
    jeq r0, 0, step
    add64 r0, -1
    stxdw [r1+0], r0
    sub64 r6, r2
    ja step
