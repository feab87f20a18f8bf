/* Reports: each is a const struct and a line in src/reports/reports.def.
 *
 * A report queries the model and fills a document. It neither reads inputs nor prints. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/slice.h"
#include "document/document.h"
#include "memprof/diagnostics.h"
#include "model/model.h"
#include "query/filter.h"
#include "query/query.h"
#include "reports/arguments.h"

struct mp_digest;
struct mp_dictionary;
struct mp_graph_view;
struct mp_policy;
struct mp_relation_source;
struct mp_suppressions;
struct mp_window;

/* Text of a source file, allocated in an arena. */
typedef struct mp_source_text {
    const char *path;
    mp_slice text; /* UTF-8 */
} mp_source_text;

/* Parts of the model as the answer sees them. They are made when it first asks for them, and
 * released by mp_report_run. */
typedef struct mp_opened {
    struct mp_window *window;
    struct mp_graph_view *graph;
    struct mp_relation_source *relations;
} mp_opened;

typedef struct mp_request {
    const mp_model *model;       /* completely read */
    mp_diagnostics *diagnostics; /* diagnostics of reading the model; the answer may add to them */
    const void *arguments;  /* struct of the report's arguments, filled in; NULL = it has none */
    mp_selection selection; /* selected part of the model */
    const struct mp_report *report; /* report that answers; set by mp_report_run */
    /* Filter for the selected part of the model, and filter for the whole model; set by
     * mp_report_run. */
    const mp_filter *filter, *whole;
    mp_opened *opened; /* see mp_request_window; set by mp_report_run */
    /* Digest to compare the model with; its texts and frames are ids in `dictionary`. NULL =
     * none. */
    const struct mp_digest *base;
    struct mp_dictionary *dictionary;
    const struct mp_policy *policy;             /* policy of a gate */
    const struct mp_suppressions *suppressions; /* accepted leaks */
    /* Read the first of these names that is a file below a folder of sources, into an arena. Return
     * false with an error. NULL = no folder was given. */
    bool (*read_source)(const void *sources, const mp_slice *names, size_t count, mp_arena *arena,
                        mp_source_text *text, mp_error *error);
    const void *sources;
    bool strict;     /* a limit fails if it hides a leak */
    bool allow_torn; /* judge a truncated input by the part that can be read */
    bool draws; /* add figures to the answer; add stacks, which the figures need, to a digest */
    /* First truncation of an input, unless --allow-torn was given. Limits are not judged if it is
     * set. NULL = none. */
    const mp_diagnostic *torn;
    /* Called from time to time by answers that may take long; if it returns false, they end with
     * MP_ERROR_CANCELLED. NULL = they are never cancelled. */
    bool (*goes_on)(void *opaque);
    void *opaque;
    bool one_of_many; /* the answer will be merged with others, so rows of different answers must be
                         comparable */
    /* For exports: the output file and its name; otherwise NULL. */
    FILE *file;
    const char *path;
    void *sink;            /* state of an export of many recordings */
    const mp_given *given; /* arguments given by the user, including the shared ones */
    size_t given_count;
} mp_request;

/* How a report answers one kind of model. */
typedef struct mp_variant {
    unsigned needs; /* MP_HOLDS_... that the model must have */
    unsigned lacks; /* MP_HOLDS_... that it must not have */
    /* Answer the request. Return false with an error if the request does not fit the model, for
     * example because it names a snapshot that does not exist. */
    bool (*run)(const mp_request *request, mp_document *document, mp_error *error);
} mp_variant;

enum { MP_VARIANTS = 5 };

/* Facts that only some recordings of a kind have. */
enum {
    MP_TELLS_TREE = 1,     /* call tree of a profile */
    MP_TELLS_CALLS = 2,    /* callees of methods */
    MP_TELLS_LINES = 4,    /* all lines of sources */
    MP_TELLS_COVERAGE = 8, /* executable lines */
    MP_TELLS_TRACE = 16,   /* start times of executions */
};

/* Operand that precedes the files. (An operand that is code follows the file instead.) */
typedef enum mp_operand {
    MP_OPERAND_NONE,
    MP_OPERAND_OBJECT, /* value of the argument "object" */
    MP_OPERAND_BASE,   /* value of the argument "base": the recording or baseline to compare with */
    MP_OPERAND_POLICY,
    MP_OPERAND_CODE,      /* value of the argument "code", which is optional */
    MP_OPERAND_PROGRAM,   /* value of the argument "program" */
    MP_OPERAND_STATEMENT, /* value of the argument "statement" */
} mp_operand;

/* Return the name of the operand's argument: "object". */
const char *mp_operand_argument(mp_operand operand);

/* Words that an argument accepts, such as the values of "by" or "sort". */
typedef struct mp_choice {
    const char *argument; /* NULL ends a list */
    unsigned variants;    /* bit i: applies to variant i */
    bool apart;           /* leave out dimensions whose groups overlap */
    bool several;         /* the argument may be several words, separated by commas */
    const char *where;    /* condition under which it applies, such as "by line"; NULL = always */
    /* array of structs that begin with the word; the default is first; NULL = the dimensions of
     * heaps */
    const void *words;
    size_t count, size; /* number of words; size of each struct in bytes */
} mp_choice;
#define MP_WORDS(table)                                                                            \
    .words = (table), .count = sizeof(table) / sizeof *(table), .size = sizeof *(table)

/* Initialise these members with `n` elements of a table, beginning with element `first`. */
#define MP_WORDS_OF(table, first, n)                                                               \
    .words = (table) + (first), .count = (n), .size = sizeof *(table)

typedef struct mp_report {
    const char *name;
    const char *summary;
    const char *example; /* arguments of a worked example, run by the tests */
    /* more text for help, with names of arguments in backquotes; NULL = none */
    const char *details;
    mp_operand operand;
    bool single;          /* cannot give a separate answer for each of several files */
    bool many;            /* accepts many recordings or baselines, and reads them one by one */
    bool unites;          /* reads a folder as one recording, unless the user chooses otherwise */
    bool separates;       /* each named file is a separate recording */
    bool separates_dumps; /* each dump of an application is a separate recording */
    bool overview;        /* shows several short tables, in every format */
    bool wants_traces;    /* needs the rows of a profile's trace one by one */
    bool wants_request_peaks; /* needs the peak of each request */
    bool wants_holders;       /* needs the growth of holders between heap dumps */
    bool wants_ages;          /* needs the ages of deleted objects */
    bool wants_objects;       /* needs the objects of a recording one by one */
    bool wants_threads;       /* needs the creating threads of a heap log */
    bool wants_checksums;     /* needs the checksums of files */
    bool tells_faults;        /* lists the problems that readers found, so all of them are
                               * kept */
    /* Load the libraries that the report calls (base/late.h), before the process is confined. NULL
     * = it calls none. */
    const char *(*loads)(void);
    mp_argument_table arguments; /* initialised by MP_ARGUMENTS */
    const mp_choice *choices;    /* NULL = no argument is restricted to words */
    int64_t program_rows;        /* default limit of rows in JSON and CSV; 0 = all */
    /* Facts (MP_TELLS_...) of which the report needs at least one. If a recording has none of them,
     * it refuses to answer, and other reports do not recommend it. */
    unsigned wants;
    /* Return true if the answer to these arguments may name recordings by their checksums. NULL =
     * only with `wants_checksums`. */
    bool (*names_recordings)(const void *arguments);
    /* Return true if the answer to these arguments may need `wants_objects`; NULL = it always
     * does. */
    bool (*lists_objects)(const void *arguments);
    /* Return a word of the language of the operand by its index, to complete what people type; NULL
     * after the last word. NULL = the operand is not in a language. */
    const char *(*word)(size_t place);
    /* Answer without a recording. Return false if the arguments need one. If the document is NULL,
     * only return if they do. NULL = all arguments need one. */
    bool (*without_input)(const void *arguments, mp_document *document);
    /* Answer about several recordings together. The requests are in the order of their files. On
     * error, set `wrong` to the index of the request that caused it. NULL = recordings are answered
     * separately. */
    bool (*together)(const mp_request *requests, size_t count, mp_document *document, size_t *wrong,
                     mp_error *error);
    /* Add a summary to the merged answers of several files; NULL = none. */
    void (*sum_up)(mp_document *merged);
    mp_variant variants[MP_VARIANTS]; /* variants; the first one that fits the model answers */
} mp_report;

/* Return all reports, in the order of the table; the first is the default. */
const mp_report *const *mp_reports(size_t *count);
const mp_report *mp_report_find(const char *name);

/* Return true if a variant of the report answers about data with these capabilities (MP_HOLDS_...).
 */
bool mp_report_suits(const mp_report *report, unsigned holds);
/* Return the kinds of recordings for which these variants of the report have an answer, as a bit
 * for each mp_kind. */
unsigned mp_report_kinds(const mp_report *report, unsigned variants);
enum { MP_ALL_KINDS = 2 * (1 << MP_KIND_DATABASE) - 2 };
/* Format the kinds into `text`: "heap logs and databases". Recordings, logs and databases together
 * are called "memory". Return `text`. */
const char *mp_kinds_text(unsigned kinds, char *text, size_t size);

enum { MP_MOST_WORDS = 48 };
/* Add the words of a choice for these kinds to the `count` words that are already there, without
 * duplicates. Return the new number of words, at most MP_MOST_WORDS. */
size_t mp_choice_words(const mp_choice *choice, unsigned kinds, const char **words, size_t count);
/* Return the kinds of recordings for which the word of the choice is valid, out of `kinds`. */
unsigned mp_choice_kinds(const mp_choice *choice, const char *word, unsigned kinds);
/* Return a description of the groups that a word of "by" forms from objects in memory; NULL if the
 * word is not a dimension. */
const char *mp_group_summary(const char *word);
/* Return the kinds of recordings for which a report can select by an argument such as "type" or
 * "not-type". If `report` is NULL, consider all reports. */
unsigned mp_report_selects(const mp_report *report, const char *name, unsigned kinds);
/* Collect the words that the argument accepts in any of these variants. Return their number; 0 =
 * any text is accepted. */
size_t mp_report_words(const mp_report *report, const char *argument, unsigned variants,
                       unsigned kinds, const char **words);
/* Return true if an argument accepts the given text: any text, unless the argument is restricted to
 * words. Otherwise return false with an error. `recording` ("a heap dump") names the kind that does
 * not accept it; NULL = no kind does. */
bool mp_report_takes(const mp_report *report, const mp_given *given, unsigned variants,
                     unsigned kinds, const char *recording, mp_error *error);

/* The report gate, for which baselines are made. */
extern const mp_report mp_report_gate;

/* Return true if a variant fits the request's model and accepts its arguments; otherwise return
 * false with an error. */
bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error);

/* Return the default number of rows of a sorted table. */
size_t mp_report_rows(const mp_report *report);

/* Answer with the variant that fits the model. Return false with an error if no variant fits, if
 * the variant does not use an option that was given, or if it refuses the request. */
bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error);

/* Answer about several recordings together; the report must have `together`. Return false with an
 * error. Then `wrong` is set as by mp_report.together, or to `count` if no request caused the
 * error. */
bool mp_report_run_together(const mp_report *report, const mp_request *requests, size_t count,
                            mp_document *document, size_t *wrong, mp_error *error);

/* Return the digest of the request's selection at the end of its window; its texts are in
 * request->dictionary. Release with mp_digest_free. Return NULL with an error. */
struct mp_digest *mp_report_digest(const mp_request *request, mp_error *error);
