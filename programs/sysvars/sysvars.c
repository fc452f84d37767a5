/*
 * Reads sysvars, by their getters and by id, and logs their bytes.
 *
 * Data: nothing, or an offset and a length as little-endian u32 to read of the sysvar whose address is
 * the first account's.
 */
#include "../svm.h"

struct buffer {
    u8 bytes[96];
} __attribute__((aligned(16)));

static void log(const u8 *bytes, u64 length, u64 result)
{
    struct slice field = {bytes, length};

    sol_log_data(&field, 1);
    sol_log_64_(result, length, 0, 0, 0);
}

u64 entrypoint(u8 *start)
{
    struct input input;
    struct buffer buffer;

    parse(start, &input);
    for (u64 i = 0; i < sizeof(buffer.bytes); i++)
        buffer.bytes[i] = 0xee;
    if (input.length == 0) {
        u64 result = sol_get_rent_sysvar(buffer.bytes);
        log(buffer.bytes, 24, result);
        result = sol_get_clock_sysvar(buffer.bytes);
        log(buffer.bytes, 40, result);
        result = sol_get_epoch_schedule_sysvar(buffer.bytes);
        log(buffer.bytes, 40, result);
        result = sol_get_epoch_rewards_sysvar(buffer.bytes);
        log(buffer.bytes, 96, result);
        result = sol_get_last_restart_slot(buffer.bytes);
        log(buffer.bytes, 8, result);
        return 0;
    }
    if (input.length != 8)
        return INVALID_INSTRUCTION_DATA;
    if (input.accounts_count == 0)
        return NOT_ENOUGH_ACCOUNTS;
    u64 offset = number(input.data, 4), length = number(input.data + 4, 4);
    u64 result = sol_get_sysvar(input.accounts[0]->key, buffer.bytes, offset, length);
    log(buffer.bytes, length < sizeof(buffer.bytes) ? length : sizeof(buffer.bytes), result);
    return result;
}
