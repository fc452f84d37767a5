/*
 * The memory syscalls, on a buffer in the stack, the account's data, or anywhere.
 *
 * Data: steps of 28 bytes: what (bits 0 and 1: copy, move, set or compare; bit 4: addresses instead of
 * offsets into the first account's data), three zero bytes, three little-endian u64: to, from, length.
 */
#include "../svm.h"

u64 entrypoint(u8 *start)
{
    struct input input;
    i32 order = 0;

    parse(start, &input);
    if (input.accounts_count == 0)
        return NOT_ENOUGH_ACCOUNTS;
    if (input.length % 28)
        return INVALID_INSTRUCTION_DATA;
    for (u64 i = 0; i < input.length; i += 28) {
        u8 what = input.data[i];
        u64 to = number(input.data + i + 4, 8), from = number(input.data + i + 12, 8);
        u64 length = number(input.data + i + 20, 8);
        u64 base = what & 16 ? 0 : (u64)input.accounts[0]->data;

        switch (what & 3) {
        case 0:
            sol_memcpy_((void *)(base + to), (void *)(base + from), length);
            break;
        case 1:
            sol_memmove_((void *)(base + to), (void *)(base + from), length);
            break;
        case 2:
            sol_memset_((void *)(base + to), from, length);
            break;
        default:
            sol_memcmp_((void *)(base + to), (void *)(base + from), length, &order);
            sol_log_64_(order, to, from, length, 0);
        }
    }
    sol_log_compute_units_();
    return 0;
}
