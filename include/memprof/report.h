/* Reports: one const struct a question, one line in src/reports/reports.def.
 *
 * A report asks the model through the analyses and fills a document. It neither reads inputs nor
 * prints. */
#ifndef MEMPROF_REPORT_H
#define MEMPROF_REPORT_H

#include "memprof/diagnostics.h"
#include "memprof/document.h"
#include "memprof/model.h"

/* What may be asked of a report in particular. A report says which of these it honours; the command
 * line refuses the others. */
enum {
    MP_HONOURS_WINDOW = 1,       /* from, to */
    MP_HONOURS_BY = 2,           /* by */
    MP_HONOURS_LIMIT = 4,        /* limit */
    MP_HONOURS_SORT = 8,         /* sort */
    MP_HONOURS_STACK_DEPTH = 16, /* stack_depth */
    MP_HONOURS_TREE = 32,        /* depth, min_percent */
    MP_HONOURS_LIMITS = 64,      /* max_growth, max_leaked, max_live */
    MP_HONOURS_SOURCES = 128,    /* shows source text where there is any */
};

/* A limit that a gate holds a recording to. */
typedef struct mp_ceiling {
    bool set;
    bool is_percent;
    int64_t bytes;
    double percent;
    const char *text; /* as the user wrote it */
} mp_ceiling;

typedef struct mp_view {
    const char *from, *to; /* NULL: the report's own; see mp_window_resolve */
    const char *by, *sort; /* NULL: the report's own */
    int64_t limit;         /* rows; 0: all; -1: the report's own */
    int64_t stack_depth;   /* frames below the innermost; -1: the report's own */
    int64_t depth;         /* of a tree; 0: all; -1: the report's own */
    double min_percent;    /* of a tree; negative: the report's own */
    mp_ceiling max_growth, max_leaked, max_live;
    bool wants_sources; /* source text was asked for */
} mp_view;

typedef struct mp_request {
    const mp_model *model; /* sealed */
    const mp_diagnostics *diagnostics;
    mp_view view;
} mp_request;

typedef struct mp_report {
    const char *name;
    const char *summary;
    const char *example; /* arguments of a worked example, run by the tests */
    const char *details; /* more for --help; may be NULL */
    unsigned honours;
    bool overview; /* several tables of a few rows each, in every format */
    /* False with a message in `error` where the request does not fit the model (no such snapshot, a
     * question for a heap asked of an execution profile). */
    bool (*run)(const mp_request *request, mp_document *document, char *error, size_t error_size);
} mp_report;

/* All reports, in the order of the table; the first is the default. */
const mp_report *const *mp_reports(size_t *count);
const mp_report *mp_report_find(const char *name);

#endif
