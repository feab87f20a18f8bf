/* Relations: the content of a recording as tables of typed rows. Reports, exports and SQL build on
 * them.
 *
 * A relation is a numbered sequence of places; most have a row. A row is computed on
 * request from the finished model and its analyses; no table is stored. A cursor is only a place
 * number. Texts created for a row live in the caller's arena until it is reset. The columns
 * (base/column.h) are declared once, next to the struct of the row. Documents, exports and SQL read
 * these rows instead of walking the model themselves. */
#pragma once

#include "base/column.h"
#include "base/memory.h"
#include "memprof/diagnostics.h"
#include "query/window.h"

/* The model that relations read, with the analyses that their rows share. Each analysis is made
 * when a row first needs it. */
typedef struct mp_relation_source mp_relation_source;

/* Create a source for the data that the filter selects. `window` is NULL for a model without a
 * ledger; `diagnostics` may be NULL. All three must outlive the source. Release with
 * mp_relation_source_free. */
mp_relation_source *mp_relation_source_new(const mp_filter *filter, const mp_window *window,
                                           const mp_diagnostics *diagnostics);
/* Free the source. NULL is allowed. */
void mp_relation_source_free(mp_relation_source *source);

/* Return the capabilities of the source's model: MP_HOLDS_... */
unsigned mp_relation_holds(const mp_relation_source *source);

/* Return the machine-independent name of a recording: "xxh128:" and the checksum of its bytes, or
 * of the checksums of its files in their order. Return NULL if checksums were not requested, or a
 * file could not be read again to compute one. The text belongs to the arena. */
const char *mp_recording_name(const mp_model *model, mp_arena *arena);

#define MP_ALL_COLUMNS UINT64_MAX
#define MP_NO_KEY SIZE_MAX

typedef struct mp_relation {
    const char *name;
    const char *meaning; /* one line that describes a row */
    unsigned needs;      /* all capabilities (MP_HOLDS_...) that the model must have; 0: none */
    const mp_column *columns;
    size_t column_count; /* at most 64 */
    size_t row_size;     /* bytes of the row's struct */
    /* Return the number of places. */
    uint64_t (*count)(mp_relation_source *source);
    /* Fill in the row at a place, which must be less than the count. Columns whose bit is not set
     * in `wanted` may be left out. Return false if the place has no row because the filter excludes
     * it. */
    bool (*row)(mp_relation_source *source, uint64_t place, uint64_t wanted, mp_arena *texts,
                void *row);
    /* Index of the column by whose value rows can be found quickly, with `find` or `order`;
     * MP_NO_KEY: none. */
    size_t key;
    /* For a text: narrow the range of places from *first to *end - 1 to those whose key may have
     * this value. Leave the range unchanged if there is no index. */
    void (*find)(mp_relation_source *source, const char *text, uint64_t *first, uint64_t *end);
    /* For a number: return the key of a place, even if the place has no row. Keys do not decrease
     * from place to place, except in some recordings of several sessions. Seconds are in
     * microseconds. */
    int64_t (*order)(mp_relation_source *source, uint64_t place);
} mp_relation;

/* Bounds of the keys of the rows that a statement asks for; wider if it does not limit them. */
typedef struct mp_key_bounds {
    const char *text;    /* the key, for relations with `find`; NULL: any */
    int64_t least, most; /* the lowest and the highest key, for relations with `order` */
} mp_key_bounds;
extern const mp_key_bounds mp_any_key;

#define MP_RELATION(name) extern const mp_relation mp_relation_##name;
#include "relation/relations.def"
#undef MP_RELATION

/* Return all relations, in the order of relations.def. */
const mp_relation *const *mp_relations(size_t *count);

/* Return true if the model of the source has the data of the relation. */
bool mp_relation_fits(const mp_relation *relation, const mp_relation_source *source);

/* Return true if the keys of the relation do not decrease from place to place. The first call looks
 * at all places. The relation must have `order`. */
bool mp_relation_is_ordered(const mp_relation *relation, mp_relation_source *source);

/* Set *within to true if every path from the roots to an object of a heap dump leads through
 * `dominator`, or if both are the same object. Return false if one of the ids is unknown, or not
 * unique. */
bool mp_relation_within(mp_relation_source *source, const char *object, const char *dominator,
                        bool *within);
/* Return the shortest path from a root to an object of a heap dump, "Type id > Type id"; NULL if no
 * strong root reaches it. The text is in the arena. */
const char *mp_relation_path(mp_relation_source *source, const char *object, mp_arena *texts);

/* Cursor over the rows of a relation. Create with mp_cursor_open or mp_cursor_new, release with
 * mp_cursor_free. */
typedef struct mp_cursor {
    const mp_relation *relation;
    mp_relation_source *source;
    uint64_t place, end; /* next place; place after the last one to visit */
    uint64_t unknown;    /* columns for which the recording has no values, one bit each */
    uint64_t sizes;      /* columns in which 0 bytes means unknown */
    mp_arena texts;      /* texts of the current row */
    void *row;
} mp_cursor;

/* Open a cursor before the first row. */
mp_cursor mp_cursor_open(const mp_relation *relation, mp_relation_source *source);
/* Open a cursor that has no source yet, and no rows. */
mp_cursor mp_cursor_new(const mp_relation *relation);
/* Move before the first row of a source whose key may be within the bounds. Keys of later rows may
 * be outside of them. */
void mp_cursor_enter(mp_cursor *cursor, mp_relation_source *source, const mp_key_bounds *bounds);
/* Move to the next row and fill in its `wanted` columns. The row is at cursor->row until the next
 * call. Return false after the last row. */
bool mp_cursor_next(mp_cursor *cursor, uint64_t wanted);
void mp_cursor_free(mp_cursor *cursor);
