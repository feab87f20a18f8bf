/* Reports: one const struct a question, one line in src/reports/reports.def.
 *
 * A report asks the model through the analyses and fills a document. It neither reads inputs nor
 * prints. */
#ifndef MP_REPORTS_REPORT_H
#define MP_REPORTS_REPORT_H

#include "base/error.h"
#include "document/document.h"
#include "memprof/diagnostics.h"
#include "model/model.h"
#include "query/filter.h"
#include "query/query.h"
#include "reports/arguments.h"

/* What may be asked of a report in particular: a bit for each option, or for options that come
 * together. A report says which of them it honours; others are refused. */
typedef enum mp_honours {
    MP_HONOURS_WINDOW = 1,            /* from, to */
    MP_HONOURS_BY = 1 << 1,           /* by */
    MP_HONOURS_LIMIT = 1 << 2,        /* limit */
    MP_HONOURS_SORT = 1 << 3,         /* sort */
    MP_HONOURS_STACK_DEPTH = 1 << 4,  /* stack_depth */
    MP_HONOURS_TREE = 1 << 5,         /* depth, min_percent */
    MP_HONOURS_LIMITS = 1 << 6,       /* max_growth, max_leaked, max_live */
    MP_HONOURS_SOURCES = 1 << 7,      /* shows source text where there is any */
    MP_HONOURS_AT = 1 << 8,           /* a moment between snapshots; the reader looks there */
    MP_HONOURS_SLICES = 1 << 9,       /* so many snapshots are made of an event log */
    MP_HONOURS_TEMPORARY = 1 << 10,   /* what counts as temporary */
    MP_HONOURS_SKIP = 1 << 11,        /* frames that do not name a site */
    MP_HONOURS_DOMAIN = 1 << 12,      /* one application domain of a dump */
    MP_HONOURS_ONLY = 1 << 13,        /* only: groups whose name matches */
    MP_HONOURS_OBJECT = 1 << 14,      /* object: the first operand */
    MP_HONOURS_OBJECT_TYPE = 1 << 15, /* type: in place of an object */
    MP_HONOURS_ROOT_KINDS = 1 << 16,  /* all_kinds */
    MP_HONOURS_SELECT = 1 << 17,      /* selection */
    MP_HONOURS_SUPPRESS = 1 << 18,    /* suppressions */
    MP_HONOURS_COMPARE = 1 << 19,     /* how names are read, min_change */
    MP_HONOURS_BASE = 1 << 20,        /* another recording that this one is held against */
    MP_HONOURS_MIN_SIZE = 1 << 21,    /* min_bytes */
    MP_HONOURS_MIN_COUNT = 1 << 22,   /* min_count */
} mp_honours;

typedef struct mp_view {
    const char *from, *to;   /* NULL: the report's own; see mp_window_resolve */
    const char *by, *sort;   /* NULL: the report's own */
    int64_t limit;           /* rows; 0: all; -1: the report's own */
    int64_t stack_depth;     /* frames below the innermost; -1: the report's own */
    int64_t depth;           /* of a tree; 0: all; -1: the report's own */
    double min_percent;      /* of a tree; negative: the report's own */
    const char *only;        /* a glob for names of groups; NULL: all */
    const char *object;      /* as in the file; NULL: none was named */
    const char *object_type; /* a glob for names of types, in place of an object; NULL: none */
    bool all_kinds;          /* of roots, each on its own */
    mp_ceiling max_growth, max_leaked, max_live;
    int64_t min_bytes, min_count;    /* of a row; 0: all */
    mp_ceiling min_change;           /* of a difference: a percentage, a size, or a time */
    bool ignore_lines;               /* of stacks and methods, where recordings are compared */
    mp_argument_texts substitutions; /* of names, there: see mp_digest_options */
} mp_view;
extern const mp_argument_table mp_view_arguments;

struct mp_digest;
struct mp_dictionary;
struct mp_policy;
struct mp_suppressions;

typedef struct mp_request {
    const mp_model *model; /* complete */
    const mp_diagnostics *diagnostics;
    mp_view view;
    const void *arguments;          /* the report's own struct, filled; NULL: it has none */
    mp_selection selection;         /* what of the model is looked at */
    const struct mp_report *report; /* who is asked; set by mp_report_run */
    const mp_model *whole;          /* what it is a selection of; set by mp_report_run */
    /* What of the model counts: of the selection and the snapshots that were named with files. Set
     * by mp_report_run. */
    const mp_filter *filter;
    /* What the model is held against, and in whose words; NULL where nothing is. */
    const struct mp_digest *base;
    struct mp_dictionary *dictionary;
    const struct mp_policy *policy;             /* of a gate */
    const struct mp_suppressions *suppressions; /* leaks that are accepted */
    const mp_given *given; /* all arguments that were given, the shared ones too */
    size_t given_count;
} mp_request;

/* How a report answers one kind of model. */
typedef struct mp_variant {
    unsigned needs;   /* MP_HOLDS_...: the model must hold all of them */
    unsigned honours; /* mp_honours */
    /* False with a message in `error` where the request does not fit the model (no such
     * snapshot). */
    bool (*run)(const mp_request *request, mp_document *document, mp_error *error);
} mp_variant;

enum { MP_VARIANTS = 5 };

/* What stands before the files. */
typedef enum mp_operand {
    MP_OPERAND_NONE,
    MP_OPERAND_OBJECT, /* the argument "object" */
    MP_OPERAND_BASE,   /* the one other recording, or the baseline, that one is held against */
    MP_OPERAND_POLICY,
} mp_operand;

/* The name of the argument that the operand is: "object". */
const char *mp_operand_argument(mp_operand operand);

typedef struct mp_report {
    const char *name;
    const char *summary;
    const char *example; /* arguments of a worked example, run by the tests */
    const char *details; /* more for --help; may be NULL */
    mp_operand operand;
    bool single;                 /* says nothing of several files that are read apart */
    bool overview;               /* several tables of a few rows each, in every format */
    bool tells_faults;           /* lists what the readers complained of: all of it is to be kept */
    mp_argument_table arguments; /* MP_ARGUMENTS; none: those of mp_view, by `honours` */
    int64_t program_rows;        /* that JSON and CSV have without --limit; 0: all */
    mp_variant variants[MP_VARIANTS]; /* the first that fits the model answers */
} mp_report;

/* All reports, in the order of the table; the first is the default. */
const mp_report *const *mp_reports(size_t *count);
const mp_report *mp_report_find(const char *name);

/* What baselines are for. */
extern const mp_report mp_report_gate;

/* What any variant of the report honours. */
unsigned mp_report_honours(const mp_report *report);

/* Whether a variant fits the request's model and takes what was asked for. False with a message. */
bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error);

/* How many rows a table with an order has where nobody asks for more or fewer. */
size_t mp_report_rows(const mp_report *report);

/* Answer by the variant that fits the model. False with a message in `error` where there is none,
 * where it does not honour an option that was given, or where it refuses. */
bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error);

/* What the request's model says by key: its selection, at the end of its window, in the words
 * of request->keys. Release with mp_digest_free. NULL with a message. */
struct mp_digest *mp_report_digest(const mp_request *request, mp_error *error);

#endif
