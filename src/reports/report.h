/* Reports: one const struct a question, one line in src/reports/reports.def.
 *
 * A report asks the model through the analyses and fills a document. It neither reads inputs nor
 * prints. */
#ifndef MP_REPORTS_REPORT_H
#define MP_REPORTS_REPORT_H

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
struct mp_policy;
struct mp_suppressions;

/* The text of a source, which lives in an arena. */
typedef struct mp_source_text {
    const char *path;
    mp_slice text; /* UTF-8 */
} mp_source_text;

typedef struct mp_request {
    const mp_model *model; /* complete */
    const mp_diagnostics *diagnostics;
    const void *arguments;          /* the report's own struct, filled; NULL: it has none */
    mp_selection selection;         /* part of the model that is looked at */
    const struct mp_report *report; /* who is asked; set by mp_report_run */
    /* Filter of the selected part of the model, and the filter without the selection; set by
     * mp_report_run. */
    const mp_filter *filter, *whole;
    /* Digest to compare the model with; its texts and frames are numbers of `dictionary`. NULL:
     * none. */
    const struct mp_digest *base;
    struct mp_dictionary *dictionary;
    const struct mp_policy *policy;             /* policy of a gate */
    const struct mp_suppressions *suppressions; /* leaks that are accepted */
    /* Read the first of these names that is a file below a folder of sources. False with a message;
     * NULL: no folder was named. */
    bool (*read_source)(const void *sources, const mp_slice *names, size_t count, mp_arena *arena,
                        mp_source_text *text, mp_error *error);
    const void *sources;
    bool strict;     /* a limit that hides a leak fails */
    bool allow_torn; /* incomplete input is judged by what is there */
    bool draws;      /* the answer is to have its figures, and a digest what they are drawn of */
    /* First truncation of an input, unless --allow-torn was given; limits are then not judged.
     * NULL: none. */
    const mp_diagnostic *torn;
    bool one_of_many; /* the answer will be merged with others: its rows stand as theirs do */
    /* For exports: the output file and its name. NULL otherwise. */
    FILE *file;
    const char *path;
    void *sink;            /* state of an export of many recordings */
    const mp_given *given; /* all arguments that were given, the shared ones too */
    size_t given_count;
} mp_request;

/* How a report answers one kind of model. */
typedef struct mp_variant {
    unsigned needs; /* MP_HOLDS_...: the model must hold all of them */
    /* False with a message in `error` where the request does not fit the model (no such
     * snapshot). */
    bool (*run)(const mp_request *request, mp_document *document, mp_error *error);
} mp_variant;

enum { MP_VARIANTS = 5 };

/* Facts that only some recordings of a kind have. */
enum {
    MP_TELLS_TREE = 1,     /* a profile's call tree */
    MP_TELLS_CALLS = 2,    /* which methods it called */
    MP_TELLS_LINES = 4,    /* lines of sources, and all of them */
    MP_TELLS_COVERAGE = 8, /* which lines could be executed */
    MP_TELLS_TRACE = 16,   /* when they were */
};

/* Operand before the files; code comes after the single file. */
typedef enum mp_operand {
    MP_OPERAND_NONE,
    MP_OPERAND_OBJECT, /* the argument "object" */
    MP_OPERAND_BASE,   /* the one other recording, or the baseline, that one is held against */
    MP_OPERAND_POLICY,
    MP_OPERAND_CODE,      /* the argument "code", which may be left out */
    MP_OPERAND_PROGRAM,   /* the argument "program" */
    MP_OPERAND_STATEMENT, /* the argument "statement" */
} mp_operand;

/* The name of the argument that the operand is: "object". */
const char *mp_operand_argument(mp_operand operand);

/* Words that an argument takes: "by", "sort". */
typedef struct mp_choice {
    const char *argument; /* NULL ends a list */
    unsigned variants;    /* a bit for each, by its place, that takes them */
    bool apart;           /* dimensions exclude those whose groups overlap */
    bool several;         /* or some of them, with commas between them */
    const char *where;    /* "by line": only so; NULL: always */
    const void *words;    /* structs that begin with their word, the usual one first; NULL: the
                             dimensions of heaps */
    size_t count, size;   /* number of words; size of such a struct */
} mp_choice;
#define MP_WORDS(table)                                                                            \
    .words = (table), .count = sizeof(table) / sizeof *(table), .size = sizeof *(table)

/* The same of `n` of them from `first` on. */
#define MP_WORDS_OF(table, first, n)                                                               \
    .words = (table) + (first), .count = (n), .size = sizeof *(table)

typedef struct mp_report {
    const char *name;
    const char *summary;
    const char *example; /* arguments of a worked example, run by the tests */
    const char *details; /* more for help, with `names` of arguments marked so; may be NULL */
    mp_operand operand;
    bool single;                 /* says nothing of several files that are read apart */
    bool many;                   /* is asked of many recordings, or baselines, one by one */
    bool unites;                 /* folders are read as one, unless the user says otherwise */
    bool separates;              /* each file that is named is a recording of its own */
    bool separates_dumps;        /* so is each dump of one application */
    bool overview;               /* several tables of a few rows each, in every format */
    bool wants_traces;           /* reads the rows of a profile's trace one by one */
    bool wants_request_peaks;    /* asks what each request had alive at once */
    bool wants_holders;          /* asks what grew from one heap dump to the next, and where */
    bool wants_ages;             /* asks how long the objects of a memory recording lived */
    bool wants_objects;          /* asks for the objects of a recording one by one */
    bool wants_threads;          /* tells which thread of a heap log created what */
    bool wants_checksums;        /* names recordings by the checksums of their files */
    bool tells_faults;           /* lists what the readers complained of: all of it is to be kept */
    mp_argument_table arguments; /* MP_ARGUMENTS */
    const mp_choice *choices;    /* NULL: none of them takes one of several words */
    int64_t program_rows;        /* that JSON and CSV have without a limit; 0: all */
    unsigned wants; /* MP_TELLS_...: without one of them it refuses, and nobody is sent to it */
    /* Says of the merged answers of several files what their tables come to; NULL: nothing. */
    void (*sum_up)(mp_document *merged);
    mp_variant variants[MP_VARIANTS]; /* the first that fits the model answers */
} mp_report;

/* All reports, in the order of the table; the first is the default. */
const mp_report *const *mp_reports(size_t *count);
const mp_report *mp_report_find(const char *name);

/* The kinds of recordings, a bit for each mp_kind, that these of the report's variants answer. */
unsigned mp_report_kinds(const mp_report *report, unsigned variants);
enum { MP_ALL_KINDS = 2 * (1 << MP_KIND_DATABASE) - 2 };
/* "heap logs and databases"; "memory" is all that tells what was created and deleted, or lists what
 * is alive with its stacks: recordings, logs and databases. `text` is where it is put. */
const char *mp_kinds_text(unsigned kinds, char *text, size_t size);

enum { MP_MOST_WORDS = 48 };
/* Add the words that a choice has for these kinds to `count` others, each once; gives how many
 * there are then, at most MP_MOST_WORDS. */
size_t mp_choice_words(const mp_choice *choice, unsigned kinds, const char **words, size_t count);
/* Return the kinds of recordings, of those, that have what a word of the choice names. */
unsigned mp_choice_kinds(const mp_choice *choice, const char *word, unsigned kinds);
/* Return what a word of "by" groups the objects of memory by; NULL: it is no such word. */
const char *mp_group_summary(const char *word);
/* Return the kinds of recordings, of those, that "type", "not-type" or another argument of this
 * name can select by, for a report; NULL: for any. */
unsigned mp_report_selects(const mp_report *report, const char *name, unsigned kinds);
/* The words that the argument takes of any of these variants, and the text of none of them is
 * wrong; 0: it takes any text. */
size_t mp_report_words(const mp_report *report, const char *argument, unsigned variants,
                       unsigned kinds, const char **words);
/* Return true if an argument accepts this text, as far as it takes words. False with a message;
 * `recording` ("a heap dump") names the kind that does not accept it, NULL: any. */
bool mp_report_takes(const mp_report *report, const mp_given *given, unsigned variants,
                     unsigned kinds, const char *recording, mp_error *error);

/* The report gate, which baselines are made for. */
extern const mp_report mp_report_gate;

/* Return true if a variant fits the request's model and accepts its arguments. False with a
 * message. */
bool mp_report_answers(const mp_report *report, const mp_request *request, mp_error *error);

/* How many rows a table with an order has where nobody asks for more or fewer. */
size_t mp_report_rows(const mp_report *report);

/* Answer by the variant that fits the model. False with a message in `error` where there is none,
 * where it does not honour an option that was given, or where it refuses. */
bool mp_report_run(const mp_report *report, const mp_request *request, mp_document *document,
                   mp_error *error);

/* The digest of the request's selection at the end of its window; its texts are in
 * request->dictionary. Release with mp_digest_free. NULL with a message. */
struct mp_digest *mp_report_digest(const mp_request *request, mp_error *error);

#endif
