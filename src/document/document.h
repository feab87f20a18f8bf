/* Documents: the content of a report as tables of typed cells, independent of the output format.
 *
 * A report fills a document; a renderer prints it. Column names are for programs that read JSON and
 * CSV; titles are for people. Texts of cells and lines are copied into the document; names, titles,
 * footers and texts of checks are borrowed and must live as long as the document (mp_document_text
 * makes such a text). */
#pragma once

#include "base/column.h"
#include "base/index.h"
#include "base/memory.h"
#include "memprof/document.h"

/* A cell. A column "rank" numbers the rows of its table.
 *
 * A cell without a value is unknown, not 0: it is omitted in JSON and empty elsewhere. In a column
 * with MP_NULL, a missing value is a fact, not unknown. */
typedef struct mp_cell {
    union { /* the member in use depends on the column's unit */
        /* All units except text, lists, percent, averages and rates; a flag is 0 or 1. */
        int64_t number;
        double real;       /* percent, average, byte rate */
        const char *text;  /* text; for an empty list, text that people see instead, or NULL */
        const char **list; /* array of `count` texts, if `count` is not 0 */
    };
    uint32_t count; /* number of texts in `list`; 0 if it is not a list */
    bool known : 1;
    uint32_t whole : 31; /* number of texts before a list was cut; 0 = it is complete */
} mp_cell;

/* Return the number of texts of the list, including those that were cut. */
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
    MP_RECORD, /* one row, which is an object in JSON */
} mp_shape;

/* Rows left out of a table, and why. */
typedef enum mp_rest_kind {
    MP_REST_MORE,      /* rows that would follow: cut by a limit */
    MP_REST_BEFORE,    /* rows that would come before: cut by a limit */
    MP_REST_UNCHANGED, /* groups that did not change; they are shown if there is no limit of rows */
    MP_REST_UNKEPT,    /* more rows, whose contents were not kept */
    MP_REST_SAME_KINDS, /* more rows of the same kinds, whose contents were not kept */
    MP_REST_SMALLER,    /* changes that are smaller than requested */
    MP_REST_IN_JSON,    /* entries beyond a fixed maximum; JSON has all of them */
} mp_rest_kind;

typedef struct mp_rest {
    size_t count; /* 0 = none */
    mp_rest_kind kind;
} mp_rest;

/* A line for people above or below the rows: a text, followed by the number of rows left out. */
typedef struct mp_line {
    const char *text; /* NULL = none */
    mp_rest rest;     /* rows left out; the renderer puts it into words */
    /* Name of the argument that controls the line ("min-percent"); NULL = none. */
    const char *argument;
} mp_line;

/* Type of the structs attached to a table's rows. Exporters that convert one kind of answer for
 * another tool read the structs, not the cells. They are declared in reports/answers.h. */
typedef enum mp_answer {
    MP_ANSWER_NONE,
    MP_ANSWER_HOT_LINES,  /* rows: mp_hot_line; about: mp_hot_profile */
    MP_ANSWER_LEAK_SITES, /* rows: mp_leak_site */
    MP_ANSWER_COVERAGE,   /* no rows; about: mp_coverage_answer */
} mp_answer;

typedef struct mp_struct_row {
    const char *file; /* source file, in merged answers; NULL = there is only one */
    const void *row;  /* lives as long as the document for which it was made */
} mp_struct_row;

/* Columns that a merged table has in addition to those of its sources: the name of the file for
 * programs, and for people. */
enum { MP_FILE_COLUMN, MP_SHOWN_FILE_COLUMN, MP_FILE_COLUMNS };

/* A table of an answer that is merged with others. */
typedef struct mp_row_source {
    const mp_table *table;
    const char *file, *shown; /* name of the file for programs, and for people */
    /* Column of `table` for each column of the merged table; MP_NO_COLUMN if it has none. */
    const uint32_t *columns;
} mp_row_source;
#define MP_NO_COLUMN UINT32_MAX

typedef struct mp_row_place {
    uint32_t source, row;
} mp_row_place;

/* The first rows of a merged table, which are rows of its sources. */
typedef struct mp_borrowed_rows {
    const mp_row_source *sources;
    const mp_row_place *rows;
    size_t count;
    size_t rank; /* index of the column that numbers the rows; MP_NO_COLUMN = there is none */
} mp_borrowed_rows;

struct mp_table {
    bool uncounted;    /* its numbers of objects are not recorded */
    const char *name;  /* name in JSON */
    const char *title; /* title for people; NULL = none */
    /* For merged answers of several files: the name of the table to which records are added as rows
     * ("sessions"), and the title for different titles. NULL: the name is `name`, and the title is
     * made from it. Names are static. */
    const char *name_of_many, *title_of_many;
    mp_shape shape;
    unsigned flags;    /* MP_FOR_PEOPLE, MP_FOR_PROGRAMS, MP_COMMON, MP_OF_CHECKS */
    bool main;         /* CSV prints this table */
    bool limited;      /* the report limited the number of rows, as requested */
    size_t list_depth; /* number of list items that people see below a row; 0 = only the first */
    const mp_column *columns; /* static */
    size_t column_count;
    mp_cell *cells; /* cells of the rows that are not borrowed, row by row; see mp_table_cell */
    size_t row_count, cell_capacity;
    mp_borrowed_rows *borrowed; /* NULL = none */
    size_t cut;                 /* number of rows removed by mp_documents_cut */
    /* Name of the column by which rows are sorted, also in merged tables: texts ascending, numbers
     * descending, changes (MP_SIGNED) descending by size. NULL = the order is another one.
     * Static. */
    const char *order;
    /* number of rows at the start that stay before all others, also in merged tables */
    size_t ahead;
    /* Name of the column by which these rows are sorted, if it is not `order`. */
    const char *ahead_order;
    const char *empty; /* text for people if there are no rows; NULL = none */
    /* Name of the command that shows the table in full; NULL = none. Static. */
    const char *command;
    mp_line *lines; /* above the rows */
    size_t line_count, line_capacity;
    mp_line footer; /* below the rows */
    mp_answer answer;
    mp_struct_row *structs; /* attached structs, by row */
    size_t struct_count, struct_capacity;
    const void *about; /* attached struct about all rows; NULL = none */
};

/* One-line summary of a file's answer. For several files, only the headline with the largest first
 * key is printed; if several have it, the second and third key decide. */
typedef struct mp_headline {
    mp_tone tone;
    const char *label; /* static; NULL = there is no headline */
    const char *text;
    int64_t keys[3];
} mp_headline;

/* Verdict about leaks, for scripts: the object "verdict" in JSON. */
typedef struct mp_told_verdict {
    const char *leaks;  /* "yes", "no", "unknown"; static; NULL = no verdict */
    const char *reason; /* texts belong to the document */
    const char *kind;   /* kind of the worst leak; static; NULL = nothing leaks */
    const char *type, *name, *site, *file;
    int64_t bytes, objects, leaking_bytes, confidence; /* bytes: MP_UNKNOWN if not recorded */
    int64_t total_bytes; /* leaking bytes of all sites; MP_UNKNOWN if not recorded */
    int64_t weight;      /* sort key among the verdicts of several files */
    size_t leaking;      /* number of files that leak, in merged answers */
} mp_told_verdict;

/* Label of a summary line about checks. The line is left out if the format counts the checks
 * itself. */
#define MP_SAID_VERDICT "Verdict"

struct mp_document {
    const char *command;
    const char *title; /* first line for people */
    mp_said *said;     /* summary in words, the most important line first */
    size_t said_count, said_capacity;
    mp_headline headline;
    mp_told_verdict verdict;
    /* Number of files whose process is still running. In these files, objects in use count as left
     * behind. */
    size_t running;
    mp_table *tables;
    size_t table_count, table_capacity;
    mp_check *checks; /* checks in the order of the policy, or of the arguments */
    size_t check_count, check_capacity;
    const char *policy;  /* path of the policy whose rules are checked; NULL = checks are limits */
    bool exact_bytes;    /* sizes for people in bytes, not KiB, MiB, GiB */
    bool unsized;        /* object sizes are not recorded, so 0 bytes means unknown */
    bool uncounted;      /* numbers of objects are not recorded, and left out */
    bool sampled;        /* costs are samples: columns of seconds are columns of samples */
    bool uncalled;       /* numbers of calls are not recorded, and left out */
    bool failed;         /* a limit was exceeded, or a violation found */
    bool unjudged;       /* a request could not be answered, such as a rule of a policy */
    bool fits_nothing;   /* nothing in the input matches the selection */
    uint64_t unmatched;  /* patterns of the selection that nothing matches (mp_unmatched) */
    const char *misfit;  /* text about the first of them, in any file; NULL = none */
    size_t files;        /* number of merged files; 0 = not merged */
    size_t frames;       /* maximum frames of a stack; 0 = all */
    bool pictured;       /* a figure is the main result; the tables have the same data as rows */
    bool draws;          /* figures are wanted */
    size_t first_tables; /* number of tables that text output shows; it only names the others. 0 =
                            it shows all */
    const char *next;    /* name of the command to run next; NULL = none. Static. */
    const char *next_operand;  /* its first argument, before the files; NULL = none */
    struct mp_figure *figures; /* see figure.h */
    size_t figure_count, figure_capacity;
    mp_id_index kept_index; /* index of the texts that mp_document_kept returns */
    const char **kept;
    size_t kept_capacity;
    struct mp_arena *arena;
};

/* Return a new document without tables; `command` is its name in JSON. Release with
 * mp_document_free. */
mp_document *mp_document_new(const char *command);

/* Texts and columns that many documents share. Zero-initialise to start. */
typedef struct mp_shared_parts {
    mp_arena arena;
    mp_key_index bytes; /* texts and lists; it has the copies, its values are not used */
    struct mp_shared_columns_set *last;
} mp_shared_parts;
void mp_shared_parts_free(mp_shared_parts *shared);

/* Reduce the memory of a document: drop the structs of its rows, and all figures that are not
 * stacks. Stacks are cut to the part that remains visible beside the stacks of other files. Texts,
 * columns and stacks move to `shared`, which must outlive the document. */
void mp_document_pack(mp_document *document, mp_shared_parts *shared);

/* Return a new table; valid until the next one is added. In a document of samples, a column of
 * seconds counts samples, and both its name and its title say so. */
mp_table *mp_document_table(mp_document *document, const char *name, const char *title,
                            mp_shape shape, const mp_column *columns, size_t column_count);
#define MP_TABLE(document, name, title, shape, columns)                                            \
    mp_document_table(document, name, title, shape, columns, sizeof(columns) / sizeof *(columns))

/* Return the index of the column with this name; `count` if there is none. */
size_t mp_column_find(const mp_column *columns, size_t count, const char *name);

/* Add a line to the summary, like printf. The label is static. With --brief, people see only these
 * lines. */
void mp_document_say(mp_document *document, mp_tone tone, const char *label, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Format a text like sprintf, and return it. It lives as long as the document. */
const char *mp_document_text(mp_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Return the address at which the document keeps the text with this number. The text is NULL until
 * the caller sets it. In this way, frames that many stacks share are stored once. The address is
 * valid until the next call. */
const char **mp_document_kept(mp_document *document, uint64_t number);
/* Add a line for people above the table's rows; valid until the next one is added. */
mp_line *mp_table_line(mp_document *document, mp_table *table, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Add a check; its texts are borrowed. */
void mp_document_check(mp_document *document, mp_check check);

/* Return a cell of a borrowed row. */
mp_cell mp_borrowed_cell(const mp_borrowed_rows *borrowed, size_t row, size_t column);
/* Return a cell. */
static inline mp_cell mp_table_cell(const mp_table *table, size_t row, size_t column)
{
    const size_t borrowed = table->borrowed ? table->borrowed->count : 0;
    return row < borrowed ? mp_borrowed_cell(table->borrowed, row, column)
                          : table->cells[(row - borrowed) * table->column_count + column];
}

/* Return the cells of a row: the table's own, or copies of borrowed cells in the arena. */
const mp_cell *mp_table_cells(mp_arena *arena, const mp_table *table, size_t row);

/* Add a row of unknown cells; valid until the next row of the table is added. */
mp_cell *mp_table_row(mp_table *table);
/* Add a row from a struct. Each column is a member at its offset: an int64_t for units that are
 * whole numbers (0 or 1 for a flag), a double for MP_PERCENT, MP_AVERAGE and MP_BYTE_RATE, a const
 * char * for MP_TEXT, an mp_texts for MP_LIST. Texts are copied. A column of MP_RANK is not read:
 * its value is the row's number, from 1. */
void mp_table_put(mp_document *document, mp_table *table, const void *row);
/* Return one cell of a row made from a struct, with copies of its texts in the arena. */
mp_cell mp_row_cell(mp_arena *arena, const mp_column *column, const void *row);
/* Attach a struct to the table's last row. The struct is borrowed. */
void mp_table_attach(mp_table *table, const void *row);
/* Return the number of tables, from the first on, that text output shows. */
size_t mp_document_first_tables(const mp_document *document);
/* Return the main table for people; NULL if there is none. */
const mp_table *mp_document_shown_main(const mp_document *document);
/* Return the table with this kind of structs; NULL if there is none. */
const mp_table *mp_document_answer(const mp_document *document, mp_answer answer);
/* Compare two cells of a column that is not a list; negative if `a` comes before `b`. Texts ascend
 * byte by byte, numbers descend, changes (MP_SIGNED) descend by size; unknown cells come last. */
int mp_cells_compare(const mp_column *column, const mp_cell *a, const mp_cell *b);
/* Sort `count` structs of `size` bytes by the columns in `by`, which ends with NULL: by the first
 * column, if equal by the second, and so on. Structs that are equal in all columns keep their
 * order. */
void mp_rows_sort(void *rows, size_t count, size_t size, const mp_column *const *by);
/* Compare two structs as mp_rows_sort does: negative if `left` comes before `right`, 0 if they are
 * equal in all columns. */
int mp_rows_compare(const void *left, const void *right, const mp_column *const *by);
