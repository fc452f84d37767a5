/*
 * Recursion: Ackermann's function, mutual recursion, and a descent as deep as asked for.
 *
 * Data: a byte that chooses, then a little-endian u32 m and a u32 n. The result is returned as data.
 */
#include "../svm.h"

static __attribute__((noinline)) u64 ackermann(u64 m, u64 n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static u64 is_odd(u64 n);

static __attribute__((noinline)) u64 is_even(u64 n)
{
    if (n == 0)
        return 1;
    return !is_odd(n - 1);
}

static __attribute__((noinline)) u64 is_odd(u64 n)
{
    if (n == 0)
        return 0;
    return !is_even(n - 1);
}

/* Keeps something in each frame and sums it on the way back. */
static __attribute__((noinline)) u64 descend(u64 depth, u64 seed)
{
    volatile u64 kept[8];

    for (u64 i = 0; i < 8; i++)
        kept[i] = seed * (i + depth);
    u64 below = depth == 0 ? 0 : descend(depth - 1, seed + 1);
    for (u64 i = 0; i < 8; i++)
        below += kept[i];
    return below;
}

u64 entrypoint(u8 *start)
{
    struct input input;
    u64 result;

    parse(start, &input);
    if (input.length != 9)
        return INVALID_INSTRUCTION_DATA;
    u64 m = number(input.data + 1, 4), n = number(input.data + 5, 4);
    switch (input.data[0]) {
    case 0:
        result = ackermann(m, n);
        break;
    case 1:
        result = is_even(m) << 1 | is_odd(n);
        break;
    case 2:
        result = descend(m, n);
        break;
    default:
        return INVALID_ARGUMENT;
    }
    sol_set_return_data((u8 *)&result, 8);
    return 0;
}
