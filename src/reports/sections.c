/* Functions shared by reports: arguments, orders of rows, texts that live with the document. */
#include "reports/sections.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "query/graph_query.h"
#include "query/suppression.h"
#include "relation/relation.h"

/* --- arguments --- */

const void *mp_request_argument(const mp_request *request, const char *name)
{
    const mp_argument *row = mp_argument_find(&request->report->arguments, name);
    return row ? (const char *)request->arguments + row->offset : NULL;
}

const char *mp_text_argument(const mp_request *request, const char *name)
{
    const char *const *text = mp_request_argument(request, name);
    return text ? *text : NULL;
}

int64_t mp_number_argument(const mp_request *request, const char *name)
{
    const int64_t *number = mp_request_argument(request, name);
    return number ? *number : 0;
}

/* --- what a request opens --- */

bool mp_request_window_of(const mp_request *request, const mp_filter *filter, mp_window *window,
                          mp_error *error)
{
    const char *first = mp_text_argument(request, "from"), *last = mp_text_argument(request, "to");
    if (!mp_window_of(filter, first, last, window, error))
        return false;
    mp_window_suppress(window, request->suppressions);
    return true;
}

const mp_window *mp_request_window(const mp_request *request, mp_error *error)
{
    mp_opened *opened = request->opened;
    mp_window window;
    if (!opened->window && mp_request_window_of(request, request->filter, &window, error)) {
        opened->window = mp_alloc(sizeof window);
        *opened->window = window;
    }
    return opened->window;
}

mp_graph_view *mp_request_graph(const mp_request *request)
{
    mp_opened *opened = request->opened;
    if (!opened->graph) {
        opened->graph = mp_alloc(sizeof *opened->graph);
        *opened->graph = mp_graph_view_of(request->filter);
        opened->graph->diagnostics = request->diagnostics;
    }
    return opened->graph;
}

mp_relation_source *mp_request_relations(const mp_request *request, mp_error *error)
{
    mp_opened *opened = request->opened;
    const bool heap = request->model->holds & MP_HOLDS_LEDGER;
    if (!opened->relations && (!heap || mp_request_window(request, error)))
        opened->relations =
            mp_relation_source_new(request->filter, opened->window, request->diagnostics);
    return opened->relations;
}

void mp_request_close(const mp_request *request)
{
    mp_opened *opened = request->opened;
    if (opened->relations)
        mp_relation_source_free(opened->relations);
    if (opened->graph)
        mp_graph_view_free(opened->graph);
    if (opened->window)
        mp_window_free(opened->window);
    MP_FREE(opened->graph, opened->window, opened);
}

/* Return the number of frames for programs. A default depth from the user's settings is for people,
 * so it does not shorten their stacks. */
size_t mp_request_frames(const mp_request *request)
{
    const int64_t *depth = mp_request_argument(request, "stack-depth");
    int64_t callers = MP_PROGRAM_CALLERS;
    for (size_t i = 0; depth && i < request->given_count; i++)
        if (strcmp(request->given[i].argument, "stack-depth") == 0 &&
            (!request->given[i].by_default || *depth > callers))
            callers = *depth;
    return (size_t)callers + 1;
}

/* --- shared by reports on heaps --- */

void mp_table_left_out(mp_table *table, size_t total)
{
    table->limited = true;
    if (total > table->row_count)
        table->footer.rest = (mp_rest){total - table->row_count, MP_REST_MORE};
}

static const mp_snapshot *end_of(const mp_window *window, uint32_t session, bool from)
{
    const mp_range *range = &window->ranges[session];
    return mp_window_snapshot(window, from ? range->from.i : range->to.i);
}

const char *mp_snapshot_text(mp_document *document, const mp_model *model,
                             const mp_snapshot *snapshot)
{
    const char *tag = mp_model_text(model, snapshot->tag);
    return mp_document_text(document, "snapshot %" PRIu64 "%s%s%s", snapshot->sequence,
                            *tag ? " (" : "", tag, *tag ? ")" : "");
}

const char *mp_session_text(mp_document *document, const mp_model *model, uint32_t session)
{
    if (model->sessions.count <= 2 || !session)
        return NULL;
    const char *id = mp_model_text(model, model->sessions.items[session].session_id);
    return mp_document_text(document, "session %" PRIu32 " of %" PRIu32 "%s%s%s", session,
                            model->sessions.count - 1, *id ? " (" : "", id, *id ? ")" : "");
}

const char *mp_moment_text(mp_document *document, const mp_window *window, bool from)
{
    const mp_model *model = window->model;
    const mp_snapshot *snapshot = end_of(window, 1, from);
    if (model->sessions.count == 2)
        return mp_snapshot_text(document, model, snapshot);
    bool same_tag = snapshot->tag.i != 0, same_number = true;
    for (uint32_t i = 2; i < model->sessions.count; i++) {
        same_tag &= end_of(window, i, from)->tag.i == snapshot->tag.i;
        same_number &= end_of(window, i, from)->sequence == snapshot->sequence;
    }
    const mp_snapshot untagged = {.sequence = snapshot->sequence};
    if (same_number)
        return mp_document_text(document, "%s of each session",
                                mp_snapshot_text(document, model, same_tag ? snapshot : &untagged));
    if (same_tag)
        return mp_document_text(document, "%s of each session",
                                mp_model_text(model, snapshot->tag));
    return from ? "the from-snapshot of each session" : "the to-snapshot of each session";
}

const char *mp_frame_text(mp_document *document, const mp_model *model, mp_frame frame)
{
    return mp_frame_label(document->arena, model, frame);
}

const char *mp_node_text(mp_document *document, const mp_model *model, uint32_t node)
{
    return mp_tree_label(document->arena, model, node);
}

mp_texts mp_one_text(mp_document *document, const char *text)
{
    if (!text)
        return (mp_texts){.items = NULL};
    const char **cursor = mp_arena_alloc(document->arena, sizeof *cursor);
    *cursor = text;
    return (mp_texts){.items = cursor, .count = 1};
}

/* --- orders, growth, tables of kinds --- */

const mp_order *mp_order_find(const mp_order *orders, size_t count, const char *sort,
                              const char *rows, mp_error *error)
{
    enum { MOST = 16 };
    const char *names[MOST];
    char list[256];
    assert(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        if (!sort || mp_text_is(orders[i].name, sort))
            return &orders[i];
        names[i] = orders[i].name;
    }
    mp_fail_argument(error, "sort", sort, "%s are sorted by %s", rows,
                     mp_text_list(names, count, "or", list, sizeof list));
    return NULL;
}

bool mp_order_suits(const mp_order *order, const mp_dimension *dimension, mp_error *error)
{
    return dimension->of_context || strcmp(order->name, "inclusive") != 0 ||
           mp_fail_argument(error, "sort", order->name,
                            "sizes with scoped objects are not available by %s", dimension->name);
}

/* Set `by`, which is all NULL, to the columns of an order. */
static void find_columns(const mp_order *order, const mp_column *columns, size_t column_count,
                         const mp_column **by)
{
    for (size_t i = 0; i < MP_ORDER_COLUMNS && order->columns[i]; i++) {
        size_t found = mp_column_find(columns, column_count, order->columns[i]);
        assert(found < column_count);
        by[i] = &columns[found];
    }
}

void mp_order_rows(const mp_order *order, const mp_column *columns, size_t column_count, void *rows,
                   size_t count, size_t size)
{
    const mp_column *by[MP_ORDER_COLUMNS + 1] = {NULL};
    find_columns(order, columns, column_count, by);
    mp_rows_sort(rows, count, size, by);
}

void mp_best_end(mp_best *best)
{
    if (best->order && !best->by[0])
        find_columns(best->order, best->columns, best->column_count, best->by);
    if (best->order)
        mp_rows_sort(best->rows, best->count, best->size, best->by);
    if (best->most && best->count > best->most)
        best->count = best->most;
}

/* Drop the newest row if it does not come before the last of those that are kept. Most rows of
 * many do not. */
static void drop_newest(mp_best *best)
{
    const char *rows = best->rows;
    if (mp_rows_compare(rows + (best->count - 1) * best->size, rows + (best->most - 1) * best->size,
                        best->by) >= 0)
        best->count--;
}

void *mp_best_add(mp_best *best)
{
    enum { AT_ONCE = 1024 }; /* rows that are sorted at once */
    if (best->most && best->added > best->most + AT_ONCE && best->count > best->most)
        drop_newest(best);
    if (best->most && best->count == best->most + AT_ONCE)
        mp_best_end(best);
    mp_grow(&best->rows, &best->capacity, best->count + 1, best->size);
    best->added++;
    return (char *)best->rows + best->size * best->count++;
}

mp_growth mp_growth_of(mp_amount from, mp_amount to)
{
    int64_t delta = to.bytes - from.bytes;
    return (mp_growth){.from_bytes = from.bytes,
                       .to_bytes = to.bytes,
                       .delta_bytes = delta,
                       .from_objects = from.objects,
                       .to_objects = to.objects,
                       .delta_objects = to.objects - from.objects,
                       .delta_percent = from.bytes ? mp_percent_of(delta, from.bytes) : NAN};
}

mp_table *mp_kind_table(mp_document *document, const mp_model *model, const char *name,
                        const char *title, const mp_column *columns, size_t count)
{
    unsigned kind = model->profile                   ? MP_OF_PROFILES
                    : model->events                  ? MP_OF_EVENTS
                    : mp_holds_dumps(model->holds)   ? MP_OF_DUMPS
                    : model->holds & MP_HOLDS_BIRTHS ? MP_OF_RECORDINGS
                                                     : MP_OF_RECORDINGS | MP_OF_DATABASES;
    unsigned kinds = MP_OF_HEAPS | MP_OF_PROFILES | MP_OF_RELATIONS;
    mp_column *column = mp_arena_alloc(document->arena, count * sizeof *column);
    size_t owned = 0;
    for (size_t i = 0; i < count; i++)
        if (!(columns[i].flags & kinds) || columns[i].flags & kind)
            column[owned++] = columns[i];
    return mp_document_table(document, name, title, MP_ROWS, column, owned);
}

const char *mp_amount_text(mp_document *document, int64_t objects, int64_t bytes)
{
    if (document->uncounted)
        return mp_bytes_text(document, bytes);
    return mp_document_text(document, "%s, %s", mp_counted_text(document, objects, "object"),
                            mp_bytes_text(document, bytes));
}

const char *mp_biggest_text(mp_document *document, const char *label, mp_amount amount,
                            int64_t alive)
{
    char percent[MP_UNIT_TEXT];
    if (document->unsized) {
        mp_format_percent(percent, mp_percent_of(amount.objects, alive), false);
        return mp_document_text(document, "%s: %s of %s objects alive (%s %%)", label,
                                mp_count_text(document, amount.objects),
                                mp_count_text(document, alive), percent);
    }
    mp_format_percent(percent, mp_percent_of(amount.bytes, alive), false);
    const char *bytes = mp_bytes_text(document, amount.bytes);
    if (!document->uncounted)
        bytes = mp_document_text(document, "%s in %s", bytes,
                                 mp_counted_text(document, amount.objects, "object"));
    return mp_document_text(document, "%s: %s, %s %% of %s alive", label, bytes, percent,
                            mp_bytes_text(document, alive));
}

const char *mp_torn_text(mp_document *document, const mp_request *request)
{
    const mp_diagnostic *torn = request->torn;
    const char *path = mp_utf8_copy(document->arena, torn->path ? torn->path : "an input");
    const char *message = mp_utf8_copy(document->arena, torn->message);
    const char *dashes = mp_diagnostics_dashes(request->diagnostics);
    const char *what = mp_diagnostic_breaks_off(torn->id) ? "is truncated" : "is damaged";
    return torn->line ? mp_document_text(document,
                                         "%s %s at line %" PRIu64
                                         ": %s (%sallow-torn judges what is there)",
                                         path, what, torn->line, message, dashes)
                      : mp_document_text(document, "%s %s: %s (%sallow-torn judges what is there)",
                                         path, what, message, dashes);
}

void mp_say_damage(mp_document *document, const mp_request *request)
{
    const mp_diagnostic *kept, *first = NULL; /* first diagnostic; NULL if it was not kept */
    size_t count = mp_diagnostics_kept(request->diagnostics, &kept);
    int64_t total = (int64_t)mp_diagnostics_damages(request->diagnostics);
    for (size_t i = 0; i < count && !first; i++)
        first = mp_diagnostic_is_damage(kept[i].id) ? &kept[i] : NULL;
    const char *line =
        first && first->line ? mp_document_text(document, " in line %" PRIu64, first->line) : "";
    const char *times =
        total > 1 ? mp_document_text(document, "seen %s times%s", mp_count_text(document, total),
                                     first ? ", first" : "")
                  : "seen once";
    if (total)
        mp_document_say(document, MP_TONE_WORSE, "Corruption",
                        "the program damaged its memory, %s%s%s%s", times, line, first ? ": " : "",
                        first ? first->message : "");
}

const char *mp_unit_text(mp_document *document, mp_unit unit, int64_t amount, bool with_sign)
{
    char text[MP_UNIT_TEXT];
    if (unit == MP_BYTES)
        mp_format_bytes(text, amount, document->exact_bytes, with_sign);
    else if (unit == MP_SECONDS && !document->sampled)
        mp_format_seconds(text, amount, with_sign);
    else
        mp_format_count(text, amount, with_sign);
    return mp_document_text(document, "%s", text);
}

const char *mp_counted_text(mp_document *document, int64_t count, const char *noun)
{
    return mp_document_text(document, "%s %s%s", mp_count_text(document, count), noun,
                            count == 1 ? "" : "s");
}

const char *mp_measured_text(mp_document *document, mp_unit unit, int64_t amount, bool with_sign)
{
    const char *noun = unit != MP_SECONDS   ? ""
                       : !document->sampled ? " s"
                       : llabs(amount) == 1 ? " sample"
                                            : " samples";
    return mp_document_text(document, "%s%s", mp_unit_text(document, unit, amount, with_sign),
                            noun);
}
