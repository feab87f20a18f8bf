/* Meaning of the rows of an OpenEdge memory recording: look up ids, replay objects, and compare
 * each snapshot with its own trailer. The tokens come from oemp.c. */
#ifndef MP_READERS_OEMP_H
#define MP_READERS_OEMP_H

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "model/heap.h"
#include "readers/reader.h"

/* One column of a row: a number (two's complement where negative) or a text. */
typedef struct oemp_value {
    uint64_t number;
    mp_slice text;
} oemp_value;

/* A reference to an id that was not defined yet. */
typedef struct oemp_reference {
    mp_diagnostic_id kind; /* which diagnostic it is if no definition comes */
    uint32_t target;
    uint64_t number, line;
    const char *path;
} oemp_reference;

/* The columns that tell origins apart, as the file has them, and what follows from them. */
typedef struct oemp_origin {
    uint64_t type, node, line, source, name, built_in;
    mp_type_id type_id;
    mp_type_class class;
} oemp_origin;

/* One recording: everything that its UUID holds together. */
typedef struct oemp_recording {
    mp_string_id identity;
    unsigned version;
    mp_heap heap;
    /* Ids of the file to ids of the model. */
    mp_id_index types, sources, names, built_ins, nodes, platforms;
    oemp_origin *origins; /* by the heap's number for them, from 1 */
    size_t origin_capacity;
    mp_hash_index origin_index;
    oemp_reference *references;
    size_t reference_count, reference_capacity;
    bool started;
    uint64_t last_sequence;
    int64_t last_time_us, most_live;
    int64_t platform_bytes;
    bool platform_seen;
    bool trailed; /* the snapshot at hand has its trailer */
    mp_string_id last_tag;
    uint32_t last_input; /* the input of its last whole snapshot */
    uint64_t last_line;
} oemp_recording;

enum { OEMP_ROW = 16 }; /* columns of a new object */

typedef struct oemp_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    oemp_recording **recordings;
    size_t recording_count, recording_capacity;
    mp_id_index recording_index; /* identity to place in recordings, + 1 */
    mp_id_index platform_names;  /* string to platform, over all recordings */
    mp_pipeline *pipeline;       /* from tokens to replay */
    mp_arena scratch;            /* unescaped strings of the row at hand */
    bool keep_objects, keep_ages, watch_requests;
    /* The input being read. */
    const char *path;
    uint32_t summary;
    bool converted;           /* a name was not UTF-8 */
    mp_budget platform_spent; /* all sizes of platform rows */
    /* The snapshot being read. */
    oemp_recording *recording; /* NULL: none */
    bool skip;                 /* it was read before: its objects and sizes do not count again */
    mp_string_id tag;
    uint64_t sequence;
    int64_t latest_us; /* latest time of all creations and deletions in it */
    /* The new object before the one at hand; of the batch before, a copy of its last row. */
    const uint64_t *before;
    uint64_t last[OEMP_ROW], last_line;
} oemp_state;

/* Rows by section. Each takes the row's columns in the order of the format document, and `line`,
 * where the row stands. */
void oemp_header(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_platform_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_type_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_built_in_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_platform_data(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_source_name(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_other_name(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_node(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_trailer(oemp_state *state, const oemp_value *row, uint64_t line);

/* The sections that hold most of a recording: all numbers. Columns that are not in the bit sets
 * below ("internal use only", or unused) may hold anything. */
enum {
    OEMP_ID,
    OEMP_TYPE,
    OEMP_MEM,
    OEMP_CREATED = 5,
    OEMP_NODE,
    OEMP_LINE,
    OEMP_SOURCE,
    OEMP_SCOPE = 10,
    OEMP_TABLE,
    OEMP_NAME,
    OEMP_BUILT_IN = 14,
};
enum { OEMP_CHANGED_TABLE = 5 };
enum { OEMP_DELETED_TIME = 1 };
enum { OEMP_BATCH_NUMBERS = 8192 };
enum {
    OEMP_OBJECT_COLUMNS = 1 << OEMP_ID | 1 << OEMP_TYPE | 1 << OEMP_MEM | 1 << OEMP_CREATED |
                          1 << OEMP_NODE | 1 << OEMP_LINE | 1 << OEMP_SOURCE | 1 << OEMP_SCOPE |
                          1 << OEMP_TABLE | 1 << OEMP_NAME | 1 << OEMP_BUILT_IN,
    OEMP_CHANGED_COLUMNS = 1 << OEMP_ID | 1 << OEMP_TYPE | 1 << OEMP_MEM | 1 << OEMP_CHANGED_TABLE,
    OEMP_DELETED_COLUMNS = 1 << OEMP_ID | 1 << OEMP_DELETED_TIME,
};
/* Rows of one section that follow each other from `line` on; `columns` numbers each. */
typedef struct oemp_batch {
    struct oemp_state *state;
    void (*replay)(const struct oemp_batch *batch); /* one of the three below */
    unsigned columns;
    size_t count;
    uint64_t line;
    uint64_t numbers[OEMP_BATCH_NUMBERS];
} oemp_batch;

void oemp_objects(const oemp_batch *batch);
void oemp_changed_objects(const oemp_batch *batch);
void oemp_deleted_objects(const oemp_batch *batch);

/* The snapshot's last section is closed. False, after a diagnostic, if it is not whole all the
 * same. */
bool oemp_snapshot_end(oemp_state *state, uint64_t line);

/* All inputs are read: references that were never defined, recordings that end too early. */
void oemp_finish(oemp_state *state);

/* A text of the file in the model; none for "", "?" and "??:??". */
mp_string_id oemp_intern(oemp_state *state, mp_slice text);
/* A line of a source, of a row of section `name` at `line`. MP_NO_LINE after a diagnostic. */
uint32_t oemp_line(oemp_state *state, uint64_t number, const char *name, uint64_t line);

/* Return the model's id for an id of the file, created if it is new. `line`: where it is used,
 * in case it is never defined; 0 if this is the definition. */
mp_type_id oemp_type(oemp_state *state, uint64_t number, uint64_t line);
mp_symbol_id oemp_symbol(oemp_state *state, mp_id_index *ids, uint64_t number, uint64_t line);
mp_node_id oemp_node_id(oemp_state *state, uint64_t number, uint64_t line);

#endif
