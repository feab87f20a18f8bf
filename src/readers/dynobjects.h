/* Logs of OpenEdge clients and agents: entries of dynamic objects and of calls, taken apart. */
#ifndef MP_READERS_DYNOBJECTS_H
#define MP_READERS_DYNOBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Bits of a handle or an address; the bits above them are for the type. */
enum { DYN_ID_BITS = 48, DYN_MOST_TYPES = UINT16_MAX };

typedef enum dyn_kind {
    DYN_OTHER,   /* no entry of a log, or one of another type */
    DYN_NOTHING, /* an entry of an object that never counts */
    DYN_BIRTH,
    DYN_DEATH,
    DYN_KEPT,   /* kept for reuse, or removed from there */
    DYN_CALL,   /* `routine` at `line` calls `callee` */
    DYN_RETURN, /* from `callee` */
    DYN_BAD,    /* damaged; `wrong` says how */
} dyn_kind;

/* Name of code: a method or internal procedure, which may be absent, and its file or class. */
typedef struct dyn_routine {
    mp_slice name, unit;
} dyn_routine;

/* One entry; slices borrow from the line. */
typedef struct dyn_entry {
    dyn_kind kind;
    int64_t time_us; /* since 1970, UTC */
    mp_slice stamp;  /* the same, as the log has it */
    uint64_t process;
    mp_slice session; /* "AS-4" of an agent; empty: the process has one session */
    mp_slice request; /* empty: none */
    mp_slice type, name, pool;
    uint64_t id;   /* handle or address */
    int64_t bytes; /* bytes of a MEMPTR; 0 for other objects */
    dyn_routine routine;
    uint32_t line;
    dyn_routine callee;
    const char *wrong; /* static; what is wrong, and what was expected */
} dyn_entry;

/* The last date and time zone that were converted; zero-initialise. */
typedef struct dyn_clock {
    char text[17];
    int64_t midnight_us; /* since 1970, UTC */
} dyn_clock;

/* Take a line apart. */
void dyn_parse(dyn_clock *clock, mp_slice line, dyn_entry *entry);
/* Return true if the line begins as all entries of a log do, and set time and process. */
bool dyn_parse_head(dyn_clock *clock, mp_slice line, dyn_entry *entry);

#endif
