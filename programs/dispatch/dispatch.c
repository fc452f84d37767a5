/*
 * A stack machine whose operations are found in a table of functions, with messages in a table of
 * strings.
 *
 * Data: bytes of code. A byte below 16 is an operation, any other pushes itself minus 16.
 */
#include "../svm.h"

#define DEPTH 32

struct machine {
    u64 stack[DEPTH];
    u64 height;
};

typedef u64 operation(struct machine *);

static inline u64 pop(struct machine *machine)
{
    return machine->stack[--machine->height];
}

static inline u64 push(struct machine *machine, u64 value)
{
    machine->stack[machine->height++] = value;
    return 0;
}

static u64 add(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a + b); }
static u64 subtract(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a - b); }
static u64 multiply(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a * b); }
static u64 divide(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a / b); }
static u64 modulo(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a % b); }
static u64 xor(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a ^ b); }
static u64 left(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a << (b & 63)); }
static u64 right(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a >> (b & 63)); }
static u64 less(struct machine *m) { u64 b = pop(m), a = pop(m); return push(m, a < b); }
static u64 twice(struct machine *m) { u64 a = pop(m); push(m, a); return push(m, a); }
static u64 negate(struct machine *m) { u64 a = pop(m); return push(m, -a); }
static u64 drop(struct machine *m) { pop(m); return 0; }
static u64 log(struct machine *m) { sol_log_64_(m->stack[m->height - 1], m->height, 0, 0, 0); return 0; }
static u64 fail(struct machine *m) { return pop(m) | 1; }

static operation *const operations[] = {
    add, subtract, multiply, divide, modulo, xor, left, right, less, twice, negate, drop, log, fail,
};

static const u8 needs[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1};

static const char *const messages[] = {"the stack is too low", "the stack is full", "no such operation"};
static const u8 lengths[] = {20, 17, 17};

static u64 refuse(u64 reason)
{
    sol_log_(messages[reason], lengths[reason]);
    return 100 + reason;
}

u64 entrypoint(u8 *start)
{
    struct input input;
    struct machine machine;

    parse(start, &input);
    machine.height = 0;
    for (u64 i = 0; i < input.length; i++) {
        u8 code = input.data[i];

        if (machine.height == DEPTH)
            return refuse(1);
        if (code >= 16) {
            push(&machine, code - 16);
            continue;
        }
        if (code >= sizeof(needs))
            return refuse(2);
        if (machine.height < needs[code])
            return refuse(0);
        u64 error = operations[code](&machine);
        if (error)
            return error;
    }
    sol_set_return_data((u8 *)machine.stack, 8 * machine.height);
    return 0;
}
