/*
 * Loads and stores of every width in the data of the first account, and in the stack and the heap.
 *
 * Data: steps of 12 bytes: what (bits 0 and 1: log of the width; bit 2: store; bits 4 and 5: account,
 * stack, heap or read-only data), three zero bytes, a little-endian u32 offset, a u32 value. What is
 * loaded is summed up and returned as data.
 */
#include "../svm.h"

#define HEAP ((u8 *)0x300000000)

static const u8 constants[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

static inline u64 load(const volatile u8 *at, u64 log)
{
    switch (log) {
    case 0:
        return *at;
    case 1:
        return *(const volatile u16 *)at;
    case 2:
        return *(const volatile u32 *)at;
    default:
        return *(const volatile u64 *)at;
    }
}

static inline void store(volatile u8 *at, u64 log, u64 value)
{
    switch (log) {
    case 0:
        *at = value;
        break;
    case 1:
        *(volatile u16 *)at = value;
        break;
    case 2:
        *(volatile u32 *)at = value;
        break;
    default:
        *(volatile u64 *)at = value << 32 | value;
    }
}

u64 entrypoint(u8 *start)
{
    struct input input;
    u8 stack[64];
    u64 sum = 0;

    parse(start, &input);
    if (input.accounts_count == 0)
        return NOT_ENOUGH_ACCOUNTS;
    if (input.length % 12)
        return INVALID_INSTRUCTION_DATA;
    for (u64 i = 0; i < sizeof(stack); i++)
        stack[i] = i;
    for (u64 i = 0; i < input.length; i += 12) {
        u8 what = input.data[i];
        u64 offset = number(input.data + i + 4, 4), value = number(input.data + i + 8, 4);
        u8 *base;

        switch (what >> 4 & 3) {
        case 0:
            base = input.accounts[0]->data;
            break;
        case 1:
            base = stack;
            break;
        case 2:
            base = HEAP;
            break;
        default:
            base = (u8 *)constants;
        }
        if (what & 4)
            store(base + offset, what & 3, value);
        else
            sum = (sum << 1 | sum >> 63) + load(base + offset, what & 3);
    }
    sol_set_return_data((u8 *)&sum, 8);
    return 0;
}
