/*
 * Gives accounts another length.
 *
 * Data: for each account a little-endian u32 length and a byte to fill what is new with; 0 leaves it as
 * it is, so that bytes cut off before can come back.
 */
#include "../svm.h"

u64 entrypoint(u8 *start)
{
    struct input input;

    parse(start, &input);
    if (input.length % 5)
        return INVALID_INSTRUCTION_DATA;
    if (input.length / 5 > input.accounts_count)
        return NOT_ENOUGH_ACCOUNTS;
    for (u64 i = 0; i < input.length / 5; i++) {
        struct account *account = input.accounts[i];
        u64 length = number(input.data + 5 * i, 4), old = account->length;
        u8 filler = input.data[5 * i + 4];

        account->length = length;
        if (filler && length > old)
            sol_memset_(account->data + old, filler, length - old);
        sol_log_64_(i, old, length, filler, 0);
    }
    return 0;
}
