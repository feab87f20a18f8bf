/* A profile in the format of Callgrind: functions with their own costs by line, and their calls
 * with inclusive costs. Types of objects are innermost functions, as in all weighted stacks.
 *
 * The format describes a graph of functions, but a recording contains a call tree. A call has an
 * inclusive cost only if its callee is not on the stack already. In this way, the inclusive cost of
 * a recursive function counts each object and each microsecond once. */
#include <inttypes.h>
#include <stdlib.h>

#include "export/stacks.h"

enum { MOST_EVENTS = 4 };

typedef struct event_of {
    const char *name, *title;
    mp_weighing weighing;
    bool counts;
} event_of;

/* Events for all kinds of recordings. A file contains the events whose metrics its recording
 * has. */
static const event_of events[] = {
    {"Allocations", "objects created", MP_WEIGH_CREATED, true},
    {"Bytes", "bytes created", MP_WEIGH_CREATED, false},
    {"Alive", "bytes alive", MP_WEIGH_ALIVE, false},
    {"Leaked", "bytes left behind", MP_WEIGH_LEAKED, false},
    {"Alive", "bytes alive", MP_WEIGH_RETAINED, false},
    {"Objects", "objects alive", MP_WEIGH_RETAINED, true},
    {"Microseconds", "time spent", MP_WEIGH_SECONDS, false},
    {"Calls", "calls", MP_WEIGH_SECONDS, true},
    {"Samples", "samples", MP_WEIGH_SAMPLES, false},
};

/* A function's own cost at a line, or the cost of its calls to another function. */
typedef struct cost_row {
    uint32_t function, callee; /* 0 = the function's own cost */
    int64_t line, calls;
    int64_t costs[MOST_EVENTS];
} cost_row;

typedef struct callgrind_out {
    FILE *file;
    mp_code code;
    const event_of *events[MOST_EVENTS];
    size_t event_count;
    size_t column[MOST_EVENTS]; /* column of each event in the weights */
    cost_row *rows;             /* elements from 1 */
    size_t row_count, row_capacity;
    mp_id_index self_rows, calls; /* keys: place; place and callee */
    int64_t call_rows;
    bool uncounted; /* numbers of objects or calls are not known */
    mp_id_index told_files, told_functions, told_objects; /* texts that were already written */
    bool *shares_name;                                    /* indexed by function */
} callgrind_out;

/* --- adding up --- */

static int64_t line_told(const mp_code *code, uint32_t frame, uint32_t callee)
{
    uint32_t line = mp_code_line(code, frame, callee);
    if (line == MP_NO_LINE && !callee)
        line = code->weights->frames[frame].start_line;
    /* a line with a sign would be relative to the previous line */
    return line == MP_NO_LINE || (int32_t)line < 0 ? 0 : line;
}

static cost_row *row_at(callgrind_out *out, uint32_t *number, const cost_row *begun)
{
    if (!*number) {
        *number = (uint32_t)++out->row_count;
        mp_grow(&out->rows, &out->row_capacity, out->row_count + 1, sizeof *out->rows);
        out->rows[*number] = *begun;
    }
    return &out->rows[*number];
}

static void add_costs(const callgrind_out *out, cost_row *row, uint32_t frame, bool complete)
{
    for (size_t i = 0; i < out->event_count; i++) {
        const mp_weight *weight = &out->code.weights->items[out->column[i]][frame];
        if (out->events[i]->counts)
            row->costs[i] += complete ? weight->all_count : weight->own_count;
        else
            row->costs[i] += complete ? weight->total : weight->self;
    }
}

static void add_own(callgrind_out *out, uint32_t frame)
{
    if (!mp_stacks_end_at(out->code.weights, frame))
        return;
    cost_row row = {.function = mp_code_function_of(&out->code, frame),
                    .line = line_told(&out->code, frame, 0)};
    uint32_t *number =
        mp_id_index_put(&out->self_rows, mp_joined(row.function, (uint32_t)row.line));
    add_costs(out, row_at(out, number, &row), frame, false);
}

/* Add a call. `outermost`: its callee is not on the stack already. */
static void add_call(callgrind_out *out, uint32_t frame, bool outermost)
{
    mp_code *code = &out->code;
    uint32_t caller = code->weights->frames[frame].parent;
    const mp_weight *weight = &code->weights->items[0][frame];
    bool times = code->weights->weighings[0] == MP_WEIGH_SECONDS;
    uint32_t place = mp_code_place_of(code, caller, frame);
    cost_row begun = {.function = mp_code_function_of(code, caller),
                      .callee = mp_code_function_of(code, frame),
                      .line = line_told(code, caller, frame)};
    uint32_t *number = mp_id_index_put(&out->calls, mp_joined(place, begun.callee));
    out->call_rows += !*number;
    cost_row *row = row_at(out, number, &begun);
    row->calls += out->uncounted ? 0 : times ? weight->own_count : weight->all_count;
    if (outermost)
        add_costs(out, row, frame, true);
}

/* Add all frames, in pre-order. */
static void add_all(callgrind_out *out)
{
    const mp_weights *weights = out->code.weights;
    mp_links links = mp_links_of(weights->frames, sizeof *weights->frames, weights->count);
    uint32_t *on_stack = mp_alloc_zero((size_t)weights->count + 1, sizeof *on_stack);
    for (uint32_t index = links.below[0]; index;) {
        uint32_t *mine = &on_stack[mp_code_function_of(&out->code, index)];
        add_own(out, index);
        if (weights->frames[index].parent)
            add_call(out, index, !*mine);
        ++*mine;
        uint32_t next = links.below[index];
        for (uint32_t left = index; !next && left; left = weights->frames[left].parent) {
            on_stack[mp_code_function_of(&out->code, left)]--;
            next = links.beside[left];
        }
        index = next;
    }
    mp_links_free(&links);
    free(on_stack);
}

static int by_place(const void *a, const void *b)
{
    const cost_row *x = a, *y = b;
    int order = MP_COMPARE(x->function, y->function);
    order = order ? order : (x->callee != 0) - (y->callee != 0);
    order = order ? order : MP_COMPARE(x->line, y->line);
    return order ? order : MP_COMPARE(x->callee, y->callee);
}

/* --- writing --- */

/* Find functions that have the same object, file and name as another. Readers cannot distinguish
 * them, and would add up their costs. */
static void find_shared_names(callgrind_out *out)
{
    const mp_code *code = &out->code;
    mp_key_index first = {0};
    out->shares_name = mp_alloc_zero(code->function_count + 1, sizeof *out->shares_name);
    for (uint32_t i = 1; i <= code->function_count; i++) {
        const mp_code_function *function = &code->functions[i];
        const uint32_t name[] = {function->name, function->source, function->module};
        uint32_t *place = mp_key_index_put(&first, name, sizeof name);
        if (*place)
            out->shares_name[*place] = out->shares_name[i] = true;
        else
            *place = i;
    }
    mp_key_index_free(&first);
}

/* Write "fl=(1) name" for the first use of a name, then "fl=(1)". */
static void put_name(callgrind_out *out, const char *key, mp_id_index *told, uint32_t number,
                     const char *name)
{
    uint32_t *known = mp_id_index_put(told, number);
    fprintf(out->file, "%s=(%" PRIu32 ")%s%s\n", key, number, *known ? "" : " ",
            *known ? "" : name);
    *known = 1;
}

static const char *text_or_none(const mp_code *code, uint32_t text)
{
    return text ? mp_dictionary_text(code->texts, text) : "???";
}

/* Write a function. `called`: "c" for a callee, otherwise "". Id 0 stands for unknown texts. */
static void put_function(callgrind_out *out, const char *called, uint32_t number)
{
    static const char *const keys[2][3] = {{"ob", "fl", "fn"}, {"cob", "cfi", "cfn"}};
    const char *const *key = keys[*called == 'c'];
    const mp_code_function *function = &out->code.functions[number];
    put_name(out, key[0], &out->told_objects, function->module + 1,
             text_or_none(&out->code, function->module));
    put_name(out, key[1], &out->told_files, function->source + 1,
             text_or_none(&out->code, function->source));
    mp_arena arena = {0};
    const char *name = text_or_none(&out->code, function->name);
    if (out->shares_name[number] && function->start_line)
        name = mp_arena_format(&arena, "%s (from %" PRIu32 ")", name, function->start_line);
    put_name(out, key[2], &out->told_functions, number, name);
    mp_arena_free(&arena);
}

static void put_costs(const callgrind_out *out, int64_t line, const int64_t *costs)
{
    fprintf(out->file, "%" PRId64, line);
    for (size_t i = 0; i < out->event_count; i++)
        fprintf(out->file, " %" PRId64, costs[i]);
    fputc('\n', out->file);
}

static void put_head(const callgrind_out *out)
{
    fputs("# callgrind format\nversion: 1\ncreator: memprof\npositions: line\n", out->file);
    for (size_t i = 0; i < out->event_count; i++)
        fprintf(out->file, "event: %s : %s\n", out->events[i]->name, out->events[i]->title);
    fputs("events:", out->file);
    for (size_t i = 0; i < out->event_count; i++)
        fprintf(out->file, " %s", out->events[i]->name);
    fputs("\n\n", out->file);
}

static void put_rows(callgrind_out *out)
{
    uint32_t function = 0;
    for (size_t i = 1; i <= out->row_count; i++) {
        const cost_row *row = &out->rows[i];
        if (row->function != function)
            put_function(out, "", function = row->function);
        if (row->callee) {
            const mp_code_function *callee = &out->code.functions[row->callee];
            put_function(out, "c", row->callee);
            /* if the number of calls is unknown, write 1 */
            fprintf(out->file, "calls=%" PRId64 " %" PRIu32 "\n", row->calls > 0 ? row->calls : 1,
                    callee->start_line);
        }
        put_costs(out, row->line, row->costs);
    }
}

static mp_written_totals sum_up(const callgrind_out *out, int64_t *sums)
{
    mp_written_totals totals = mp_nothing_written;
    for (size_t i = 0; i < out->event_count; i++) {
        const event_of *event = out->events[i];
        sums[i] = 0;
        for (size_t row = 1; row <= out->row_count; row++)
            sums[i] += out->rows[row].callee ? 0 : out->rows[row].costs[i];
        *mp_written_total(&totals, event->weighing, event->counts) = sums[i];
    }
    return totals;
}

static void put_totals(const callgrind_out *out, const int64_t *sums)
{
    fputs("\ntotals:", out->file);
    for (size_t i = 0; i < out->event_count; i++)
        fprintf(out->file, " %" PRId64, sums[i]);
    fputc('\n', out->file);
}

static void write_weights(const mp_weights *weights, const mp_request *request,
                          mp_document *document)
{
    int64_t sums[MOST_EVENTS] = {0};
    callgrind_out state = {.file = request->file, .code = mp_code_of(weights)}, *out = &state;
    out->uncounted = request->model->holds & (MP_HOLDS_UNCOUNTED | MP_HOLDS_UNCALLED);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        size_t column = 0;
        while (column < weights->columns && weights->weighings[column] != events[i].weighing)
            column++;
        if (column == weights->columns || (events[i].counts && out->uncounted))
            continue;
        out->column[out->event_count] = column;
        out->events[out->event_count++] = &events[i];
    }
    add_all(out);
    find_shared_names(out);
    if (out->row_count)
        qsort(out->rows + 1, out->row_count, sizeof *out->rows, by_place);
    mp_written_totals totals = sum_up(out, sums);
    put_head(out);
    put_rows(out);
    put_totals(out, sums);
    mp_written(document, request, "profile in the format of Callgrind", &totals);
    mp_table *table = mp_written_table(document);
    mp_written_rows(document, table, "functions", (int64_t)out->code.function_count);
    mp_written_rows(document, table, "costs", (int64_t)out->row_count - out->call_rows);
    mp_written_rows(document, table, "calls", out->call_rows);
    mp_code_free(&out->code);
    free(out->rows);
    free(out->shares_name);
    mp_id_index_free(&out->self_rows);
    mp_id_index_free(&out->calls);
    mp_id_index_free(&out->told_files);
    mp_id_index_free(&out->told_functions);
    mp_id_index_free(&out->told_objects);
}

static bool write_callgrind(const mp_request *request, mp_document *document, mp_error *error)
{
    return mp_stacks_weigh(request, document, false, error, write_weights);
}

const mp_exporter mp_exporter_callgrind = {
    .name = "callgrind",
    .endings = "callgrind.out",
    .report = {.name = MP_EXPORT_TO("callgrind"),
               .summary = "call graph, for KCachegrind and callgrind_annotate",
               MP_ARGUMENTS(mp_stacks_arguments, mp_stacks_defaults),
               .variants = {MP_HEAP_VARIANTS(write_callgrind),
                            {.needs = MP_HOLDS_GRAPH, .run = write_callgrind},
                            {.needs = MP_HOLDS_PROFILE, .run = write_callgrind}}},
};
