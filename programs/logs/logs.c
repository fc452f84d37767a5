/*
 * Logs what it is given in every way there is.
 *
 * Data: the text. Each account's key, flags, lamports and data are logged as well.
 */
#include "../svm.h"

static const char greeting[] = "Grüße, 世界!";

u64 entrypoint(u8 *start)
{
    struct input input;
    struct slice fields[MOST_ACCOUNTS];

    parse(start, &input);
    sol_log_compute_units_();
    LOG(greeting);
    sol_log_((const char *)input.data, input.length);
    sol_log_pubkey(input.program_id);
    for (u64 i = 0; i < input.accounts_count; i++) {
        struct account *account = input.accounts[i];

        sol_log_pubkey(account->key);
        sol_log_pubkey(account->owner);
        sol_log_64_(i, account->is_signer, account->is_writable, account->is_executable, account->lamports);
        fields[i].start = account->data;
        fields[i].length = account->length;
    }
    sol_log_data(fields, input.accounts_count);
    struct slice halves[2] = {
        {input.data, input.length / 2},
        {input.data + input.length / 2, input.length - input.length / 2},
    };
    sol_log_data(halves, 2);
    sol_log_compute_units_();
    return 0;
}
