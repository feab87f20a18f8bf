/* Logs of OpenEdge clients and agents: parsing of entries about dynamic objects and calls, and the
 * names in them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/slice.h"
#include "base/text.h"
#include "model/model.h"

/* Number of low bits of an id, which have the handle or the address. The higher bits have the
 * type. */
enum { DYN_ID_BITS = 48, DYN_MOST_TYPES = UINT16_MAX };

typedef enum dyn_kind {
    DYN_OTHER,   /* not an entry of the log, or an entry of another kind */
    DYN_NOTHING, /* an entry about an object of a kind that is never counted */
    DYN_BIRTH,
    DYN_DEATH,
    DYN_KEPT,   /* the object was moved to or from the pool of reusable objects */
    DYN_CALL,   /* `routine` at `line` calls `callee` */
    DYN_RETURN, /* return from `callee` */
    DYN_BAD,    /* damaged; `wrong` says how */
} dyn_kind;

/* Name of code: a method or internal procedure (empty for a main block), and its file or class. */
typedef struct dyn_routine {
    mp_slice name, unit;
} dyn_routine;

/* One entry; slices borrow from the line. */
typedef struct dyn_entry {
    dyn_kind kind;
    int64_t time_us; /* time in microseconds since 1970, UTC */
    mp_slice stamp;  /* the time as written in the log */
    uint64_t process;
    mp_slice
        session; /* session, such as "AS-4" of an agent; empty: the process has only one session */
    mp_slice request; /* empty: no request */
    mp_slice type, name, pool;
    uint64_t id;   /* handle or address */
    int64_t bytes; /* bytes of a MEMPTR; 0 for other objects */
    dyn_routine routine;
    uint32_t line;
    dyn_routine callee;
    const char *wrong; /* what is wrong, and what was expected; static text */
} dyn_entry;

/* The last date and time zone that were converted. Zero-initialise to start. */
typedef struct dyn_clock {
    char text[17];
    int64_t midnight_us; /* microseconds since 1970, UTC */
} dyn_clock;

/* Parse a line into `entry`. */
void dyn_parse(dyn_clock *clock, mp_slice line, dyn_entry *entry);
/* Return true if the line begins like an entry of a log, and set time and process. */
bool dyn_parse_head(dyn_clock *clock, mp_slice line, dyn_entry *entry);

/* Read "ROUTINE @ LINE" or, in earlier releases, "ROUTINE Line LINE". Return false if it is
 * neither. */
bool dyn_read_place(mp_slice text, mp_slice *routine, uint32_t *line);

/* --- names --- */

/* Names of the log in the model. Set `model`, and zero all other members. Release with
 * dyn_names_free. */
typedef struct dyn_names {
    mp_model *model;
    mp_id_index symbols; /* indexed by string */
    mp_key_index nodes;  /* maps a (parent, symbol, line) to its node */
    mp_string_id *units; /* file or class of the code, indexed by symbol */
    size_t unit_capacity;
    mp_text_buffer routine; /* scratch space for the name of a routine */
} dyn_names;

void dyn_names_free(dyn_names *names);
mp_string_id dyn_intern(dyn_names *names, mp_slice text);
/* Return the symbol with this name, whose code is in a file or class; none if the name is empty. */
mp_symbol_id dyn_symbol(dyn_names *names, mp_string_id name, mp_string_id unit);
mp_type_id dyn_type(dyn_names *names, mp_slice text);

/* --- calls --- */

/* A call that has not returned. */
typedef struct dyn_call {
    mp_symbol_id callee;
    mp_node_id node;
} dyn_call;

enum { DYN_DEEPEST_STACK = 512 }; /* maximum number of nested calls that are tracked */
typedef struct dyn_calls {
    dyn_call items[DYN_DEEPEST_STACK];
    size_t depth;
} dyn_calls;

/* Return the symbol "NAME UNIT", or "UNIT" for a main block; none if there is no code. */
mp_symbol_id dyn_routine_symbol(dyn_names *names, const dyn_routine *routine);
/* Return the node of the code that is running. Deeper calls have returned, even if the log does not
 * say so, because it contains returns only at level 3. */
mp_node_id dyn_running_node(dyn_names *names, dyn_calls *calls, mp_symbol_id routine);
void dyn_enter_call(dyn_names *names, dyn_calls *calls, const dyn_entry *entry);
void dyn_leave_call(dyn_names *names, dyn_calls *calls, const dyn_entry *entry);
