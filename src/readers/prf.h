/* The execution-profile reader: its parts. prf.c splits the file into rows; prf_rows.c evaluates
 * them: it looks up ids, sums traces and links nodes. */
#pragma once

#include "base/budget.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/slice.h"
#include "model/profile.h"
#include "readers/reader.h"

/* --- the description line: prf_header.c --- */

/* The parsed description line. Slices borrow from the line, or from the arena given to
 * prf_header_parse. */
typedef struct prf_header {
    uint64_t version;
    mp_slice date, description, time, user;
    mp_slice extra; /* since version 3: text that resembles JSON, but is not valid JSON */
} prf_header;

/* Parse a description line. Return false if the line is not one. All versions are accepted; the
 * caller checks the version. */
bool prf_header_parse(mp_slice line, mp_arena *scratch, prf_header *header);

/* Return TotTime in microseconds; -1: there is none. */
int64_t prf_header_total(mp_slice extra);

/* Return the number of a key; -1: there is none. */
int64_t prf_header_number(mp_slice extra, const char *key);

/* Return the last string value of a key that is not empty; empty if there is none. */
mp_slice prf_header_text(mp_slice extra, const char *key);

/* --- rows: prf_rows.c --- */

/* A column of a row: `number` for ids; `amount` for lines, counts and microseconds. */
typedef struct prf_value {
    uint64_t number;
    int64_t amount;
    mp_slice text;
} prf_value;

/* The sections, as bits of the set of damaged sections. */
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

/* Line of a row in the file. For a node, it also has the number of its children and the sum of
 * their ids. */
typedef struct prf_place {
    uint64_t line;
    uint64_t children, child_sum;
} prf_place;

/* Places of the rows of one list; the first is that of the current profile's first row. */
typedef struct prf_places {
    prf_place *items;
    size_t count, capacity;
    uint32_t first; /* index in the model's list of the row at items[0] */
} prf_places;

typedef struct prf_state {
    mp_model *model;
    mp_profile *profile;
    mp_diagnostics *diagnostics;
    const mp_load_options *options;
    mp_arena scratch; /* memory for unescaped strings of the current row */
    mp_budget spent;  /* limits the sum of all counts and times */
    /* The current input: */
    const char *path;
    /* The current profile: */
    mp_session_id session;
    uint64_t header_line;
    int64_t total_us; /* TotTime; -1: not stated */
    unsigned unsound; /* sections with bad rows or a missing end */
    unsigned version;
    bool names_split;
    uint32_t first_module, first_model_node;
    mp_id_index modules, nodes; /* ids of the file to modules and nodes */
    mp_hash_index traced;       /* (module, line) to trace */
    prf_places lines, calls, traces, tree;
    /* Line of the current entity, and number of lines that it announces. */
    uint64_t entity_line, entity_wants;
} prf_state;

/* Start a profile; `line` is the line of its description. */
void prf_session_begin(prf_state *state, const prf_header *header, uint64_t line);

/* Functions for the rows of each section. They get the columns in the order of the table in
 * prf.c. */
void prf_module(prf_state *state, const prf_value *row, uint64_t line);
void prf_call(prf_state *state, const prf_value *row, uint64_t line);
void prf_line(prf_state *state, const prf_value *row, uint64_t line);
void prf_trace(prf_state *state, const prf_value *row, uint64_t line);
/* Return the trace of a line of a module, by its number in the file; 0: it is not traced. */
uint32_t prf_traced(const prf_state *state, uint64_t module, int32_t line);
void prf_entity(prf_state *state, const prf_value *row, uint64_t line);
void prf_entity_line(prf_state *state, const prf_value *row, uint64_t line);
void prf_node(prf_state *state, const prf_value *row, uint64_t line);
void prf_user_data(prf_state *state, const prf_value *row, uint64_t line);
void prf_statistic(prf_state *state, mp_statistics_part part, mp_slice line);

/* Split the names of the modules. Call it after all modules are read. */
void prf_modules_end(prf_state *state);
/* End a coverage entity. Call it after all its lines are read. */
void prf_entity_end(prf_state *state);
/* End the profile, complete or not: link its rows and verify them. */
void prf_session_end(prf_state *state);

/* Check the consistency of the profile (prf_verify.c). */
void prf_verify(prf_state *state);

/* Split the names of all modules from `first` on into program and method (prf_names.c). They must
 * belong to one profile. */
void prf_split_names(mp_model *model, uint32_t first);
