/*
 * What a program sees of the virtual machine: its input and the syscalls the programs here use.
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;

/* Results that mean an error; a smaller number is the program's own error. */
#define BUILTIN_ERROR(n) ((u64)(n) << 32)
#define INVALID_ARGUMENT BUILTIN_ERROR(2)
#define INVALID_INSTRUCTION_DATA BUILTIN_ERROR(3)
#define INSUFFICIENT_FUNDS BUILTIN_ERROR(6)
#define MISSING_SIGNATURE BUILTIN_ERROR(8)
#define NOT_ENOUGH_ACCOUNTS BUILTIN_ERROR(11)

/* How far an account may grow in one instruction. */
#define GROWTH 10240

/* An account as the loader lays it out; its data follow, room for growth, padding and 8 more bytes. */
struct account {
    u8 first; /* 0xff, or the number of the account it repeats */
    u8 is_signer;
    u8 is_writable;
    u8 is_executable;
    u32 original_length;
    u8 key[32];
    u8 owner[32];
    u64 lamports;
    u64 length;
    u8 data[];
};

#define MOST_ACCOUNTS 16

struct input {
    u64 accounts_count;
    struct account *accounts[MOST_ACCOUNTS];
    u64 length;
    const u8 *data;
    const u8 *program_id;
};

/* Splits the input; accounts after the first 16 are passed over. */
static inline void parse(u8 *at, struct input *input)
{
    u64 count = *(u64 *)at;

    at += 8;
    input->accounts_count = 0;
    for (u64 i = 0; i < count; i++) {
        struct account *account = (struct account *)at;

        if (account->first != 0xff) {
            at += 8;
            account = input->accounts[account->first % MOST_ACCOUNTS];
        } else {
            at += sizeof(struct account) + account->length + GROWTH;
            at = (u8 *)(((u64)at + 7) & ~7ull) + 8;
        }
        if (i < MOST_ACCOUNTS)
            input->accounts[input->accounts_count++] = account;
    }
    input->length = *(u64 *)at;
    input->data = at + 8;
    input->program_id = input->data + input->length;
}

/* A little-endian number at any address. */
static inline u64 number(const u8 *at, u64 width)
{
    u64 value = 0;

    while (width--)
        value = value << 8 | at[width];
    return value;
}

struct slice {
    const u8 *start;
    u64 length;
};

void abort(void);
void sol_panic_(const char *file, u64 length, u64 line, u64 column);
void sol_log_(const char *text, u64 length);
void sol_log_64_(u64 a, u64 b, u64 c, u64 d, u64 e);
void sol_log_compute_units_(void);
void sol_log_pubkey(const u8 *key);
void sol_log_data(const struct slice *fields, u64 count);
void sol_memcpy_(void *to, const void *from, u64 length);
void sol_memmove_(void *to, const void *from, u64 length);
void sol_memset_(void *to, u64 byte, u64 length);
void sol_memcmp_(const void *a, const void *b, u64 length, i32 *result);
void sol_set_return_data(const u8 *data, u64 length);
u64 sol_get_return_data(u8 *data, u64 length, u8 *program_id);
u64 sol_get_clock_sysvar(u8 *clock);
u64 sol_get_epoch_schedule_sysvar(u8 *schedule);
u64 sol_get_rent_sysvar(u8 *rent);
u64 sol_get_epoch_rewards_sysvar(u8 *rewards);
u64 sol_get_last_restart_slot(u8 *slot);
u64 sol_get_sysvar(const u8 *id, u8 *out, u64 offset, u64 length);
u64 sol_get_stack_height(void);
void *sol_alloc_free_(u64 size, void *to_free);

#define LOG(text) sol_log_(text, sizeof(text) - 1)
