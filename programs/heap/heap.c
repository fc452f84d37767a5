/*
 * A sorted tree in the heap, built of the bytes of the data and written to the first account in order.
 *
 * Data: a byte, the size of a node minus that of what it needs, then the bytes to sort.
 */
#include "../svm.h"

struct node {
    struct node *less, *more;
    u8 byte;
};

struct output {
    u8 *at;
    u64 left;
};

static __attribute__((noinline)) void walk(const struct node *node, struct output *output)
{
    if (!node)
        return;
    walk(node->less, output);
    if (output->left) {
        *output->at++ = node->byte;
        output->left--;
    }
    walk(node->more, output);
}

u64 entrypoint(u8 *start)
{
    struct input input;
    struct node *root = 0;

    parse(start, &input);
    if (input.length == 0)
        return INVALID_INSTRUCTION_DATA;
    if (input.accounts_count == 0)
        return NOT_ENOUGH_ACCOUNTS;
    for (u64 i = 1; i < input.length; i++) {
        struct node *node = sol_alloc_free_(sizeof(struct node) + 16ull * input.data[0], 0);
        struct node **place = &root;

        if (!node) {
            LOG("out of memory");
            return 1;
        }
        while (*place)
            place = input.data[i] < (*place)->byte ? &(*place)->less : &(*place)->more;
        node->less = node->more = 0;
        node->byte = input.data[i];
        *place = node;
        sol_alloc_free_(0, node);
    }
    struct output output = {input.accounts[0]->data, input.accounts[0]->length};
    walk(root, &output);
    return 0;
}
