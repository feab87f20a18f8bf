/* Relations: what a recording says as tables of typed rows, below every report.
 *
 * A relation is a sequence of places. The row at a place is made when it is asked for, out of the
 * sealed model and its analyses: nothing is copied, a cursor is a number, and texts that are made
 * for a row live in the caller's arena until that is reset. Its columns (base/column.h) are
 * declared once, beside the struct that the row is. Documents, exports and SQL read rows; none of
 * them walks the model for what a relation has. */
#ifndef MP_RELATION_RELATION_H
#define MP_RELATION_RELATION_H

#include "base/column.h"
#include "base/memory.h"
#include "memprof/diagnostics.h"
#include "query/window.h"

/* A model as relations see it, and the analyses that their rows share, each made when a row first
 * needs it. */
typedef struct mp_relation_source mp_relation_source;

/* Open a source on what the filter selects. `window` is NULL for a model without a ledger;
 * `diagnostics` may be NULL. All of them must outlive it. Release with mp_relation_source_free. */
mp_relation_source *mp_relation_source_new(const mp_filter *filter, const mp_window *window,
                                           const mp_diagnostics *diagnostics);
/* NULL: nothing happens. */
void mp_relation_source_free(mp_relation_source *source);

/* Return the name of a recording, the same on every machine: "xxh128:" and the checksum of its
 * bytes, or of the checksums of its files in their order. NULL if the bytes of a file could not be
 * read again for that, or checksums were not asked for. The text is in the arena. */
const char *mp_recording_name(const mp_model *model, mp_arena *arena);

#define MP_ALL_COLUMNS UINT64_MAX
#define MP_NO_KEY SIZE_MAX

typedef struct mp_relation {
    const char *name;
    const char *meaning; /* a line on what a row is */
    unsigned needs;      /* MP_HOLDS_...: all that a model must hold to have it; 0: nothing */
    const mp_column *columns;
    size_t column_count; /* at most 64 */
    size_t row_size;     /* bytes of the struct that has the columns */
    /* Return the number of places. */
    uint64_t (*count)(mp_relation_source *source);
    /* Fill the row at a place below the count. Columns whose bit is not in `wanted` need not be
     * filled. Return false if the place has no row, because the filter leaves it out. */
    bool (*row)(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                void *row);
    /* The column whose rows of one value are found without looking at all places; MP_NO_KEY: there
     * is none. */
    size_t key;
    /* Narrow the places *first to *end - 1 to those whose key may be this text; where nothing tells
     * them apart, leave them. */
    void (*find)(mp_relation_source *source, const char *text, uint64_t *first, uint64_t *end);
} mp_relation;

#define MP_RELATION(name) extern const mp_relation mp_relation_##name;
#include "relation/relations.def"
#undef MP_RELATION

/* Return all relations, in the order of relations.def. */
const mp_relation *const *mp_relations(size_t *count);

/* Return whether the model of the source has the relation. */
bool mp_relation_fits(const mp_relation *relation, const mp_relation_source *source);

/* A cursor over the places of a relation. Zero-initialise but for `relation` and `source`; release
 * with mp_cursor_free. */
typedef struct mp_cursor {
    const mp_relation *relation;
    mp_relation_source *source;
    uint64_t place, end; /* the next place; the first that is not looked at */
    mp_arena texts;      /* texts of the row */
    void *row;
} mp_cursor;

/* Open a cursor before the first row. */
mp_cursor mp_cursor_open(const mp_relation *relation, mp_relation_source *source);
/* Go back before the first row, or before the first whose key may be `key` (NULL: any). */
void mp_cursor_rewind(mp_cursor *cursor, const char *key);
/* Move to the next row, which is then at cursor->row until the next call, columns that are not
 * `wanted` aside. Return false if there is none. */
bool mp_cursor_next(mp_cursor *cursor, uint64_t wanted);
void mp_cursor_free(mp_cursor *cursor);

#endif
