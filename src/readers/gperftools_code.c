/* Heap profiles in text: addresses, the files that contain them, and frames with names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/build.h"
#include "readers/gperftools.h"

/* --- mappings --- */

bool gt_begins_mappings(mp_slice line)
{
    return mp_slice_starts(line, "MAPPED_LIBRARIES:") || mp_slice_starts(line, "--- Memory map:");
}

/* Remove permissions such as r-xp from the start of the text. */
static bool take_permissions(mp_slice *text)
{
    enum { LETTERS = 4 };
    if (!mp_slice_take(text, ""))
        return false;
    for (size_t i = 0; i < LETTERS; i++)
        if (i >= text->length || !strchr("rwxps-", text->start[i]) || !text->start[i])
            return false;
    *text = (mp_slice){text->start + LETTERS, text->length - LETTERS};
    return true;
}

/* Parse a line of /proc/PID/maps: START-END PERMISSIONS OFFSET MAJOR:MINOR INODE PATH. */
static bool parse_mapping(mp_slice line, gt_mapping *mapping, mp_slice *path)
{
    uint64_t major, minor, inode;
    *mapping = (gt_mapping){0};
    const bool sound =
        mp_slice_take_number(&line, 16, &mapping->start) && mp_slice_take(&line, "-") &&
        mp_slice_take_number(&line, 16, &mapping->end) && take_permissions(&line) &&
        mp_slice_take_number(&line, 16, &mapping->offset) &&
        mp_slice_take_number(&line, 16, &major) && mp_slice_take(&line, ":") &&
        mp_slice_take_number(&line, 16, &minor) && mp_slice_take_number(&line, 10, &inode);
    *path = mp_slice_trim(line);
    return sound && mapping->start < mapping->end;
}

/* Return the name of a file without its folders. */
static mp_slice base_name(mp_slice path)
{
    static const char deleted[] = " (deleted)";
    const size_t suffix = sizeof deleted - 1;
    if (path.length > suffix && memcmp(path.start + path.length - suffix, deleted, suffix) == 0)
        path.length -= suffix;
    const char *slash = memrchr(path.start, '/', path.length);
    if (!slash)
        return path;
    return (mp_slice){slash + 1, path.length - (size_t)(slash + 1 - path.start)};
}

static void add_mapping(gt_state *state, mp_slice line)
{
    gt_mapping mapping;
    mp_slice path;
    if (!parse_mapping(line, &mapping, &path) || !path.length)
        return;
    mapping.place = state->mappings.count;
    mapping.name = mp_model_intern(state->model, base_name(path));
    *MP_ADD(&state->mappings) = mapping;
}

static int by_start(const void *left, const void *right)
{
    const gt_mapping *a = left, *b = right;
    const int order = MP_COMPARE(a->start, b->start);
    return order ? order : MP_COMPARE(a->place, b->place);
}

bool gt_read_mappings(gt_state *state)
{
    bool begun = false;
    if (!mp_input_keep(state->input))
        return false;
    /* this pass reports nothing, because the lines are read again */
    mp_diagnostics *muted = mp_diagnostics_new(1);
    mp_diagnostics *usual = mp_input_diagnose_to(state->input, muted);
    for (mp_slice line; mp_input_line(state->input, &line);) {
        if (begun)
            add_mapping(state, line);
        begun |= gt_begins_mappings(line);
    }
    mp_input_diagnose_to(state->input, usual);
    mp_diagnostics_free(muted);
    if (state->mappings.count)
        qsort(state->mappings.items, state->mappings.count, sizeof *state->mappings.items,
              by_start);
    return mp_input_rewind(state->input);
}

void gt_check_mapping(gt_state *state, mp_slice line)
{
    gt_mapping mapping;
    mp_slice path;
    line = mp_slice_trim(line);
    if (!line.length || mp_slice_starts(line, "build=") || parse_mapping(line, &mapping, &path))
        return;
    gt_say(state, MP_DIAG_BAD_ROW,
           "mapping is damaged, expected START-END PERMISSIONS OFFSET DEVICE INODE PATH: line "
           "skipped");
}

/* Return the mapping that contains an address; NULL: none. */
static const gt_mapping *mapping_of(const gt_state *state, uint64_t address)
{
    size_t later = 0;
    MP_BISECT(later, state->mappings.count, state->mappings.items[middle].start <= address);
    const gt_mapping *found = later ? &state->mappings.items[later - 1] : NULL;
    return found && address < found->end ? found : NULL;
}

/* --- addresses --- */

/* Return the symbol of an address. It is named after the offset in its file, which is the same in
 * every run. Without a file, it is named after the address. */
static mp_symbol_id symbol_of(gt_state *state, uint64_t address)
{
    uint32_t *place = mp_id_index_put(&state->symbols, address);
    if (*place)
        return (mp_symbol_id){*place};
    const gt_mapping *mapping = mapping_of(state, address);
    const mp_symbol_id symbol =
        mp_stack_address(&state->stacks, mapping ? mapping->name : (mp_string_id){0}, mapping,
                         mapping ? address - mapping->start + mapping->offset : address);
    *place = symbol.i;
    return (mp_symbol_id){*place};
}

bool gt_read_addresses(gt_state *state, mp_slice text)
{
    state->address_count = state->frame_count = 0;
    for (uint64_t address; mp_slice_take(&text, "0x");) {
        if (!mp_slice_take_number(&text, 16, &address))
            return false;
        if (state->address_count < GT_MOST_FRAMES)
            state->addresses[state->address_count++] = address;
        else if (state->address_count == GT_MOST_FRAMES)
            state->cut_stacks +=
                !mp_slice_trim(text).length; /* the line ends with its last address */
    }
    return !mp_slice_trim(text).length;
}

/* --- frames with names --- */

/* Remove the next column from a line with columns that are separated by tabs. */
static mp_slice take_column(mp_slice *text)
{
    while (text->length && *text->start == '\t')
        *text = (mp_slice){text->start + 1, text->length - 1};
    const char *tab = text->length ? memchr(text->start, '\t', text->length) : NULL;
    const mp_slice column = {text->start, tab ? (size_t)(tab - text->start) : text->length};
    *text = (mp_slice){text->start + column.length, text->length - column.length};
    return column;
}

/* Split "text:12" or "text+0x12" at its last `sign`. Return false if no number follows. */
static bool split(mp_slice *text, const char *sign, unsigned base, uint64_t *number)
{
    const char *last = text->length ? memrchr(text->start, *sign, text->length) : NULL;
    if (!last)
        return false;
    mp_slice rest = {last, text->length - (size_t)(last - text->start)};
    if (!mp_slice_take(&rest, sign) || !mp_slice_take_number(&rest, base, number) || rest.length)
        return false;
    text->length = (size_t)(last - text->start);
    return true;
}

void gt_read_frame(gt_state *state, mp_slice line)
{
    uint64_t address, offset, number = 0;
    mp_slice text = {line.start + 1, line.length - 1}, column = take_column(&text);
    mp_slice name = take_column(&text), file = take_column(&text);
    if (!mp_slice_take(&column, "0x") || !mp_slice_take_number(&column, 16, &address) ||
        column.length ||
        (name.length && (!split(&name, "+0x", 16, &offset) || !split(&file, ":", 10, &number))) ||
        number > INT32_MAX) {
        gt_say(state, MP_DIAG_BAD_ROW,
               "frame is damaged, expected its address, its function and offset, and its file and "
               "line, separated by tabs: frame skipped");
        return;
    }
    if (state->frame_count == GT_MOST_FRAMES) {
        state->cut_stacks++;
        return;
    }
    mp_model *model = state->model;
    const mp_symbol symbol = {.name = mp_model_intern(model, name),
                              .source = mp_model_intern(model, file)};
    state->frames[state->frame_count++] = (gt_frame){
        name.length ? mp_stack_symbol(&state->stacks, symbol) : symbol_of(state, address),
        number ? (uint32_t)number : MP_NO_LINE};
}

/* --- stacks --- */

mp_stack_frame gt_stack(gt_state *state)
{
    mp_stack_frame frame = {{0}, 0};
    for (uint32_t i = state->frame_count; i-- > 0;)
        mp_stack_call(&state->stacks, &frame, state->frames[i].symbol, state->frames[i].line);
    for (uint32_t i = state->frame_count ? 0 : state->address_count; i-- > 0;) {
        /* A call returns to this address, so the call itself is before it. */
        const uint64_t address = state->addresses[i];
        mp_stack_call(&state->stacks, &frame, symbol_of(state, address - (address > 0)),
                      MP_NO_LINE);
    }
    return frame;
}
