/* Documents: what a report says, as tables of typed cells, before anybody decides how it looks.
 *
 * A report fills a document; a renderer prints it. Column names are the names that programs rely on
 * in JSON and CSV; titles are for people. Texts of cells and lines are copied into the document;
 * names, titles, footers and what a check says are borrowed and must live as long as it does
 * (mp_document_text makes such a text). */
#ifndef MP_DOCUMENT_DOCUMENT_H
#define MP_DOCUMENT_DOCUMENT_H

#include "base/column.h"
#include "base/index.h"
#include "base/memory.h"
#include "memprof/document.h"

/* A column "rank" numbers the rows of its table.
 *
 * A cell without a value is left out in JSON and empty elsewhere: it is not known, not 0. Where a
 * column has MP_NULL it is known that there is none. */
typedef struct mp_cell {
    union {                /* by the column's unit */
        int64_t number;    /* all units but text, percent and rates; a flag is 0 or 1 */
        double real;       /* percent, average, byte rate */
        const char *text;  /* text; of an empty list, what people read in its place, or NULL */
        const char **list; /* `count` texts, if there are any */
    };
    uint32_t count; /* number of texts that are here, if it is a list; otherwise 0 */
    bool known : 1;
    uint32_t whole : 31; /* number of all texts, if a list was cut; 0: they are here */
} mp_cell;

/* How many texts the list has, of which some may not be here. */
static inline int64_t mp_list_length(const mp_cell *cell)
{
    return cell->whole ? cell->whole : cell->count;
}

/* Return true if the cell has texts in `list`. */
static inline bool mp_cell_is_list(const mp_column *column, const mp_cell *cell)
{
    return column->unit == MP_LIST && cell->count;
}

/* Return true if the cell has a text, or NULL, in `text`. */
static inline bool mp_cell_is_text(const mp_column *column, const mp_cell *cell)
{
    return column->unit == MP_TEXT || (column->unit == MP_LIST && !cell->count);
}

typedef enum mp_shape {
    MP_ROWS,   /* an array of rows */
    MP_RECORD, /* one row: an object */
} mp_shape;

/* Rows left out of a table, and why. */
typedef enum mp_rest_kind {
    MP_REST_MORE,       /* behind those that are here, of an order: a limit cut them */
    MP_REST_BEFORE,     /* before those that are here: a limit cut them */
    MP_REST_UNCHANGED,  /* groups that did not change; without a limit they are shown */
    MP_REST_UNKEPT,     /* more, of which only the number is known */
    MP_REST_SAME_KINDS, /* more of the kinds that are here, of which only the number is known */
    MP_REST_SMALLER,    /* changes that are smaller than what was asked for */
    MP_REST_IN_JSON,    /* entries of a list to which no limit of the request applies */
} mp_rest_kind;

typedef struct mp_rest {
    size_t count; /* 0: none is left out */
    mp_rest_kind kind;
} mp_rest;

/* A line for people above or below the rows: a text, then what is left out. */
typedef struct mp_line {
    const char *text; /* NULL: none */
    mp_rest rest;     /* the renderer words it */
    /* Name of the request's argument that changes this ("min-percent"); or NULL. */
    const char *argument;
} mp_line;

/* Type of the structs behind a table's rows. Code that writes one kind of answer for another
 * tool reads the structs, not the cells. They are declared in reports/answers.h. */
typedef enum mp_answer {
    MP_ANSWER_NONE,
    MP_ANSWER_HOT_LINES,  /* mp_hot_line, about an mp_hot_profile */
    MP_ANSWER_LEAK_SITES, /* mp_leak_site */
    MP_ANSWER_COVERAGE,   /* about an mp_coverage_answer */
} mp_answer;

typedef struct mp_struct_row {
    const char *file; /* that it is from, of several; NULL: there is one */
    const void *row;  /* lives as long as the document that it was put into */
} mp_struct_row;

struct mp_table {
    const char *name;  /* in JSON */
    const char *title; /* for people; NULL: none */
    /* When the answers of several files are merged: the name of the table that their records become
     * ("sessions"), and the title if the files' titles differ. NULL: `name`, and a title made from
     * it. Names are static. */
    const char *name_of_many, *title_of_many;
    mp_shape shape;
    unsigned flags;    /* MP_FOR_PEOPLE, MP_FOR_PROGRAMS, MP_COMMON, MP_OF_CHECKS */
    bool main;         /* the one that CSV prints */
    bool limited;      /* its report has as many rows as were asked for */
    size_t list_depth; /* how much of a list people see under its row; 0: only its first text */
    const mp_column *columns; /* static */
    size_t column_count;
    mp_cell *cells; /* row after row */
    size_t row_count, cell_capacity;
    size_t cut; /* rows that were here and are shown in no answer about this and others */
    /* The column by which rows stand, also among those of other files: texts ascending, changes
     * (MP_SIGNED) and other numbers descending. NULL: by something else. Static. */
    const char *order;
    size_t ahead; /* so many rows come before the others, also among those of other files */
    const char *ahead_order; /* the column by which those stand, if it is not `order` */
    const char *empty;       /* text for people if there are no rows; NULL: none */
    const char *command;     /* name of the command that shows it in full; NULL: none. Static. */
    mp_line *lines;          /* above the rows */
    size_t line_count, line_capacity;
    mp_line footer; /* below the rows */
    mp_answer answer;
    mp_struct_row *structs; /* structs of an answer, by row */
    size_t struct_count, struct_capacity;
    const void *about; /* struct with what all rows of an answer share; or NULL */
};

/* One-line summary of a file's answer. For several files, only the one with the largest first
 * key is printed; the second and third key decide between equal ones. */
typedef struct mp_headline {
    mp_tone tone;
    const char *label; /* static; NULL: it has none */
    const char *text;
    int64_t keys[3];
} mp_headline;

/* A heap's verdict for programs: the object "verdict" in JSON. */
typedef struct mp_told_verdict {
    const char *leaks;  /* "yes", "no", "unknown"; static; NULL: nothing was judged */
    const char *reason; /* texts of the document */
    const char *kind;   /* kind of the worst leak; static; NULL: nothing leaks */
    const char *type, *name, *site, *file;
    int64_t bytes, objects, leaking_bytes, confidence;
    size_t leaking; /* number of files in which something leaks, if there are several */
} mp_told_verdict;

/* The label of what checks say, too: not said again where those are summed up. */
#define MP_SAID_VERDICT "Verdict"

struct mp_document {
    const char *command;
    const char *title; /* for people: the first line */
    mp_said *said;     /* the answer in words, the most important first */
    size_t said_count, said_capacity;
    mp_headline headline;
    mp_told_verdict verdict;
    size_t running; /* files in which a process still runs, and what it uses is told as leaked */
    mp_table *tables;
    size_t table_count, table_capacity;
    mp_check *checks; /* in the order of the policy, or of the arguments */
    size_t check_count, check_capacity;
    const char *policy;  /* path of the policy whose rules they are; NULL: they are limits */
    bool exact_bytes;    /* sizes for people as bytes, not KiB, MiB, GiB */
    bool failed;         /* a limit was exceeded, or a violation found */
    bool unjudged;       /* something that was asked could not be answered: a rule of a policy */
    bool fits_nothing;   /* nothing of what was read fits the names and patterns that select */
    size_t files;        /* that were merged; 0: it is about what was read together */
    size_t frames;       /* the most of a stack that it lists; 0: all */
    bool pictured;       /* a figure is the answer; its tables say the same as rows */
    bool draws;          /* figures are wanted: a report that has some adds them */
    size_t first_tables; /* number of tables that text shows; it names the others. 0: all */
    const char *next;    /* name of the command to run next; NULL: none. Static. */
    struct mp_figure *figures; /* see figure.h */
    size_t figure_count, figure_capacity;
    mp_id_index kept_index; /* see mp_document_kept */
    const char **kept;
    size_t kept_capacity;
    struct mp_arena *arena;
};

/* A document without tables; `command` is what JSON calls it. */
mp_document *mp_document_new(const char *command);

/* Texts and columns that many documents share; zero-initialise to start. */
typedef struct mp_shared_parts {
    mp_arena arena;
    mp_hash_index index; /* index of `bytes` */
    struct mp_shared_bytes *bytes;
    size_t capacity;
    struct mp_shared_columns_set *last;
} mp_shared_parts;
void mp_shared_parts_free(mp_shared_parts *shared);

/* Move it into as little memory as it needs, without the structs of its rows and any figures but
 * stacks, of which it keeps what can be seen beside those of others. Texts, columns and stacks
 * that are its own become those of `shared`, which must outlive it. */
void mp_document_pack(mp_document *document, mp_shared_parts *shared);

/* A new table; valid until the next one is added. */
mp_table *mp_document_table(mp_document *document, const char *name, const char *title,
                            mp_shape shape, const mp_column *columns, size_t column_count);
#define MP_TABLE(document, name, title, shape, columns)                                            \
    mp_document_table(document, name, title, shape, columns, sizeof(columns) / sizeof *(columns))

/* The place of the column of this name; `count`: there is none. */
size_t mp_column_find(const mp_column *columns, size_t count, const char *name);

/* Say a line of the answer, as by printf. The label is static; without tables, this is all that a
 * person in a hurry reads. */
void mp_document_say(mp_document *document, mp_tone tone, const char *label, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* A text that lives as long as the document, as by printf. */
const char *mp_document_text(mp_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The place of the text that the document keeps under this number, NULL until it is put there:
 * stacks have frames in common. Valid until the next one. */
const char **mp_document_kept(mp_document *document, uint64_t number);
/* A line for people above the table's rows; valid until the next one. */
mp_line *mp_table_line(mp_document *document, mp_table *table, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Add a check; its texts are borrowed. */
void mp_document_check(mp_document *document, mp_check check);

/* A new row of unknown cells; valid until the next row of the table. */
mp_cell *mp_table_row(mp_table *table);
/* A new row of a struct, each column by its offset: an int64_t for units that are whole numbers (of
 * a flag 0 or 1), a double for MP_PERCENT, MP_AVERAGE and MP_BYTE_RATE, a const char * for MP_TEXT,
 * an mp_texts for MP_LIST. Texts are copied. A column of MP_RANK is not read: it is the row's
 * place, from 1. */
void mp_table_put(mp_document *document, mp_table *table, const void *row);
/* Return one cell of such a row, with copies of its texts in the arena. */
mp_cell mp_row_cell(mp_arena *arena, const mp_column *column, const void *row);
/* The struct of the table's last row, borrowed. */
void mp_table_attach(mp_table *table, const void *row);
/* Return the number of tables, from the first on, that text shows. */
size_t mp_document_first_tables(const mp_document *document);
/* The main table as people read it; NULL: there is none. */
const mp_table *mp_document_shown_main(const mp_document *document);
/* The table with this answer, or NULL. */
const mp_table *mp_document_answer(const mp_document *document, mp_answer answer);
/* Below 0: `a` stands before `b`. Texts ascend byte by byte, numbers descend, changes (MP_SIGNED)
 * do so by their size; what is not known comes last. No list. */
int mp_cells_compare(const mp_column *column, const mp_cell *a, const mp_cell *b);
/* Order `count` structs of `size` bytes by a column of theirs; equal ones stay as they stood. */
void mp_rows_sort(void *rows, size_t count, size_t size, const mp_column *column);

#endif
