/* Sections: the tables of which reports consist. */
#pragma once

#include "base/error.h"
#include "query/query.h"
#include "reports/report.h"

enum { MP_DEFAULT_ROWS = 10, MP_REPORT_ROWS = 20 };
/* Arguments of reports on heaps. Each report has a row for each argument that it accepts (see
 * arguments.h). */
typedef struct mp_heap_arguments {
    const char *from, *to;        /* NULL = default of the report; see mp_window_of */
    const char *by, *sort;        /* NULL = default of the report */
    const char *only;             /* glob for labels of groups; NULL = all */
    int64_t limit;                /* maximum rows of a table; 0 = all */
    int64_t stack_depth;          /* number of callers of the innermost frame that people see */
    int64_t depth;                /* maximum depth of a tree; 0 = unlimited */
    double min_percent;           /* minimum share that a node of a tree must have */
    int64_t min_bytes, min_count; /* minimum that a row must have; 0 = none */
    bool all_tables;              /* people get all tables, not only the first ones */
    mp_ceiling max_growth, max_trend, max_platform_growth, max_leaked, max_live;
} mp_heap_arguments;

/* Bits of the variants of most reports on heaps. The first three together are MP_HEAP_VARIANTS:
 * logs of heap events, stacks of native code, and other recordings of births and deaths. Dumps and
 * profiles follow. */
enum {
    MP_EVENTS = 1,
    MP_NATIVE = 2,
    MP_HISTORY = 4,
    MP_DUMP = 8,
    MP_PROFILE = 16,
    MP_HEAPS = MP_EVENTS | MP_NATIVE | MP_HISTORY,
};

/* Rows of these arguments, and of the arguments that all reports share. `variants` are the variants
 * that use the argument. */
/* clang-format off */
#define MP_ASKS(name, member, variants)                                                            \
    {name, offsetof(mp_heap_arguments, member), variants}
#define MP_SHARES(name, variants) {name, MP_SHARED_ARGUMENT, variants}
#define MP_ASKS_WINDOW(variants) MP_ASKS("from", from, variants), MP_ASKS("to", to, variants)
#define MP_ASKS_MINIMA(variants)                                                                         \
    MP_ASKS("min-size", min_bytes, variants), MP_ASKS("min-count", min_count, variants)
/* Rows of limits. `dumps` is MP_DUMP or 0, because dumps do not record what leaked. */
#define MP_ASKS_LIMITS(dumps)                                                                      \
    MP_ASKS("max-growth", max_growth, MP_HEAPS | (dumps)),                                         \
    MP_ASKS("max-trend", max_trend, MP_HEAPS | (dumps)),                                           \
    MP_ASKS("max-platform-growth", max_platform_growth, MP_HISTORY),                               \
    MP_ASKS("max-leaked", max_leaked, MP_HEAPS),                                                   \
    MP_ASKS("max-live", max_live, MP_HEAPS | (dumps))
/* Rows of arguments for the reading of recordings. */
#define MP_SHARES_EVENTS(variants)                                                                       \
    MP_SHARES("at", variants), MP_SHARES("slices", variants), MP_SHARES("temporary", variants),                      \
    MP_SHARES("reorder", variants)
#define MP_SHARES_READING                                                                          \
    MP_SHARES_EVENTS(MP_EVENTS), MP_SHARES("skip", MP_EVENTS | MP_NATIVE),                         \
    MP_SHARES("domain", MP_DUMP)
#define MP_HEAP_VARIANTS(answer)                                                                   \
    {.needs = MP_HOLDS_HISTORY | MP_HOLDS_EVENTS, .run = answer},                                  \
    {.needs = MP_HOLDS_HISTORY | MP_HOLDS_NATIVE, .run = answer},                                  \
    {.needs = MP_HOLDS_HISTORY, .run = answer}
/* clang-format on */

static inline bool mp_is_asked(const mp_heap_arguments *asked, int64_t bytes, int64_t count)
{
    return bytes >= asked->min_bytes && count >= asked->min_count;
}

/* Return the requested order of groups. Without a request, return "objects" if sizes are not known,
 * otherwise NULL, which is the order by bytes. */
static inline const char *mp_asked_sort(const mp_heap_arguments *asked, const mp_model *model)
{
    return !asked->sort && model->holds & MP_HOLDS_UNSIZED ? "objects" : asked->sort;
}

/* Return the requested dimension, or the model's default. */
static inline const mp_dimension *mp_asked_dimension(const mp_heap_arguments *asked,
                                                     const mp_model *model)
{
    return asked->by ? mp_dimension_find(asked->by) : mp_dimension_usual(model);
}

/* Return the text to show instead of rows: `nothing`, unless all rows may have been removed by the
 * size filters. */
static inline const char *mp_empty_text(const mp_heap_arguments *asked, const char *nothing)
{
    return asked->min_bytes > 0 || asked->min_count > 0 ? "none passes the size filters" : nothing;
}

/* Return an argument of the request's report: a pointer to it (mp_request_argument), its text
 * (mp_text_argument) or its number (mp_number_argument). NULL or 0 if the report has no argument of
 * this name. */
const void *mp_request_argument(const mp_request *request, const char *name);
const char *mp_text_argument(const mp_request *request, const char *name);
int64_t mp_number_argument(const mp_request *request, const char *name);
/* Return the number of frames of a stack for programs. */
size_t mp_request_frames(const mp_request *request);
/* Return the requested window, with accepted leaks suppressed, which lives as long as the request;
 * NULL with an error. */
const mp_window *mp_request_window(const mp_request *request, mp_error *error);
/* Make a window as above for a filter of the same model. Release with mp_window_free. */
bool mp_request_window_of(const mp_request *request, const mp_filter *filter, mp_window *window,
                          mp_error *error);
/* Return the object graph, and the relations of the recording, which live as long as the request.
 * mp_request_relations returns NULL with an error if there is no such window. */
struct mp_graph_view *mp_request_graph(const mp_request *request);
struct mp_relation_source *mp_request_relations(const mp_request *request, mp_error *error);
/* Release what the request has opened. */
void mp_request_close(const mp_request *request);

/* Add the title line for people, a line about damage, and the tables that each report has for
 * programs: inputs, selection, session, totals. Totals of a heap are those of the window. */
void mp_section_head(mp_document *document, const mp_request *request);
/* If figures may miss a part of the recorded data, say where the first fault is, and how many there
 * are. With several files, of which one may be the base, name the file. */
void mp_say_faults(mp_document *document, const mp_request *request);
/* Add only the title line and the inputs. */
void mp_section_inputs(mp_document *document, const mp_request *request);
/* Add the tables that describe several recordings of one answer: inputs and selection. */
void mp_section_heads(mp_document *document, const mp_request *requests, size_t count);
/* Add the selection and its share of the whole, as part of the head; add nothing if everything is
 * selected. Report an empty selection, unless `fits` is true because something else matches. */
void mp_section_selection(mp_document *document, const mp_request *request, bool fits);
/* Add the sessions, or the totals of a heap in the window. With `shown`, people see the table
 * too. */
void mp_section_session(mp_document *document, const mp_request *request, bool shown);
void mp_section_heap_totals(mp_document *document, const mp_window *window, bool leaks, bool shown);
/* Say how much memory was alive at the peak, when that was, and what held most of it. Say nothing
 * if snapshots show the peak and it is the last of them. */
void mp_say_peak(mp_document *document, const mp_window *window);
/* Add the head, the session and the totals for programs only, and return the requested window; NULL
 * with an error. */
const mp_window *mp_section_heap(mp_document *document, const mp_request *request, bool leaks,
                                 mp_error *error);

/* Add a table of a heap. `rows` is the maximum number of rows, 0 = all. Return false with an
 * error. */
void mp_section_snapshots(mp_document *document, const mp_window *window, size_t rows);
bool mp_section_leaks(mp_document *document, const mp_request *request, const mp_window *window,
                      mp_error *error);
bool mp_section_top(mp_document *document, const mp_window *window, const mp_heap_arguments *asked,
                    mp_error *error);
/* Say the summary of leaks ("Leaks", "Worst leak", "Maybe a cache") and set the headline; for
 * several merged files, say "Leaks" and "Still running". */
void mp_answer_leaks(mp_document *document, const mp_request *request, const mp_window *window);
/* Return the reason why it is unknown if anything leaks; NULL if it is known. */
const char *mp_leaks_unknown_text(const mp_document *document, const mp_window *window,
                                  const mp_leaks *leaks);
void mp_sum_up_leaks(mp_document *merged);
/* Set the verdict for programs: if the recording leaks, and the worst leak. */
void mp_tell_verdict(mp_document *document, const mp_request *request, const mp_window *window);
/* Say "Growth": the live bytes at both ends of the window, and the group that changed most. */
void mp_say_change(mp_document *document, const mp_window *window, const mp_grouping *grouping);
/* Add the table of growth. With `trends`, each row has its course from snapshot to snapshot. */
bool mp_section_growth(mp_document *document, const mp_window *window,
                       const mp_heap_arguments *asked, bool trends, mp_error *error);
/* Return "still running: what is in use counts as left behind, 9 of 15 objects are deleted later";
 * NULL if leaks are certain, or nothing leaked. */
const char *mp_in_use_text(mp_document *document, const mp_window *window);
/* Say the same text, followed by `more` (mp_say_in_use), or return only its beginning, "still
 * running", or NULL (mp_in_use_words). */
void mp_say_in_use(mp_document *document, const mp_window *window, const char *more);
const char *mp_in_use_words(const mp_window *window);
/* Return a text for limits, "objects in use at snapshot 6 count as left behind" (mp_running_text).
 * NULL if leaks are certain, or the window is a whole log, whose limits are for all blocks that are
 * never deleted. mp_say_running adds the text to the summary. */
const char *mp_running_text(mp_document *document, const mp_window *window);
void mp_say_running(mp_document *document, const mp_window *window);
/* Warn if the window ends so late that leaks are no longer known. */
void mp_say_late(mp_document *document, const mp_window *window);
/* Reason for not judging a selection that matches nothing. */
#define MP_FITS_NOTHING "nothing matches the filters"
/* Return the reason for not judging limits, "breaks off: ...". request->torn must be set. */
const char *mp_torn_text(mp_document *document, const mp_request *request);
/* Warn if the order of the dumps is uncertain. */
void mp_say_dump_order(mp_document *document, const mp_model *model);
/* Check the window against the limits in mp_heap_arguments that the user gave. */
void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window);
/* Add the suppressions of the window and their effects, if there are any. */
void mp_section_suppressions(mp_document *document, const mp_window *window);
/* Say how much the suppressions of the window accept, if anything. */
void mp_say_suppressed(mp_document *document, const mp_window *window);
/* Add the anomalies of a log of heap events, if there are any: their counts, or one by one. `rows`
 * is the maximum number of rows, 0 = all. */
void mp_section_anomaly_counts(mp_document *document, const mp_model *model);
void mp_section_anomalies(mp_document *document, const mp_model *model, size_t rows);

/* Objects and their bytes at one moment. */
typedef struct mp_amount {
    int64_t objects, bytes;
} mp_amount;

/* Change of a group from one moment to another. Rows that have these columns have this struct as a
 * member. */
typedef struct mp_growth {
    int64_t from_bytes, to_bytes, delta_bytes;
    int64_t from_objects, to_objects, delta_objects;
    double delta_percent; /* NAN if the group was empty */
} mp_growth;
mp_growth mp_growth_of(mp_amount from, mp_amount to);
/* clang-format off */
#define MP_GROWTH_COLUMNS(row, member)                                                             \
    MP_COLUMN_OF(row, member.delta_bytes, "delta_bytes", "Change", MP_BYTES, MP_SIGNED),           \
    MP_COLUMN_OF(row, member.delta_percent, "delta_percent", "%", MP_PERCENT, MP_SIGNED),          \
    MP_COLUMN_OF(row, member.from_bytes, "from_bytes", "From", MP_BYTES, MP_MINOR),                       \
    MP_COLUMN_OF(row, member.to_bytes, "to_bytes", "To", MP_BYTES, 0),                             \
    MP_COLUMN_OF(row, member.delta_objects, "delta_objects", "Objects", MP_COUNT, MP_SIGNED),      \
    MP_COLUMN_OF(row, member.from_objects, "from_objects", "Were", MP_COUNT, MP_MINOR),                   \
    MP_COLUMN_OF(row, member.to_objects, "to_objects", "Are", MP_COUNT, MP_MINOR)
/* clang-format on */

enum { MP_ORDER_COLUMNS = 3 };

/* A value of `sort`. Rows are ordered by its first column, rows that are equal in it by the
 * next. */
typedef struct mp_order {
    const char *name;
    const char *columns[MP_ORDER_COLUMNS];
} mp_order;

/* Return the order named `sort`, or the first one if `sort` is NULL. If there is no such order,
 * return NULL with an error that names the `rows` ("leaks"). */
const mp_order *mp_order_find(const mp_order *orders, size_t count, const char *sort,
                              const char *rows, mp_error *error);
/* Return true if groups of the dimension have the columns of the order; otherwise return false with
 * an error. Scoped bytes are known only for dimensions that depend on the context. */
bool mp_order_suits(const mp_order *order, const mp_dimension *dimension, mp_error *error);
#define MP_ORDER_FIND(orders, sort, rows, error)                                                   \
    mp_order_find(orders, sizeof(orders) / sizeof *(orders), sort, rows, error)
/* Sort `count` structs of `size` bytes. Structs that are equal keep their order. */
void mp_order_rows(const mp_order *order, const mp_column *columns, size_t column_count, void *rows,
                   size_t count, size_t size);
#define MP_ORDER_ROWS(order, columns, rows, count)                                                 \
    mp_order_rows(order, columns, sizeof(columns) / sizeof *(columns), rows, count, sizeof *(rows))

/* The first `most` rows of many in an order. Rows that are equal in it keep the order in which they
 * are added. Zero-initialise with the first members set; release with free(rows). */
typedef struct mp_best {
    const mp_order *order; /* NULL: the order in which rows are added */
    const mp_column *columns;
    size_t column_count, size; /* size of a row in bytes */
    size_t most;               /* 0: all */
    void *rows;
    size_t count, capacity; /* rows that are kept so far */
    size_t added;
    const mp_column *by[MP_ORDER_COLUMNS + 1]; /* columns of the order; set when rows are sorted */
} mp_best;
#define MP_BEST(ORDER, COLUMNS, ROW, MOST)                                                         \
    ((mp_best){.order = (ORDER),                                                                   \
               .columns = (COLUMNS),                                                               \
               .column_count = sizeof(COLUMNS) / sizeof *(COLUMNS),                                \
               .size = sizeof(ROW),                                                                \
               .most = (MOST)})
/* Return the place of one more row, valid until the next call. */
void *mp_best_add(mp_best *best);
/* Sort the rows, and drop all but the first. */
void mp_best_end(mp_best *best);

/* Return a new table without the columns that recordings of this kind cannot have. */
mp_table *mp_kind_table(mp_document *document, const mp_model *model, const char *name,
                        const char *title, const mp_column *columns, size_t count);
#define MP_KIND_TABLE(document, model, name, title, columns)                                       \
    mp_kind_table(document, model, name, title, columns, sizeof(columns) / sizeof *(columns))

/* Return "name:line" of a frame (mp_frame_text), or the source of a node (mp_node_text). The texts
 * live as long as the document. */
const char *mp_frame_text(mp_document *document, const mp_model *model, mp_frame frame);
const char *mp_node_text(mp_document *document, const mp_model *model, uint32_t node);
/* Return a list with only this text, or an empty list if it is NULL. The text must live as long as
 * the document; the list does. */
mp_texts mp_one_text(mp_document *document, const char *text);

/* If the recording reports that the program damaged its memory, say how often, and where first. */
void mp_say_damage(mp_document *document, const mp_request *request);

/* Return "54 objects, 92.3 KiB". */
const char *mp_amount_text(mp_document *document, int64_t objects, int64_t bytes);
/* Return "App.Order: 1.5 KiB in 12 objects, 8.0 % of 18.7 KiB alive". */
const char *mp_biggest_text(mp_document *document, const char *label, mp_amount amount,
                            int64_t alive);
/* Return an amount as text: bytes as "1.5 KiB", or as "1536" if the document has exact numbers;
 * counts as "12,345"; MP_SECONDS, the cost of a profile in microseconds, as seconds, or in a
 * document of samples as their number. The texts live with the document. */
const char *mp_unit_text(mp_document *document, mp_unit unit, int64_t amount, bool with_sign);
/* Return the same with the unit of costs: "1.25 s", "12 samples". */
const char *mp_measured_text(mp_document *document, mp_unit unit, int64_t amount, bool with_sign);
static inline const char *mp_bytes_text(mp_document *document, int64_t bytes)
{
    return mp_unit_text(document, MP_BYTES, bytes, false);
}
static inline const char *mp_bytes_change(mp_document *document, int64_t bytes)
{
    return mp_unit_text(document, MP_BYTES, bytes, true);
}
static inline const char *mp_count_text(mp_document *document, int64_t count)
{
    return mp_unit_text(document, MP_COUNT, count, false);
}
/* Return "1 object", "12 objects". */
const char *mp_counted_text(mp_document *document, int64_t count, const char *noun);
/* Set the kind of costs in the document by the capabilities of a model. */
static inline void mp_document_costs(mp_document *document, unsigned holds)
{
    document->sampled = holds & MP_HOLDS_SAMPLES;
    document->uncalled = holds & MP_HOLDS_UNCALLED;
}

/* Return "session 2 of 3 (AS-2)"; NULL if there is only one session. */
const char *mp_session_text(mp_document *document, const mp_model *model, uint32_t session);
/* Return "snapshot 7 (_PreCleanUp)". It lives as long as the document. */
const char *mp_snapshot_text(mp_document *document, const mp_model *model,
                             const mp_snapshot *snapshot);
/* Return the text of an end of the window, as above; if there are several sessions, "_PreCleanUp of
 * each session". */
const char *mp_moment_text(mp_document *document, const mp_window *window, bool from);

/* Return true if the base was made with the same options as `now`, the digest of the request.
 * Otherwise return false with an error, for example if the base has another selection or window. */
bool mp_base_is_alike(const mp_request *request, const struct mp_digest *now, mp_error *error);
/* Return how many of `total` rows a limit leaves; `rows` 0 = no limit. */
static inline size_t mp_shown_of(size_t total, size_t rows)
{
    return rows && rows < total ? rows : total;
}
/* Set the number of rows that a limit removed. `total` is the number of all rows. */
void mp_table_left_out(mp_table *table, size_t total);
