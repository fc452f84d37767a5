/*
 * Ends in the way asked for.
 *
 * Data: a byte that chooses, then a little-endian u64 and a u64 more.
 */
#include "../svm.h"

static const char file[] = "faults/faults.c";

/* Deeper than the call stack, whatever it starts with. */
static __attribute__((noinline)) u64 deep(u64 n, u64 depth)
{
    volatile u64 kept = n;

    return (depth ? deep(n + 1, depth - 1) : 0) + kept;
}

u64 entrypoint(u8 *start)
{
    struct input input;

    parse(start, &input);
    if (input.length != 17)
        return INVALID_INSTRUCTION_DATA;
    u64 a = number(input.data + 1, 8), b = number(input.data + 9, 8);
    switch (input.data[0]) {
    case 0:
        return a;
    case 1:
        abort();
        break;
    case 2:
        sol_panic_(file, sizeof(file) - 1, a, b);
        break;
    case 3:
        sol_panic_((const char *)a, b, 1, 1);
        break;
    case 4:
        return *(volatile u64 *)a;
    case 5:
        *(volatile u64 *)a = b;
        break;
    case 6:
        return a / b;
    case 7:
        return a % b;
    case 8:
        return deep(a, 1000);
    case 9:
        for (volatile u64 i = 0;; i++)
            ;
    case 10:
        return ((u64(*)(u64))a)(b);
    case 11:
        sol_log_((const char *)a, b);
        break;
    default:
        return INVALID_ARGUMENT;
    }
    return 0;
}
