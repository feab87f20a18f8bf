/* V8 heap snapshots: state shared by the files of the reader. */
#pragma once

#include "base/index.h"
#include "input/json_cursor.h"
#include "model/graph_builder.h"
#include "readers/dumps.h"
#include "readers/reader.h"

/* Ways to label objects of a type of nodes. */
typedef enum v8_rule {
    V8_PLAIN,     /* type of the node: "(array)" */
    V8_NAMED,     /* name of the node, which is the name of its constructor */
    V8_CLOSURE,   /* type and name: "(closure) onPrice" */
    V8_SYNTHETIC, /* name of the node; a node without a size represents roots of one kind */
} v8_rule;

/* A type of nodes, in the order of the file. */
typedef struct v8_kind {
    mp_string_id label; /* "(array)" */
    v8_rule rule;
    bool is_array, is_native;
    mp_content_kind content; /* of its nodes; COLLECTION: of some */
} v8_kind;

/* Nodes with the same label. */
typedef struct v8_class {
    uint32_t name; /* index in the strings */
    uint32_t next; /* next class with this name; 0: none */
    uint32_t kind;
    bool is_detached;
    mp_string_id label; /* 0: the name was not read */
    uint32_t type;      /* type in the model */
} v8_class;

enum { V8_MOST_FIELDS = 64, V8_MOST_KINDS = 255 };

/* Fields of nodes and edges that are read, each with its place in the file. */
enum { V8_TYPE, V8_NAME, V8_ID, V8_SIZE, V8_EDGES, V8_DETACHED, V8_NODE_FIELDS };
enum { V8_EDGE_TYPE, V8_EDGE_NAME, V8_TO_NODE, V8_EDGE_FIELDS };
typedef struct v8_fields {
    uint32_t count; /* fields in the file, up to V8_MOST_FIELDS + 1 */
    uint32_t place[V8_NODE_FIELDS];
} v8_fields;
#define V8_NO_FIELD UINT32_MAX

/* Types of edges that are distinguished. All others count as strong references. */
typedef enum v8_edge {
    V8_STRONG,
    V8_ELEMENT,
    V8_WEAK,
    V8_SHORTCUT,
    V8_INTERNAL,
    V8_HIDDEN
} v8_edge;

/* A node to which the root refers. The root refers to it either by a shortcut (a global object of
 * the program) or as an element. */
typedef struct v8_entry {
    uint32_t object;
    bool is_shortcut;
} v8_entry;

/* State of one file. */
typedef struct v8_state {
    mp_dumps *dumps;
    mp_model *model;
    mp_json_cursor json;
    v8_fields node_fields, edge_fields;
    v8_kind kinds[V8_MOST_KINDS + 1]; /* kinds[kind_count] is for types that are not declared */
    v8_edge edges[V8_MOST_KINDS + 1];
    uint32_t kind_count, edge_kinds;
    uint64_t node_count, edge_count; /* as the header states them; UINT64_MAX: not stated */
    mp_graph *graph; /* objects are nodes; until the end, their types are numbers of classes */
    size_t ids_capacity, sizes_capacity, types_capacity, first_capacity, targets_capacity;
    MP_LIST(v8_class) classes; /* from 1 */
    mp_id_index classes_by_key, classes_by_name;
    uint64_t edges_expected, edges_read;
    uint64_t strings; /* in the array of strings that was read last */
    /* While edges are read: the object to which the next edge belongs, the number of edges up to
     * the last one of this object, and the number of edges kept so far. */
    uint32_t object, kept;
    uint64_t object_end;
    /* Name of each kept edge of arrays, in order; 0 if the edge is not internal. */
    MP_LIST(uint32_t) array_names;
    mp_id_index tables; /* maps the name of an edge to the id of the table of a WeakMap */
    MP_LIST(v8_entry) entries;
    uint64_t bad_types;    /* number of nodes whose type is not declared */
    unsigned seen;         /* sections that were read */
    const char *misplaced; /* a section that depends on a later section; NULL: none */
    bool fields_missing, too_many, too_large;
} v8_state;

/* Sections that are used, as bits, in the required order. */
enum { V8_SNAPSHOT = 1, V8_NODES = 2, V8_EDGE_LIST = 4, V8_STRINGS = 8 };

/* Functions that read the value of a section. They return false if the input ends in the section,
 * or if it is malformed. */
typedef struct v8_section_readers {
    bool (*nodes)(v8_state *state);
    bool (*edges)(v8_state *state);
    bool (*strings)(v8_state *state);
} v8_section_readers;

/* Return the state for an input, which must be at its start. Release it with v8_end. */
v8_state v8_begin(mp_dumps *dumps, mp_input *input);
void v8_end(v8_state *state);
/* Start and end one more pass over an input: with dumps whose model and diagnostics nobody sees. */
mp_dumps v8_unseen(void);
void v8_unseen_free(mp_dumps *dumps);
/* Read the sections up to the first one that cannot be read. Return true if the whole file was
 * read. */
bool v8_read_sections(v8_state *state, const v8_section_readers *readers);

/* Read a row of an array of numbers, with the comma after it. */
bool v8_read_row(v8_state *state, uint32_t count, uint64_t *values);
/* Read an array of numbers, and call `take` for every `count` of them. Return false if `take` does,
 * or if the array is truncated or malformed. An incomplete last row is malformed. */
typedef bool v8_take_row(v8_state *state, const uint64_t *values);
bool v8_read_rows(v8_state *state, uint32_t count, v8_take_row *take);
/* Return true if the member, or the text, that was read last is this one. */
static inline bool v8_is_member(const v8_state *state, const char *name)
{
    return mp_text_buffer_is(&state->json.name, name);
}
static inline bool v8_is_text(const v8_state *state, const char *text)
{
    return mp_text_buffer_is(&state->json.text, text);
}
/* Read an array of strings, and count them in state->strings. Call `take` for each one whose index
 * is in `wanted`, or for all (NULL), while json.text has it: with its index, and with the value
 * in `wanted`. Return false after the last wanted one, or if the array is malformed. */
typedef void v8_take_text(v8_state *state, uint64_t index, uint32_t value);
bool v8_read_texts(v8_state *state, const mp_id_index *wanted, v8_take_text *take);
/* Return true if the header describes the first `needed` fields. */
bool v8_has_fields(const v8_fields *fields, uint32_t needed);

/* Read the value of a section, in the way that v8_section_readers describes. */
bool v8_read_snapshot(v8_state *state);
bool v8_read_nodes(v8_state *state);
bool v8_read_edges(v8_state *state);
bool v8_read_strings(v8_state *state);
/* After the last edge, set the index of the first edge of the objects that remain. If the edges are
 * not `usable`, discard them. */
void v8_end_edges(v8_state *state, bool usable);

/* Turn the nodes and edges that were read into the graph of `snapshot`: give types to the objects,
 * replace the nodes that stand for roots by roots, and leave out references that keep nothing alive
 * by the rules of V8. */
void v8_finish_graph(v8_state *state);

/* Set the names of references (mp_reader.name_references). */
void v8_name_references(mp_input *input, mp_named_reference *references, size_t count,
                        mp_arena *texts);
/* Set contents of objects (mp_reader.read_contents). */
bool v8_read_contents(mp_input *input, mp_contents *contents);
