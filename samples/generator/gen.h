/* Code shared by all formats of the generator: options, output, known answers.
 *
 * The generator tests memprof, so it shares no code with it. Any failure (a file that cannot be
 * written, no memory) ends the program with a message. Therefore no function in this file reports
 * failure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { GEN_USAGE_STATUS = 2, GEN_OUTPUT_STATUS = 3 };

/* Options of the command line. Each command uses some of them. */
typedef struct gen_options {
    int64_t version, objects, snapshots, session, first_sequence, last_sequence;
    int64_t events, frames, threads, seed;
    int64_t references, shape, dump, domains, layout, day;
    bool reusable, requests, fixed, extra_leak, no_exit, old_modules, decimal_comma;
    bool traced, blanks, no_title, analysis, damaged, no_stamps, torn, types_last;
    bool crlf, latin1;
    const char *uuid, *answer, *output;
} gen_options;

/* --- memory (output.c) --- */

/* Return zeroed memory. */
void *gen_alloc(size_t count, size_t size);

/* Return the array with room for at least one more than `count` elements. `room`: its capacity,
 * which is updated. */
void *gen_grow(void *items, size_t count, size_t *room, size_t size);

/* Return a text, formatted like printf, that lives as long as the program. */
const char *gen_keep(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- output (output.c): numbers are formatted by hand for speed, because a recording has millions
 * of them --- */

typedef struct gen_writer {
    FILE *file;
    const char *path; /* NULL = standard output */
    char *buffer;
    size_t used;
    bool crlf;   /* lines end with CRLF */
    bool latin1; /* convert text from UTF-8 to ISO 8859-1 */
    bool muted;  /* discard output */
} gen_writer;

void gen_open(gen_writer *writer, const char *path);
void gen_close(gen_writer *writer);

/* Stop the output, or resume it. */
void gen_mute(gen_writer *writer, bool muted);

/* If the buffer has no room for a whole row, flush it. Return the position in it. */
size_t gen_room(gen_writer *writer);

void gen_char(gen_writer *writer, char letter);
/* Write bytes unchanged. */
void gen_bytes(gen_writer *writer, const char *bytes, size_t size);
/* Write text. A newline character ends a line, with CRLF if the file has CRLF line ends. */
void gen_text(gen_writer *writer, const char *text);
/* Write formatted text. This is slow, so do not use it for rows. */
void gen_print(gen_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_number(gen_writer *writer, int64_t number);
/* Write a number without a prefix, in lower case. */
void gen_hex(gen_writer *writer, uint64_t number);
/* Write a line of numbers separated by blanks. */
void gen_numbers(gen_writer *writer, const int64_t *numbers, size_t count);
/* Write text in quotes, followed by `behind`. Quotes in the text are doubled, as ABL's IMPORT
 * expects. */
void gen_quoted(gen_writer *writer, const char *text, const char *behind);
void gen_end_line(gen_writer *writer);

/* --- JSON (output.c): adds commas and indentation --- */

typedef struct gen_json {
    gen_writer *writer;
    int depth;
    char closers[16];
    bool comma; /* this level already has a member or element */
    bool flat;  /* write everything on one line */
} gen_json;

typedef struct gen_sum {
    int64_t objects, bytes;
} gen_sum;

/* Open an object or array; `bracket` is { or [. `key` is NULL for an element of an array. */
void gen_json_open(gen_json *json, const char *key, char bracket);
/* Open an object on one line, as an element of an array. */
void gen_json_row(gen_json *json);
void gen_json_close(gen_json *json);
void gen_json_number(gen_json *json, const char *key, int64_t number);
/* Write PREFIX_objects and PREFIX_bytes, or objects and bytes if `prefix` is NULL. */
void gen_json_sum(gen_json *json, const char *prefix, gen_sum sum);
/* Write a text; NULL becomes null. */
void gen_json_text(gen_json *json, const char *key, const char *text);
/* Write a quotient with `decimals` decimals, rounded half up. */
void gen_json_ratio(gen_json *json, const char *key, int64_t dividend, int64_t divisor,
                    int decimals);

/* --- known answers (answer.c) --- */

void gen_add(gen_sum *sum, int64_t objects, int64_t bytes);
gen_sum gen_minus(gen_sum sum, gen_sum part);
/* If objects or bytes of `now` are larger, raise the value to that. The two are raised
 * separately. */
void gen_raise(gen_sum *peak, gen_sum now);

/* Open the totals that all memory recordings have, or the row of a snapshot. The caller may add
 * members, and closes the object. A tag of NULL is omitted, and a time below 0 is omitted. */
void gen_answer_totals(gen_json *json, gen_sum live, gen_sum created, int64_t deleted,
                       gen_sum peak);
void gen_answer_snapshot(gen_json *json, int sequence, const char *tag, int64_t time,
                         int64_t created, int64_t deleted, gen_sum live);

/* Row of an answer about a type or an allocation site. */
typedef struct gen_row {
    const char *key;
    const char *name;     /* NULL = none */
    const char *inferred; /* inferred type; NULL = unknown or not needed */
    int64_t inferred_deletions;
    gen_sum live, before;
    int64_t created, deleted; /* `created` is 0 if it is unknown */
    /* Number of snapshots at which live objects were born, and number of snapshots at which any
     * objects were born. */
    int64_t births, moments;
    int64_t retained;
    const char *const *stack; /* innermost frame first */
    int depth;
    int line; /* 0 = unknown */
} gen_row;

/* Return the row with this key. If there is none, add it. */
gen_row *gen_row_of(gen_row *rows, size_t *count, const char *key);
/* Write answers. These functions sort the rows, and omit rows whose figures are all 0. */
void gen_answer_leaks(gen_json *json, gen_row *rows, size_t count);
void gen_answer_top(gen_json *json, gen_row *rows, size_t count, bool ranked, bool retained);
void gen_answer_growth(gen_json *json, gen_row *rows, size_t count);

/* --- object graphs (answer.c) --- */

enum { GEN_MOST_DOMINATED = 2000 };

typedef struct gen_object {
    int64_t size;
    uint64_t id;
    const char *type;
    bool strong_root;
    /* bits for the kinds of roots that keep the object alive, and for the kinds of its weak roots
     */
    unsigned root_kinds, weak_root_kinds;
} gen_object;

/* Objects by number, with functions that describe an object. */
typedef struct gen_graph_view {
    const void *plan;
    int64_t count;
    gen_object (*object)(const void *plan, int64_t number);
    int64_t (*reference_count)(const void *plan, int64_t object);
    /* Below 0 = no object. */
    int64_t (*reference)(const void *plan, int64_t object, int64_t number);
    const char *(*root_kind)(int kind);
    bool decimal_ids; /* answers print ids in decimal, not in hexadecimal */
} gen_graph_view;

/* Retained sizes, computed by brute force: an object retains the objects that cannot be reached
 * without it. */
typedef struct gen_graph {
    unsigned char *reached;
    int64_t *retained; /* NULL if there are more than GEN_MOST_DOMINATED objects; the same is true
                          of `dominators` */
    int *dominators;   /* -1 = the virtual root */
} gen_graph;

void gen_graph_build(gen_graph *graph, const gen_graph_view *view);
/* Return the number of bytes that would be released if all objects of a type were removed. */
int64_t gen_graph_held(const gen_graph *graph, const gen_graph_view *view, const char *type);
void gen_graph_free(gen_graph *graph);
void gen_answer_retained(gen_json *json, const gen_graph *graph, const gen_graph_view *view);
/* Write the whole answer about a small graph. No object in it may have two roots of the same kind.
 * `references`: number of all references in the file. `types`: number of types that the file
 * declares; 0 = the types of its objects. */
void gen_answer_graph(gen_json *json, const gen_graph_view *view, int64_t references,
                      int64_t types);

/* --- commands --- */

/* Function that makes a plan from the options. It writes the recording or its known answer from
 * this plan only. */
typedef void gen_recorder(const gen_options *options, gen_writer *writer);
typedef void gen_answerer(const gen_options *options, gen_json *json);

gen_recorder gen_oemp, gen_prf, gen_rpt, gen_dbg, gen_taligent, gen_rpm, gen_aqtime, gen_dynobjects,
    gen_heaptrack, gen_massif, gen_dhat, gen_memcheck, gen_lsan, gen_pprof, gen_gperftools,
    gen_ablobjects, gen_heapsnapshot, gen_hprof, gen_folded, gen_heapprofile, gen_cpuprofile;
gen_answerer gen_oemp_answer, gen_prf_answer, gen_taligent_answer, gen_rpm_answer,
    gen_aqtime_answer, gen_dynobjects_answer, gen_heaptrack_answer, gen_massif_answer,
    gen_dhat_answer, gen_memcheck_answer, gen_lsan_answer, gen_pprof_answer, gen_gperftools_answer,
    gen_ablobjects_answer, gen_heapsnapshot_answer, gen_hprof_answer, gen_folded_answer,
    gen_heapprofile_answer, gen_cpuprofile_answer;
