/* Merging: what a report says of several files, each read on its own, as one document.
 *
 * - Every table of rows has the rows of all files, with the column "file" in front. Where a table
 *   names its order, they stand in it, and "rank" numbers them anew; else file by file.
 * - A record with columns that add up (MP_ADDS) is their sum: one record of the same name. If it
 *   also has columns with MP_SUMMARY, the table "files" has a row of all of its columns for each
 *   file, and people read those columns of it, with a total.
 * - Any other record becomes a row for each file; "session" becomes the table "sessions". One that
 *   says the same of each file (MP_COMMON) stays as it is; one for people alone is left out.
 * - Figures of stacks of one name are one, in which each file has a place; others are left out.
 * - A check tells its file, and so does a line of the answer, which people do not read of several.
 * - What they read is said of the merged tables (`sum_up`), and the first headline of all files.
 */
#ifndef MP_DOCUMENT_MERGE_H
#define MP_DOCUMENT_MERGE_H

#include "document/document.h"

/* The answer about one file, or about several that were read together. */
typedef struct mp_part {
    const char *name; /* a path, or what stands for several */
    const mp_document *document;
} mp_part;

typedef struct mp_merging {
    size_t rows;        /* maximum rows of a table that has an order; 0: no limit */
    bool overview;      /* people see of tables without an order the main one alone */
    const char *within; /* beginning of all names, such as "agent.zip:"; NULL: none */
    void (*sum_up)(mp_document *merged); /* says what its tables come to; NULL: nothing */
} mp_merging;

/* The parts' answers to one question as one document, for at least one part. It refers to the
 * parts' documents and names, which must outlive it. Release with mp_document_free. */
mp_document *mp_documents_merge(const mp_part *parts, size_t count, const mp_merging *how);

/* Cut rows of documents that are to be merged with each other and perhaps with more: those that are
 * not among the first `how->rows` of theirs will not be shown. */
void mp_documents_cut(mp_document *const *documents, size_t count, const mp_merging *how);

/* Answers that come one after the other, in order, and are to be merged: held in the memory of what
 * will be shown. Start with {.how = ...}. */
typedef struct mp_pile {
    mp_merging how;
    bool for_people; /* tables for programs are not shown */
    mp_shared_parts shared;
    mp_id_index slim_index; /* by columns: those that programs read */
    struct mp_slim_columns *slim;
    size_t slim_capacity;
    mp_part *parts;          /* in the order in which they came */
    mp_document **documents; /* the same */
    size_t count, capacity, document_capacity;
    mp_document **cuttable; /* those that have rows of tables with an order */
    size_t cuttable_count, cuttable_capacity;
    size_t cut_count; /* how many were left when rows were cut last */
} mp_pile;

/* Make it small while it waits for its turn. */
void mp_pile_pack(mp_pile *pile, mp_document *document);
/* Takes the document over; `name` is borrowed. */
void mp_pile_add(mp_pile *pile, const char *name, mp_document *document);
void mp_pile_free(mp_pile *pile);

#endif
