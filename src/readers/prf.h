/* Execution profiles: the parts of the reader. Tokens come from prf.c; what rows mean is found in
 * prf_rows.c: ids are looked up, traces folded, nodes linked. */
#ifndef MP_READERS_PRF_H
#define MP_READERS_PRF_H

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/slice.h"
#include "model/profile.h"
#include "readers/reader.h"

/* --- the description line: prf_header.c --- */

/* All slices borrow from the line or from the arena that was given to prf_header_parse. */
typedef struct prf_header {
    uint64_t version;
    mp_slice date, description, time, user;
    mp_slice extra; /* from version 3: what looks like JSON and is none */
} prf_header;

/* False if the line is no description. Any version is accepted: the caller judges it. */
bool prf_header_parse(mp_slice line, mp_arena *scratch, prf_header *header);

/* TotTime in microseconds; -1 where there is none. */
int64_t prf_header_total(mp_slice extra);

/* The number behind a key; -1: there is none. */
int64_t prf_header_number(mp_slice extra, const char *key);

/* The last value of a key that is a string and not empty; the empty slice if there is none. */
mp_slice prf_header_text(mp_slice extra, const char *key);

/* --- rows: prf_rows.c --- */

/* One column of a row: `number` for ids, `amount` for lines, counts and microseconds. */
typedef struct prf_value {
    uint64_t number;
    int64_t amount;
    mp_slice text;
} prf_value;

/* The sections, as bits: which of a profile are not to be relied on. */
typedef enum prf_part {
    PRF_DESCRIPTION = 1,
    PRF_MODULES = 2,
    PRF_CALLS = 4,
    PRF_LINES = 8,
    PRF_TRACE = 16,
    PRF_COVERAGE = 32,
    PRF_STATISTICS = 64,
    PRF_NODES = 128,
    PRF_USER_DATA = 256,
} prf_part;

/* Line in the file of a row of the model; for a node, also the sums of its children. */
typedef struct prf_place {
    uint64_t line;
    uint64_t children, child_sum;
    mp_node_id awaited; /* a parent that was not defined yet */
} prf_place;

/* Places of the rows of one list, from the first one of the profile being read. */
typedef struct prf_places {
    prf_place *items;
    size_t count, capacity;
    uint32_t first; /* which element of the model's list at[0] is about */
} prf_places;

typedef struct prf_state {
    mp_model *model;
    mp_profile *profile;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    mp_arena scratch; /* unescaped strings of the row at hand */
    mp_budget spent;  /* all counts and times so far */
    /* The input being read. */
    const char *path;
    bool converted; /* a name was not UTF-8 */
    /* The profile being read. */
    mp_session_id session;
    uint64_t header_line;
    int64_t total_us; /* TotTime; -1: not said */
    unsigned unsound; /* sections with bad rows, or that were never closed */
    unsigned version;
    bool names_split;
    uint32_t first_module, first_model_node;
    mp_id_index modules, nodes, traced; /* ids of the file; (module, line) */
    prf_places lines, calls, traces, tree;
    uint64_t entity_line, entity_wants; /* coverage entity being read: line, promised lines */
} prf_state;

/* A profile begins; `line` is where its description stands. */
void prf_session_begin(prf_state *state, const prf_header *header, uint64_t line);

/* Rows by section, each with the columns in the order of the table in prf.c. */
void prf_module(prf_state *state, const prf_value *row, uint64_t line);
void prf_call(prf_state *state, const prf_value *row, uint64_t line);
void prf_line(prf_state *state, const prf_value *row, uint64_t line);
void prf_trace(prf_state *state, const prf_value *row, uint64_t line);
void prf_entity(prf_state *state, const prf_value *row, uint64_t line);
void prf_entity_line(prf_state *state, const prf_value *row, uint64_t line);
void prf_node(prf_state *state, const prf_value *row, uint64_t line);
void prf_user_data(prf_state *state, const prf_value *row, uint64_t line);
void prf_statistic(prf_state *state, mp_statistics_part part, mp_slice line);

/* The modules are all in: split their names. */
void prf_modules_end(prf_state *state);
/* The lines of an entity are all in. */
void prf_entity_end(prf_state *state);
/* The profile is over, whole or not: what was read of it is linked and verified. */
void prf_session_end(prf_state *state);

/* Hold the profile against itself (prf_verify.c). */
void prf_verify(prf_state *state);

/* Program and method of every module from `first` on, which are the modules of one profile
 * (prf_names.c). */
void prf_split_names(mp_model *model, uint32_t first);

#endif
