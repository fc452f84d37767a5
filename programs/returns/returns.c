/*
 * Sets return data and reads them back.
 *
 * Data: a little-endian u16 length to set, a u16 length to read, a byte to fill with.
 */
#include "../svm.h"

u64 entrypoint(u8 *start)
{
    struct input input;
    u8 buffer[1100], program_id[32];

    parse(start, &input);
    if (input.length != 5)
        return INVALID_INSTRUCTION_DATA;
    u64 set = number(input.data, 2), read = number(input.data + 2, 2);

    sol_log_64_(sol_get_return_data(buffer, sizeof(buffer), program_id), sol_get_stack_height(), 0, 0, 0);
    for (u64 i = 0; i < sizeof(buffer); i++)
        buffer[i] = input.data[4] + i;
    sol_set_return_data(buffer, set);
    for (u64 i = 0; i < sizeof(buffer); i++)
        buffer[i] = 0;
    u64 length = sol_get_return_data(buffer, read, program_id);
    u64 sum = 0;
    for (u64 i = 0; i < sizeof(buffer); i++)
        sum = sum * 31 + buffer[i];
    sol_log_64_(length, set, read, sum, 0);
    if (length && read)
        sol_log_pubkey(program_id);
    return length == set ? 0 : 1;
}
