/* Merging: combine the answers about several files into one document.
 *
 * - A table of rows has the rows of all files, with the column "file" first. If the table has an
 *   order, rows of all files are sorted by it and "rank" numbers them again; otherwise they come
 *   file by file.
 * - Records with columns that add up (MP_ADDS) become one record of sums with the same name. If
 *   they also have columns with MP_SUMMARY, the table "files" has all of their columns and a row
 *   for each file; people see its summary columns, with a total.
 * - Other records become a row for each file; "session" becomes the table "sessions". A record that
 *   is the same for each file (MP_COMMON) stays a record; a record for people only is left out.
 * - Figures of stacks with the same name become one figure, with a place for each file. Other
 *   figures are left out.
 * - Checks name their files. So do lines of the summary, which are then for programs.
 * - People read the first headline of all files instead, and a summary of the merged tables
 *   (`sum_up`). */
#pragma once

#include "document/document.h"

/* The answer about one file, or about several that were read together. */
typedef struct mp_part {
    const char *name; /* a path, or a name for several files */
    const mp_document *document;
} mp_part;

typedef struct mp_merging {
    size_t rows;     /* maximum rows of a table that has an order; 0 = all */
    bool for_people; /* tables for programs may be dropped; if some files have no sizes, leaks are
                        sorted by objects */
    bool overview;   /* among the tables without an order, people see only the main one */
    const char *within; /* beginning of all names, such as "agent.zip:"; NULL = none */
    void (*sum_up)(mp_document *merged); /* adds a summary of the merged tables; NULL = none */
} mp_merging;

/* Return the parts' answers as one document. There must be at least one part. The document refers
 * to the parts' documents and names, which must outlive it. Release with mp_document_free. */
mp_document *mp_documents_merge(const mp_part *parts, size_t count, const mp_merging *how);

/* Remove rows that are not among the first `how->rows` rows of all these documents. A merge of
 * these documents would not show them. */
void mp_documents_cut(mp_document *const *documents, size_t count, const mp_merging *how);

/* A list of answers that will be merged in this order. It takes no more memory than the rows that
 * will be shown. Start with {.how = ...}. */
typedef struct mp_pile {
    mp_merging how;
    mp_shared_parts shared;
    mp_id_index
        slim_index; /* maps an array of columns to the same array without the columns for people */
    struct mp_slim_columns *slim;
    size_t slim_capacity;
    mp_part *parts;          /* parts in the order in which they were added */
    mp_document **documents; /* documents in the same order */
    size_t count, capacity, document_capacity;
    mp_document **cuttable; /* documents with rows that may still be cut */
    size_t cuttable_count, cuttable_capacity;
    size_t cut_count; /* number of `cuttable` documents after the last cut */
} mp_pile;

/* Reduce the memory of a document that is not yet added. */
void mp_pile_pack(mp_pile *pile, mp_document *document);
/* Add a document, which then belongs to the pile. `name` is borrowed. */
void mp_pile_add(mp_pile *pile, const char *name, mp_document *document);
void mp_pile_free(mp_pile *pile);
