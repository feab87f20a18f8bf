/* Sections: the tables that reports are put together from. */
#ifndef MP_REPORTS_SECTIONS_H
#define MP_REPORTS_SECTIONS_H

#include "base/error.h"
#include "query/query.h"
#include "reports/report.h"

enum { MP_DEFAULT_ROWS = 10, MP_REPORT_ROWS = 20 };
/* Arguments of reports on heaps; each report has rows for those it accepts (see arguments.h). */
typedef struct mp_heap_arguments {
    const char *from, *to;        /* NULL: the report's own; see mp_window_of */
    const char *by, *sort;        /* NULL: the report's own */
    const char *only;             /* a glob for names of groups; NULL: all */
    int64_t limit;                /* rows of a table; 0: all */
    int64_t stack_depth;          /* frames that people see below the innermost */
    int64_t depth;                /* depth of a tree; 0: any */
    double min_percent;           /* minimum share in a tree */
    int64_t min_bytes, min_count; /* minimum of a row; 0: any */
    bool all_tables;              /* people get every table, not only the first */
    mp_ceiling max_growth, max_trend, max_platform_growth, max_leaked, max_live;
} mp_heap_arguments;

/* The variants of most reports on heaps: logs of heap events, stacks of native code, other births
 * and deaths (MP_HEAP_VARIANTS), then dumps, then profiles. */
enum {
    MP_EVENTS = 1,
    MP_NATIVE = 2,
    MP_HISTORY = 4,
    MP_DUMP = 8,
    MP_PROFILE = 16,
    MP_HEAPS = MP_EVENTS | MP_NATIVE | MP_HISTORY,
};

/* Rows of these arguments, and of those that reports share; `variants`: those that honour them. */
/* clang-format off */
#define MP_ASKS(name, member, variants)                                                            \
    {name, offsetof(mp_heap_arguments, member), variants}
#define MP_SHARES(name, variants) {name, MP_SHARED_ARGUMENT, variants}
#define MP_ASKS_WINDOW(variants) MP_ASKS("from", from, variants), MP_ASKS("to", to, variants)
#define MP_ASKS_MINIMA(variants)                                                                         \
    MP_ASKS("min-size", min_bytes, variants), MP_ASKS("min-count", min_count, variants)
#define MP_ASKS_LIMITS(variants)                                                                         \
    MP_ASKS("max-growth", max_growth, variants),                                                 \
    MP_ASKS("max-trend", max_trend, variants),                                                   \
    MP_ASKS("max-platform-growth", max_platform_growth, MP_HISTORY),                       \
    MP_ASKS("max-leaked", max_leaked, variants), \
    MP_ASKS("max-live", max_live, variants)
/* How recordings are read. */
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

/* Return the requested dimension, or the model's default. */
static inline const mp_dimension *mp_asked_dimension(const mp_heap_arguments *asked,
                                                     const mp_model *model)
{
    return asked->by ? mp_dimension_find(asked->by) : mp_dimension_usual(model);
}

/* Return the text shown instead of rows: `nothing`, unless the size filters may have removed all
 * rows. */
static inline const char *mp_empty_text(const mp_heap_arguments *asked, const char *nothing)
{
    return asked->min_bytes > 0 || asked->min_count > 0 ? "none passes the size filters" : nothing;
}

/* An argument of the request's report, of whichever kind it is; as a text, as a number. NULL or 0
 * where the report has none of this name. */
const void *mp_request_argument(const mp_request *request, const char *name);
const char *mp_text_argument(const mp_request *request, const char *name);
int64_t mp_number_argument(const mp_request *request, const char *name);
/* How many frames of a stack programs get. */
size_t mp_request_frames(const mp_request *request);
/* The window that is asked for, with the leaks suppressed that are accepted. False with a message.
 */
bool mp_request_window(const mp_request *request, mp_window *window, mp_error *error);

/* The document's first line for people, and the tables that every report has for programs: inputs,
 * what is selected, session, totals. A heap's totals are those of the window. `shown`: people see
 * them too. */
void mp_section_head(mp_document *document, const mp_request *request);
/* Add the selection and its share of the whole, as part of the head; nothing if everything is
 * selected. An empty selection is reported unless `fits` is true because something else matches. */
void mp_section_selection(mp_document *document, const mp_request *request, bool fits);
void mp_section_session(mp_document *document, const mp_request *request, bool shown);
void mp_section_heap_totals(mp_document *document, const mp_window *window, bool leaks, bool shown);
/* All of these for programs alone, and the window, which is to be freed. False with a message. */
bool mp_section_heap(mp_document *document, const mp_request *request, bool leaks,
                     mp_window *window, mp_error *error);

/* A heap's tables. `rows`: at most so many; 0: all. False with a message. */
void mp_section_snapshots(mp_document *document, const mp_window *window, size_t rows);
bool mp_section_leaks(mp_document *document, const mp_request *request, const mp_window *window,
                      mp_error *error);
bool mp_section_top(mp_document *document, const mp_window *window, const mp_heap_arguments *asked,
                    mp_error *error);
/* "Leaks", "Worst leak", "Maybe a cache": the answer in words, and its headline; of several merged
 * files, "Leaks", "Still running". */
void mp_answer_leaks(mp_document *document, const mp_window *window);
void mp_sum_up_leaks(mp_document *merged);
/* The verdict for programs: what leaks, and the worst of it. */
void mp_tell_verdict(mp_document *document, const mp_window *window);
/* "Growth": what is alive at the end of the window and was at its start; most by which group. */
void mp_say_change(mp_document *document, const mp_window *window, const mp_grouping *grouping);
/* `trends`: with how each row grew from snapshot to snapshot. */
bool mp_section_growth(mp_document *document, const mp_window *window,
                       const mp_heap_arguments *asked, bool trends, mp_error *error);
/* "still running: what is in use counts as leaked, 9 of 15 objects are deleted later"; NULL where
 * that is not so, or nothing leaks. For whatever tells leaks. */
const char *mp_in_use_text(mp_document *document, const mp_window *window);
/* The same as an answer, and behind it `more`; the beginning alone. */
void mp_say_in_use(mp_document *document, const mp_window *window, const char *more);
const char *mp_in_use_words(const mp_window *window);
/* "what was in use at snapshot 6 counts as leaked", for limits; NULL also of a whole log, where
 * what is never deleted is what they are about. And as an answer. */
const char *mp_running_text(mp_document *document, const mp_window *window);
void mp_say_running(mp_document *document, const mp_window *window);
/* That the window ends where nothing tells any more what leaked; nothing of others. */
void mp_say_late(mp_document *document, const mp_window *window);
/* Why nothing is judged that a selection left nothing of. */
#define MP_FITS_NOTHING "nothing matches the filters"
/* "breaks off: ...", why no limit judges the recording; only where request->torn. */
const char *mp_torn_text(mp_document *document, const mp_request *request);
/* Say as an answer that the order of the dumps is in doubt, where it is. */
void mp_say_dump_order(mp_document *document, const mp_model *model);
/* Hold the window against the limits that the user set among the mp_heap_arguments. */
void mp_section_limits(mp_document *document, const mp_request *request, const mp_window *window);
/* The suppressions that the window was made with, and what each did; nothing without any. */
void mp_section_suppressions(mp_document *document, const mp_window *window);
/* Anomalies of a log of heap events, counted or one by one (nothing where there are none); `rows`:
 * at most so many, 0: all. */
void mp_section_anomaly_counts(mp_document *document, const mp_model *model);
void mp_section_anomalies(mp_document *document, const mp_model *model, size_t rows);

/* So many objects of so many bytes, at one moment. */
typedef struct mp_amount {
    int64_t objects, bytes;
} mp_amount;

/* The change of a group from one moment to another: a member of rows that have these columns. */
typedef struct mp_growth {
    int64_t from_bytes, to_bytes, delta_bytes;
    int64_t from_objects, to_objects, delta_objects;
    double delta_percent; /* not known of what was not there */
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

/* A value of `sort`: rows are ordered by the first column, equal rows by the next. */
typedef struct mp_order {
    const char *name;
    const char *columns[3];
} mp_order;

/* The order that `sort` names, the first of them where it is NULL. NULL with a message: `rows`
 * ("leaks") are not sorted so. */
const mp_order *mp_order_find(const mp_order *orders, size_t count, const char *sort,
                              const char *rows, mp_error *error);
/* Return true if groups of the dimension have the order's columns: scoped bytes are known for
 * contexts only. False with a message. */
bool mp_order_suits(const mp_order *order, const mp_dimension *dimension, mp_error *error);
#define MP_ORDER_FIND(orders, sort, rows, error)                                                   \
    mp_order_find(orders, sizeof(orders) / sizeof *(orders), sort, rows, error)
/* Put `count` structs of `size` bytes in that order; equal ones stay as they stand. */
void mp_order_rows(const mp_order *order, const mp_column *columns, size_t column_count, void *rows,
                   size_t count, size_t size);
#define MP_ORDER_ROWS(order, columns, rows, count)                                                 \
    mp_order_rows(order, columns, sizeof(columns) / sizeof *(columns), rows, count, sizeof *(rows))

/* A table of rows without the columns of other kinds than the model's. */
mp_table *mp_kind_table(mp_document *document, const mp_model *model, const char *name,
                        const char *title, const mp_column *columns, size_t count);
#define MP_KIND_TABLE(document, model, name, title, columns)                                       \
    mp_kind_table(document, model, name, title, columns, sizeof(columns) / sizeof *(columns))

/* "name:line" of a frame; the source of a node. Live with the document. */
const char *mp_frame_text(mp_document *document, const mp_model *model, mp_frame frame);
const char *mp_node_text(mp_document *document, const mp_model *model, uint32_t node);
/* A text alone, of NULL none; lives with the document. */
mp_texts mp_one_text(mp_document *document, const char *text);

/* Say that the program damaged its memory, how often and where first, if the recording tells so. */
void mp_say_damage(mp_document *document, const mp_request *request);

/* "54 objects, 92.3 KiB" */
const char *mp_amount_text(mp_document *document, int64_t objects, int64_t bytes);
/* "App.Order: 1.5 KiB in 12 objects, 8.0 % of 18.7 KiB alive" */
const char *mp_biggest_text(mp_document *document, const char *label, mp_amount amount,
                            int64_t alive);
/* "1.5 KiB", or "1536" where the document is to be exact; "12,345"; microseconds as seconds. Live
 * with the document. */
const char *mp_bytes_text(mp_document *document, int64_t bytes, bool with_sign);
const char *mp_count_text(mp_document *document, int64_t count, bool with_sign);
const char *mp_seconds_text(mp_document *document, int64_t us, bool with_sign);

/* "session 2 of 3 (AS-2)"; NULL of the only one. */
const char *mp_session_text(mp_document *document, const mp_model *model, uint32_t session);
/* "snapshot 7 (_PreCleanUp)" */
const char *mp_snapshot_text(mp_document *document, const mp_model *model,
                             const mp_snapshot *snapshot);
/* The same of an end of the window; of several sessions, "_PreCleanUp of each session". */
const char *mp_moment_text(mp_document *document, const mp_window *window, bool from);

/* Return true if the base has the same facts as `now`, the digest of the request: a baseline of
 * another selection or window does not. False with a message. */
bool mp_base_is_alike(const mp_request *request, const struct mp_digest *now, mp_error *error);
/* How many of so many rows a limit leaves; 0: there is none. */
static inline size_t mp_shown_of(size_t total, size_t rows)
{
    return rows && rows < total ? rows : total;
}
/* Set the number of rows that a limit cut, from the number of all rows. */
void mp_table_left_out(mp_table *table, size_t total);

#endif
