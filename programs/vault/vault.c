/*
 * Moves lamports, data and ownership between accounts, with checks or without.
 *
 * Data: steps of 12 bytes: what, the account it is taken from, the account it goes to, a zero, a
 * little-endian u64 amount.
 */
#include "../svm.h"

static u64 step(struct input *input, const u8 *data)
{
    if (data[1] >= input->accounts_count || data[2] >= input->accounts_count)
        return NOT_ENOUGH_ACCOUNTS;
    struct account *from = input->accounts[data[1]], *to = input->accounts[data[2]];
    u64 amount = number(data + 4, 8);

    switch (data[0]) {
    case 0: /* a checked transfer */
        if (!from->is_signer)
            return MISSING_SIGNATURE;
        if (from->lamports < amount)
            return INSUFFICIENT_FUNDS;
        /* fall through */
    case 1: /* an unchecked one */
        from->lamports -= amount;
        to->lamports += amount;
        return 0;
    case 2: /* lamports out of nothing */
        to->lamports += amount;
        return 0;
    case 3: /* a new owner */
        for (u64 i = 0; i < 32; i++)
            to->owner[i] = from->key[i];
        return 0;
    case 4: /* a byte of data */
        to->data[amount % (to->length + 1)] = amount >> 8;
        return 0;
    case 5: /* data cleared */
        for (u64 i = 0; i < to->length; i++)
            to->data[i] = 0;
        return 0;
    case 6: /* closed: lamports moved, data and owner gone */
        to->lamports += from->lamports;
        from->lamports = 0;
        from->length = 0;
        for (u64 i = 0; i < 32; i++)
            from->owner[i] = 0;
        return 0;
    case 7: /* what the runtime must not look at */
        to->key[amount % 32] ^= 1;
        to->is_signer ^= 1;
        to->is_writable ^= 1;
        to->is_executable ^= 1;
        return 0;
    default:
        return INVALID_ARGUMENT;
    }
}

u64 entrypoint(u8 *start)
{
    struct input input;

    parse(start, &input);
    if (input.length % 12)
        return INVALID_INSTRUCTION_DATA;
    for (u64 i = 0; i < input.length; i += 12) {
        u64 error = step(&input, input.data + i);
        if (error)
            return error;
    }
    return 0;
}
