/* AQTime allocation databases: the parts of the reader.
 *
 * A database is a list of result sets. Every table is walked once, sorted by result set, and all
 * walks go side by side: set by set, names first, then objects with their stacks, then figures of
 * classes and references. What a set defines is forgotten with it, because ids mean nothing beyond
 * it. */
#ifndef MP_READERS_AQTIME_H
#define MP_READERS_AQTIME_H

#include <sqlite3.h>

#include "base/encoding.h"
#include "base/index.h"
#include "base/memory.h"
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
    AQ_META_LINES, /* not read: routines tell their lines */
    AQ_RELATIONS,  /* not read: it says what the format says */
    AQ_TABLES
} aq_table;

/* Columns that are read; 0 is the row's number in its table. */
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

/* A number of a row; where it is not known, the value is 0. */
typedef struct aq_number {
    int64_t value;
    bool known;
} aq_number;

/* A walk over a table in the order of result sets. */
typedef struct aq_cursor {
    sqlite3_stmt *statement; /* NULL: no such table, or its end */
    bool there, has_set;     /* the database has the table; and in it INST_ID */
    bool ready, taken;       /* there is a row at hand; it was handed out */
    aq_number set;           /* that it belongs to */
} aq_cursor;

typedef struct aq_set {
    int64_t id;
    mp_string_id caption;
    mp_snapshot_id snapshot;
} aq_set;

/* Figures stated for a class, and the sums of its rows of objects. */
typedef struct aq_figures {
    int64_t live, live_size, total, total_size;
    int64_t objects, bytes;
    int64_t peak, peak_size; /* -1: not told, or of several classes of this name */
    int64_t row;             /* in CLASSES_DATA; the last one of several */
    bool listed;             /* in `active` */
    bool stated, live_known, size_known, total_known;
} aq_figures; /* figures of one type in one result set */

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
    mp_arena scratch; /* memory for the row at hand */

    /* Over all inputs. */
    mp_id_index types;      /* name to type */
    mp_id_index symbols;    /* (name, first line) to symbol */
    mp_id_index node_index; /* (caller's node, symbol) to node */
    uint64_t node_count;

    /* The input at hand. */
    const char *path;
    sqlite3 *database;
    int64_t steps_left; /* that SQLite may take */
    bool failed, converted;
    mp_encoding *encoding; /* encoding of texts that are not UTF-8; NULL: ISO 8859-1 */
    bool bad_text;         /* nor that */
    uint64_t records;
    mp_census census;
    mp_history *history;
    aq_cursor cursors[AQ_TABLES];
    aq_set *sets;
    size_t set_count, set_capacity;
    size_t graph_set;       /* the one that reports look at: of no other a graph is made */
    mp_id_index identities; /* objects of unknown birth, to the first set that lists them */
    uint64_t *ids;          /* ids of the kept objects: at the set before, and then at this one */
    size_t ids_before, id_count, id_capacity;
    uint64_t next_id; /* for objects whose own id is taken */

    /* The result set at hand. */
    size_t set;        /* its place, from 0 */
    aq_number last_id; /* id of its last object so far */
    mp_id_index classes, routines, threads;
    mp_id_index kept;    /* ids of objects */
    aq_figures *figures; /* by type */
    size_t figure_count, figure_capacity;
    uint32_t *active; /* the types that have figures */
    size_t active_count, active_capacity;
    mp_symbol_id *stack; /* frames of the object at hand, innermost first */
    size_t stack_capacity;
    int64_t overwrites;
    aq_vertex *vertices; /* from 1; of the graph's set alone */
    size_t vertex_count, vertex_capacity;
    mp_id_index vertex_of; /* ID of an object to its vertex */
} aq_state;

/* --- connection: aqtime_connection.c --- */

/* Open the file's database. It is closed with the file. False after a diagnostic. */
bool aq_connect(aq_state *state, aq_source *file);

/* --- tables: aqtime_tables.c --- */

/* "ALLOCATION_PROFILER_OBJECTS" */
const char *aq_table_name(aq_table table);
/* Return true if the format has a table of this name. */
bool aq_is_table(const char *name);
/* NULL after a diagnostic. */
sqlite3_stmt *aq_prepare(aq_state *state, const char *query);
/* Say what SQLite says, once an input; gives false. */
bool aq_fail(aq_state *state, const char *doing);
/* Find the tables and open walks over them. False after a diagnostic. */
bool aq_open_tables(aq_state *state);
void aq_close_tables(aq_state *state);
/* All result sets, in order. False after a diagnostic where there is none. */
bool aq_read_sets(aq_state *state);
/* Return true if the current set has another row. Sets must be asked for in order; rows of sets
 * that do not exist are skipped with a diagnostic. */
bool aq_has(aq_state *state, aq_table table);
/* Pass over all rows of the set at hand. */
void aq_pass(aq_state *state, aq_table table);
/* The next row of the set at hand, with its columns of numbers; rows in which one of them is
 * something else are passed over with a diagnostic. */
bool aq_next(aq_state *state, aq_table table, aq_number numbers[AQ_COLUMNS]);
/* The row at hand is to come again. */
void aq_hold_back(aq_state *state, aq_table table);
int64_t aq_row(const aq_state *state, aq_table table);
/* A diagnostic about a row of the table. */
void aq_say(aq_state *state, mp_diagnostic_id id, aq_table table, int64_t row, const char *format,
            ...) __attribute__((format(printf, 5, 6)));
/* Borrowed until the next row; "" for none. */
const char *aq_text(const aq_state *state, aq_table table, int column);
mp_string_id aq_intern(aq_state *state, const char *text);

/* --- names: aqtime_names.c --- */

/* Classes, routines and threads of the set at hand. */
void aq_read_names(aq_state *state);
/* Return the id for a number of the set. If nothing defines the number, report a diagnostic and
 * create an id. */
mp_type_id aq_class(aq_state *state, int64_t record, int64_t row);
mp_symbol_id aq_routine(aq_state *state, int64_t record, int64_t row);
mp_string_id aq_thread(aq_state *state, int64_t record, int64_t row);
mp_type_id aq_type_of_row(aq_state *state, aq_table table);
/* A class of the set, unless one of that number came before. */
void aq_name_class(aq_state *state, int64_t record, mp_type_id type);
bool aq_is_overwrite(const aq_state *state, mp_type_id type);
/* The call-tree node of the stack of `count` routines in state->stack. */
mp_node_id aq_node_of(aq_state *state, size_t count);

/* --- objects: aqtime_objects.c --- */

void aq_read_objects(aq_state *state);

/* --- what else a set tells: aqtime_sets.c --- */

/* Read the figures stated for classes, and their names. When all objects are read, compare the
 * figures with them. */
void aq_read_figures(aq_state *state);
void aq_check_figures(aq_state *state);
aq_figures *aq_figures_of(aq_state *state, mp_type_id type);
/* The graph, where it is to be made of this set and there are any. */
void aq_read_references(aq_state *state);

#endif
