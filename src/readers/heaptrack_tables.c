/* Strings, code and kinds of blocks of heaptrack files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/hex.h"
#include "readers/heaptrack.h"

/* Number of nodes that a file may add to the call tree, and further number of nodes for each stack.
 * Otherwise a file could exhaust memory with many stacks of addresses that have many inlined
 * functions. */
enum { FREE_NODES = 1000000, NODES_PER_STACK = 16 };

/* Read the next number. Return false if there is none. */
static bool next_number(mp_slice *text, uint64_t *value)
{
    const char *cursor = text->start, *end = text->start + text->length;
    while (cursor < end && *cursor == ' ')
        cursor++;
    if (!mp_hex_word(&cursor, end, value))
        return false;
    *text = (mp_slice){cursor, (size_t)(end - cursor)};
    return true;
}

/* --- strings --- */

void heaptrack_add_string(heaptrack_pass *pass, mp_slice text)
{
    heaptrack_tables *tables = &pass->tables;
    uint64_t length;
    if (pass->version >= 3) {
        if (!next_number(&text, &length) || !text.length || text.length - 1 != length) {
            heaptrack_say(
                pass, MP_DIAG_BAD_ROW,
                "string does not have the stated length, expected s LENGTH TEXT: the rest "
                "of the line is used");
            length = text.length ? text.length - 1 : 0;
        }
        text = (mp_slice){text.start + 1, (size_t)length};
    }
    *MP_APPEND(tables->strings, tables->string_count, tables->string_capacity) =
        mp_model_intern(pass->model, text);
}

/* Return a string by its number; none, after a diagnostic, if it is not defined. */
static mp_string_id string_of(heaptrack_pass *pass, uint64_t number)
{
    if (number > pass->tables.string_count) {
        heaptrack_say(pass, MP_DIAG_UNDEFINED_NAME,
                      "refers to string %" PRIu64 ", but %zu are defined before it", number,
                      pass->tables.string_count);
        number = 0;
    }
    return number ? pass->tables.strings[number - 1] : (mp_string_id){0};
}

/* --- code --- */

static mp_symbol_id symbol_of(heaptrack_pass *pass, mp_string_id name, mp_string_id source,
                              mp_string_id module)
{
    mp_stack_builder *code = &pass->tables.code;
    const mp_symbol symbol = {.name = name.i ? name : mp_stack_module_name(code, module),
                              .source = source,
                              .module = module};
    return mp_stack_symbol(code, symbol);
}

/* Add the next frame of an address: function, file and line. Each of these may be absent. Return
 * false at the end of the line. */
static bool add_frame(heaptrack_pass *pass, mp_slice *text, mp_string_id module, bool first)
{
    heaptrack_tables *tables = &pass->tables;
    uint64_t name = 0, source = 0, line = 0;
    if (next_number(text, &name) && next_number(text, &source))
        next_number(text, &line);
    else if (!first && !name)
        return false;
    mp_string_id function = string_of(pass, name), file = string_of(pass, source);
    *MP_APPEND(tables->frames, tables->frame_count, tables->frame_capacity) =
        (heaptrack_frame){symbol_of(pass, function, file, module),
                          line && line <= INT32_MAX ? (uint32_t)line : MP_NO_LINE};
    return text->length > 0;
}

void heaptrack_add_address(heaptrack_pass *pass, mp_slice text)
{
    heaptrack_tables *tables = &pass->tables;
    uint64_t address, module = 0;
    const uint32_t first = (uint32_t)tables->frame_count;
    bool sound = next_number(&text, &address) && next_number(&text, &module);
    mp_string_id file = string_of(pass, module);
    while (add_frame(pass, &text, file, tables->frame_count == first))
        if (tables->frame_count - first == HEAPTRACK_INLINED)
            break;
    if (!sound || (text.length && tables->frame_count - first < HEAPTRACK_INLINED))
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "address is damaged, expected i ADDRESS MODULE, then FUNCTION FILE LINE in "
                      "hexadecimal numbers");
    else if (text.length)
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "address has more than %d inlined functions; the outer ones are left out",
                      HEAPTRACK_INLINED);
    *MP_APPEND(tables->addresses, tables->address_count, tables->address_capacity) =
        (heaptrack_address){first, (uint32_t)tables->frame_count - first};
}

/* --- stacks --- */

/* Add the frames of an address to the stack of its caller, starting with the outermost frame. */
static heaptrack_stack called(heaptrack_pass *pass, heaptrack_stack stack,
                              const heaptrack_address *address)
{
    heaptrack_tables *tables = &pass->tables;
    mp_model *model = pass->model;
    uint32_t count = address->count;
    stack.allocates = false;
    if (model->nodes.count > FREE_NODES + NODES_PER_STACK * (uint64_t)tables->stack_count)
        count = 1;
    bool cut = count < address->count;
    for (; count > 0 && stack.depth < HEAPTRACK_FRAMES; stack.depth++) {
        const heaptrack_frame *frame = &tables->frames[address->first + --count];
        *MP_ADD(&model->nodes) = (mp_node){.parent = stack.node,
                                           .symbol = frame->symbol,
                                           .line = stack.node.i ? stack.line : 0,
                                           .defined = true,
                                           .number = tables->stack_count + 1};
        stack.node.i = model->nodes.count - 1;
        stack.line = frame->line;
    }
    cut |= count > 0;
    if (cut && !tables->cut_stacks++)
        heaptrack_say(
            pass, MP_DIAG_BAD_ROW,
            "stack has more than %d frames, or too many inlined functions; some are left out "
            "here and in further stacks",
            HEAPTRACK_FRAMES);
    return stack;
}

void heaptrack_add_stack(heaptrack_pass *pass, mp_slice text)
{
    heaptrack_tables *tables = &pass->tables;
    uint64_t address = 0, caller = 0;
    heaptrack_stack stack = {.line = MP_NO_LINE};
    if (!next_number(&text, &address) || !next_number(&text, &caller) || text.length)
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "stack is damaged, expected t ADDRESS CALLER, two hexadecimal numbers: it is "
                      "empty");
    else if (caller > tables->stack_count)
        heaptrack_say(pass, MP_DIAG_PARENT_ORDER,
                      "stack is called by stack %" PRIu64
                      ", expected one before it, 0 to %zu: it ends there",
                      caller, tables->stack_count);
    else if (caller)
        stack = tables->stacks[caller - 1];
    if (address > tables->address_count)
        heaptrack_say(pass, MP_DIAG_UNDEFINED_NODE,
                      "refers to address %" PRIu64 ", but %zu are defined before it", address,
                      tables->address_count);
    else if (address)
        stack = called(pass, stack, &tables->addresses[address - 1]);
    *MP_APPEND(tables->stacks, tables->stack_count, tables->stack_capacity) = stack;
}

/* --- kinds of blocks --- */

void heaptrack_add_kind(heaptrack_pass *pass, mp_slice text)
{
    heaptrack_tables *tables = &pass->tables;
    uint64_t bytes = 0, stack = 0;
    bool sound = next_number(&text, &bytes) && next_number(&text, &stack) && !text.length &&
                 bytes <= INT64_MAX;
    if (!sound)
        heaptrack_say(pass, MP_DIAG_BAD_ROW,
                      "allocation is damaged, expected a BYTES STACK, two hexadecimal numbers: its "
                      "events are skipped");
    if (stack > tables->stack_count) {
        heaptrack_say(pass, MP_DIAG_UNDEFINED_NODE,
                      "refers to stack %" PRIu64 ", but %zu are defined before it", stack,
                      tables->stack_count);
        stack = 0;
    }
    if (stack && !tables->stacks[stack - 1].allocates) {
        tables->stacks[stack - 1].allocates = true;
        tables->allocating++;
    }
    *MP_APPEND(tables->kinds, tables->kind_count, tables->kind_capacity) =
        (heaptrack_kind){.bytes = sound ? (int64_t)bytes : -1, .stack = (uint32_t)stack};
}

void heaptrack_tables_free(heaptrack_tables *tables)
{
    MP_FREE(tables->strings, tables->frames, tables->addresses, tables->stacks, tables->kinds);
    mp_stack_builder_free(&tables->code);
}
