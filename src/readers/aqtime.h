/* The AQTime reader: its parts and their shared state.
 *
 * A database is a list of result sets. Each table is read once, sorted by result set, and all
 * tables advance together, one set at a time. The names of a set are read first, then its objects
 * with their stacks, then its class figures and references. Ids are valid only within a set, so
 * they are forgotten after it. */
#pragma once

#include "base/encoding.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sqlite.h"
#include "model/census.h"
#include "model/history.h"
#include "readers/aqtime_source.h"
#include "readers/reader.h"

typedef enum aq_table {
    AQ_INSTANCES,
    AQ_OBJECTS,
    AQ_META_CLASSES,
    AQ_CLASSES,
    AQ_STACKS,
    AQ_ROUTINES,
    AQ_THREADS,
    AQ_REFERENCES_TO,
    AQ_REFERENCES_FROM,
    AQ_META_LINES, /* not read, because routines state their own lines */
    AQ_RELATIONS,  /* not read, because it only describes the fixed relations of the format */
    AQ_TABLES
} aq_table;

/* Columns that are read. Column 0 is the number of the row. */
enum { AQ_COLUMNS = 16 };
enum { AQ_ROW, AQ_SET };
enum { AQ_CAPTION = 2 };
enum { AQ_O_ID = 2, AQ_O_RECORD, AQ_O_CLASS, AQ_O_SIZE, AQ_O_NUMBER, AQ_O_ADDRESS, AQ_O_GET };
enum { AQ_O_ROOT = AQ_O_GET + 1, AQ_O_THREAD, AQ_O_END };
enum { AQ_C_RECORD = 2, AQ_C_NAME, AQ_C_NAMESPACE, AQ_C_MODULE, AQ_C_FINALIZABLE, AQ_C_LIVE };
enum {
    AQ_C_LIVE_SIZE = AQ_C_LIVE + 1,
    AQ_C_PEAK,
    AQ_C_PEAK_SIZE,
    AQ_C_TOTAL,
    AQ_C_TOTAL_SIZE,
    AQ_C_END
};
enum { AQ_S_OBJECT = 2, AQ_S_ROUTINE };
enum { AQ_R_RECORD = 2, AQ_R_LINE, AQ_R_CLASS, AQ_R_NAME, AQ_R_FILE, AQ_R_UNIT, AQ_R_MODULE };
enum { AQ_R_HITS = AQ_R_MODULE + 1 };
enum { AQ_T_RECORD = 2, AQ_T_SYSTEM_ID, AQ_T_NAME };
enum { AQ_E_OBJECT = 2, AQ_E_RECORD };

/* A number in a row; the value is 0 if it is unknown. */
typedef struct aq_number {
    int64_t value;
    bool known;
} aq_number;

/* A walk over a table, sorted by result set. */
typedef struct aq_cursor {
    sqlite3_stmt *statement; /* NULL: the table does not exist, or the walk is at its end */
    bool there, has_set; /* there: the table exists; has_set: the table has the column INST_ID */
    bool ready, taken;   /* ready: the walk has a current row; taken: aq_next has returned it */
    aq_number set;       /* result set of the current row */
} aq_cursor;

typedef struct aq_set {
    int64_t id;
    mp_string_id caption;
    mp_snapshot_id snapshot;
} aq_set;

/* Figures of one result set that are stated for the classes of a type, and sums over the objects of
 * the type. */
typedef struct aq_figures {
    int64_t live, live_size, total, total_size;
    int64_t objects, bytes;
    int64_t peak, peak_size; /* -1: not stated, or stated for several classes */
    int64_t row;             /* row in CLASSES_DATA, the last one if there are several */
    bool listed;             /* member of `active` */
    bool stated, live_known, size_known, total_known;
} aq_figures;

/* An object of the graph. */
typedef struct aq_vertex {
    uint64_t record;
    mp_type_id type;
    int64_t bytes;
    bool root;
} aq_vertex;

typedef struct aq_state {
    mp_model *model;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    mp_arena scratch; /* memory for the current row */

    /* Shared by all inputs: */
    mp_id_index symbols;    /* maps a (name, start line) to its symbol */
    mp_id_index node_index; /* maps a (parent node, symbol) to its node */
    uint64_t node_count;

    /* The current input: */
    const char *path;
    sqlite3 *database;
    int64_t steps_left; /* number of steps that SQLite may still execute */
    bool failed;
    mp_encoding *encoding; /* encoding of texts that are not UTF-8; NULL: ISO 8859-1 */
    bool bad_text;         /* a text was not valid in `encoding` */
    uint64_t records;
    mp_census census;
    mp_history *history;
    aq_cursor cursors[AQ_TABLES];
    aq_set *sets;
    size_t set_count, set_capacity;
    size_t graph_set;       /* index of the set whose graph is built; reports use only that graph */
    mp_id_index identities; /* for objects without a birth number: identity to the first set that
                               lists the object */
    uint64_t *ids; /* ids of kept objects, first those of the previous set, then those of the
                      current one */
    size_t ids_before, id_count, id_capacity;
    uint64_t next_id; /* next id for an object whose own id is already used */

    /* The current result set: */
    size_t set;        /* index, from 0 */
    aq_number last_id; /* id of the last object read */
    mp_id_index classes, routines, threads;
    mp_id_index kept;    /* ids of objects, for model->objects */
    aq_figures *figures; /* indexed by type */
    size_t figure_count, figure_capacity;
    uint32_t *active; /* types with figures */
    size_t active_count, active_capacity;
    mp_symbol_id *stack; /* routines of the current object's stack, innermost first */
    size_t stack_capacity;
    int64_t overwrites;
    aq_vertex *vertices; /* numbered from 1; only for the set whose graph is built */
    size_t vertex_count, vertex_capacity;
    mp_id_index vertex_of; /* ID of an object to its vertex */
} aq_state;

/* --- connection: aqtime_connection.c --- */

/* Open the database of the file. aq_source_close closes it. Return false after a diagnostic. */
bool aq_connect(aq_state *state, aq_source *file);

/* Columns, by their places in a row, that rows are sorted by, the most significant one first. */
enum { AQ_KEYS = 2 };
typedef struct aq_order {
    int columns[AQ_KEYS];
    unsigned count;
} aq_order;
/* Return true if the rows of the table with this first page are stored in this order, and all keys
 * are stored as integers. Rows with equal keys are in the order of their numbers. The pages were
 * checked by aq_connect. */
bool aq_rows_in_order(const aq_source *file, uint32_t root, const aq_order *order);

/* --- tables: aqtime_tables.c --- */

/* Return the name of a table, such as "ALLOCATION_PROFILER_OBJECTS". */
const char *aq_table_name(aq_table table);
/* Return true if the format has a table of this name. */
bool aq_is_table(const char *name);
/* Prepare a statement. Return NULL after a diagnostic. */
sqlite3_stmt *aq_prepare(aq_state *state, const char *query);
/* Report SQLite's error message, once per input. Return false. */
bool aq_fail(aq_state *state, const char *doing);
/* Find the tables of the file and start walks over them. Return false after a diagnostic. */
bool aq_open_tables(aq_state *state, const aq_source *file);
void aq_close_tables(aq_state *state);
/* List all result sets, in order. Return false after a diagnostic if there are none. */
bool aq_read_sets(aq_state *state);
/* Return true if the current set has another row in the table. Sets must be read in order. Rows of
 * sets that do not exist are skipped with a diagnostic. */
bool aq_has(aq_state *state, aq_table table);
/* Skip all rows of the current set. */
void aq_pass(aq_state *state, aq_table table);
/* Read the next row of the current set, and its numeric columns. Skip rows with an invalid number,
 * with a diagnostic. Return false if the set has no more rows. */
bool aq_next(aq_state *state, aq_table table, aq_number numbers[AQ_COLUMNS]);
/* Let aq_next return the current row again. */
void aq_hold_back(aq_state *state, aq_table table);
int64_t aq_row(const aq_state *state, aq_table table);
/* Report a diagnostic about a row of the table. */
void aq_say(aq_state *state, mp_diagnostic_id id, aq_table table, int64_t row, const char *format,
            ...) __attribute__((format(printf, 5, 6)));
/* Return the text of a column of the current row; "" for NULL. It is valid until the next row. */
const char *aq_text(const aq_state *state, aq_table table, int column);
mp_string_id aq_intern(aq_state *state, const char *text);

/* --- names: aqtime_names.c --- */

/* Read the classes, routines and threads of the current set. */
void aq_read_names(aq_state *state);
/* Return the model's id for a number of the current set. If the number is not defined, report a
 * diagnostic and create an id. */
mp_type_id aq_class(aq_state *state, int64_t record, int64_t row);
mp_symbol_id aq_routine(aq_state *state, int64_t record, int64_t row);
mp_string_id aq_thread(aq_state *state, int64_t record, int64_t row);
mp_type_id aq_type_of_row(aq_state *state, aq_table table);
/* Define a class of the current set, unless its number is already defined. */
void aq_name_class(aq_state *state, int64_t record, mp_type_id type);
bool aq_is_overwrite(const aq_state *state, mp_type_id type);
/* Return the call-tree node of the stack with `count` routines in state->stack. */
mp_node_id aq_node_of(aq_state *state, size_t count);

/* --- objects: aqtime_objects.c --- */

/* Read the objects of the current set, and count them. */
void aq_read_objects(aq_state *state);

/* --- other data of a set: aqtime_sets.c --- */

/* Read the figures and names that are stated for classes. When all objects are read,
 * aq_check_figures compares the figures with them. */
void aq_read_figures(aq_state *state);
void aq_check_figures(aq_state *state);
aq_figures *aq_figures_of(aq_state *state, mp_type_id type);
/* Build the object graph, if the current set is the one whose graph is built, and has
 * references. */
void aq_read_references(aq_state *state);
