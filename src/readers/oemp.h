/* The OpenEdge memory reader: evaluation of rows. It looks up ids, replays objects, and checks each
 * snapshot against its trailer. oemp.c splits the file into rows. */
#pragma once

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "model/heap.h"
#include "readers/reader.h"

/* A column of a row: a number (negative ones as two's complement) or a text. */
typedef struct oemp_value {
    uint64_t number;
    mp_slice text;
} oemp_value;

/* A reference to an undefined id. */
typedef struct oemp_reference {
    mp_diagnostic_id kind; /* diagnostic to report if the id stays undefined */
    uint32_t target;
    uint64_t number, line;
    const char *path;
} oemp_reference;

/* The columns that distinguish origins, as in the file, and the class of the type. */
typedef struct oemp_origin {
    uint64_t type, node, line, source, name, built_in;
    mp_type_class class;
} oemp_origin;

/* One recording: all files with the same UUID. */
typedef struct oemp_recording {
    /* Used by the thread that replays: */
    mp_heap heap;
    int64_t most_live;
    /* Used by the thread that parses: */
    mp_string_id identity;
    unsigned version;
    /* Maps from ids in the file to ids of the model. */
    mp_id_index types, sources, names, built_ins, nodes, platforms;
    oemp_origin *origins; /* indexed by the heap's number of the origin, from 1 */
    size_t origin_capacity;
    mp_hash_index origin_index;
    oemp_reference *references;
    size_t reference_count, reference_capacity;
    mp_snapshot_id snapshot; /* the snapshot that was begun and not ended, or none */
    bool started;
    uint64_t last_sequence;
    int64_t last_time_us;
    int64_t platform_bytes;
    bool platform_seen;
    bool trailed; /* the trailer of the current snapshot was read */
    mp_string_id last_tag;
    uint32_t last_input; /* last input that contains a whole snapshot of the recording */
    uint64_t last_line;
} oemp_recording;

enum {
    OEMP_ROW = 16,       /* columns in the row of a new object */
    OEMP_NUMBERS = 1024, /* numbers that are parsed at once */
    OEMP_RECENT_BITS = 9
};

typedef struct oemp_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    oemp_recording **recordings;
    size_t recording_count, recording_capacity;
    mp_id_index recording_index; /* maps an identity to the index in `recordings` + 1 */
    mp_id_index platform_names;  /* mp_string_id to platform, for all recordings */
    mp_pipeline *pipeline;       /* from parsing to replay */
    struct oemp_batch *batch;    /* the batch that is being filled */
    size_t batch_bytes;          /* size of a batch; tests make it smaller */
    mp_arena scratch;            /* memory for unescaped strings of the current row */
    const mp_load_options *options;
    /* The current input: */
    const char *path;
    uint32_t summary;
    mp_budget platform_spent; /* limits the sum of all sizes in platform rows */
    /* The current snapshot: */
    oemp_recording *recording; /* NULL: none */
    uint32_t
        recent[1 << OEMP_RECENT_BITS]; /* numbers of the recording's origins that were used last */
    bool skip; /* the snapshot was read before, so its objects and sizes are not counted again */
    mp_string_id tag;
    uint64_t sequence;
    int64_t latest_us;                  /* latest time of a creation or deletion in the snapshot */
    uint64_t rows[OEMP_NUMBERS];        /* rows of numbers */
    uint64_t last[OEMP_ROW], last_line; /* the previous row of a new object */
} oemp_state;

/* Functions for the rows of each section. They get the columns, in the order of the format
 * document, and the line of the row. */
void oemp_header(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_platform_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_type_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_built_in_catalogue(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_platform_data(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_source_name(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_other_name(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_node(oemp_state *state, const oemp_value *row, uint64_t line);
void oemp_trailer(oemp_state *state, const oemp_value *row, uint64_t line);

/* Columns of the sections that make up most of a recording; all of them are numbers. Columns that
 * are not in the bit sets below are internal or unused, and may have any value. */
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
enum { OEMP_CHANGED_TABLE = 5, OEMP_CHANGED_ROW };
enum { OEMP_DELETED_TIME = 1, OEMP_DELETED_ROW };
enum {
    OEMP_OBJECT_COLUMNS = 1 << OEMP_ID | 1 << OEMP_TYPE | 1 << OEMP_MEM | 1 << OEMP_CREATED |
                          1 << OEMP_NODE | 1 << OEMP_LINE | 1 << OEMP_SOURCE | 1 << OEMP_SCOPE |
                          1 << OEMP_TABLE | 1 << OEMP_NAME | 1 << OEMP_BUILT_IN,
    OEMP_CHANGED_COLUMNS = 1 << OEMP_ID | 1 << OEMP_TYPE | 1 << OEMP_MEM | 1 << OEMP_CHANGED_TABLE,
    OEMP_DELETED_COLUMNS = 1 << OEMP_ID | 1 << OEMP_DELETED_TIME,
};
/* Take rows of the current section: objects created, changed and deleted. The first row is at
 * `line`. */
void oemp_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line);
void oemp_changed_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line);
void oemp_deleted_objects(oemp_state *state, const uint64_t *rows, size_t count, uint64_t line);

/* Prepare the replay by a second thread (oemp_replay.h). */
void oemp_begin_replay(oemp_state *state);
/* Wait until everything that was handed over is replayed. Called by the replay itself, it does
 * nothing. */
void oemp_settle(void *state);

/* End the snapshot after its last section. Return false, after a diagnostic, if it is not whole. */
bool oemp_snapshot_end(oemp_state *state, uint64_t line);

/* After all inputs are read, report undefined references, and recordings that end early. */
void oemp_finish(oemp_state *state);

/* Return the model's id for a text of the file; none for "", "?" and "??:??". */
mp_string_id oemp_intern(oemp_state *state, mp_slice text);
/* Return the line number, or MP_NO_LINE after a diagnostic if it is invalid. The row is in section
 * `name`, at `line`. */
uint32_t oemp_line(oemp_state *state, uint64_t number, const char *name, uint64_t line);

/* Return the model's id for an id of the file. Create it if it is new. `line` is the line that uses
 * the id, for a diagnostic if it stays undefined; 0 for its definition. */
mp_type_id oemp_type(oemp_state *state, uint64_t number, uint64_t line);
mp_symbol_id oemp_symbol(oemp_state *state, mp_id_index *ids, uint64_t number, uint64_t line);
mp_node_id oemp_node_id(oemp_state *state, uint64_t number, uint64_t line);
