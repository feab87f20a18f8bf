/* Java heap dumps (hprof): state shared by the files of the reader. */
#pragma once

#include "base/index.h"
#include "input/byte_cursor.h"
#include "model/build.h"
#include "model/graph_builder.h"
#include "readers/dumps.h"
#include "readers/reader.h"

typedef enum hp_status { HP_NEW, HP_OPEN, HP_DONE } hp_status;

/* A class. It becomes known by its id in a load record, by its dump, or by an object of the
 * class. */
typedef struct hp_class {
    uint64_t id, super, name; /* name: id of a string; 0: none */
    char element; /* type of the elements of an array of primitives, as in a descriptor; 0: none */
    bool dumped;  /* its dump was read, so the members up to `static_bytes` are known */
    uint32_t stated_bytes; /* size of an instance as the dump states it */
    uint32_t own_bytes;    /* bytes of its own fields in a dump */
    /* Its own fields that are references, in state->places: offsets from the first own field. */
    uint32_t first_place, place_count;
    uint32_t referent; /* offset of a reference named "referent"; UINT32_MAX: none */
    /* Range in state->links of the references of the class itself: its superclass, loader, signers,
     * domain, constants and static fields. Range in state->statics of the static fields among
     * them. */
    uint32_t first_link, link_count, first_static, static_count;
    uint32_t static_references, static_bytes; /* number of references in static fields, and bytes of
                                                 the other static fields */
    /* Facts including those of its superclasses, once `status` is HP_DONE: */
    hp_status status;
    uint64_t bytes,
        references;    /* bytes of all fields in a dump; number of the fields that are references */
    uint32_t above;    /* nearest superclass that has references; 0: none */
    bool is_reference; /* the class is java.lang.ref.Reference */
    bool is_weak;      /* neither it nor its subclasses keep the referent alive */
    uint32_t type;     /* type in the model */
    uint64_t least_gap; /* smallest distance from an instance to the next object */
    /* While contents are read: range in state->numbers of its own fields that are not references,
     * and index of the facts to read about its instances (hprof_contents.c); 0: not known yet. */
    uint32_t first_number, number_count, facts;
} hp_class;

/* A field that is not a reference. */
typedef struct hp_number {
    uint64_t name;          /* id of a string */
    uint32_t offset, bytes; /* offset from the first own field of the class; length in bytes */
} hp_number;

typedef struct hp_static {
    uint64_t name, value;
} hp_static;

typedef struct hp_frame {
    uint64_t method, source;
    uint32_t class_serial;
    int32_t line;
} hp_frame;

typedef struct hp_trace {
    uint32_t first_frame, frame_count; /* ids in state->trace_frames, innermost first */
} hp_trace;

enum { HP_BATCH = 512 };

/* State of one file. */
typedef struct hp_state {
    mp_dumps *dumps;
    mp_model *model;
    mp_byte_cursor cursor;
    mp_graph_builder *graph;
    unsigned id_bytes;
    bool android;  /* version 1.0.3 */
    int64_t stamp; /* milliseconds since 1970 */

    mp_arena arena;
    MP_LIST(mp_slice) texts; /* from 1 */
    MP_LIST(hp_class) classes;
    MP_LIST(uint32_t) places;
    MP_LIST(uint64_t)
    place_names; /* ids of the names of `places`; used only for the names of references */
    MP_LIST(hp_number) numbers; /* used only for contents */
    MP_LIST(uint64_t) links;
    MP_LIST(hp_static) statics;
    MP_LIST(hp_frame) frames;
    MP_LIST(hp_trace) traces;
    MP_LIST(uint64_t) trace_frames;
    MP_LIST(uint32_t) chain; /* classes that are being resolved */
    mp_id_index texts_by_id, classes_by_id, classes_by_serial, frames_by_id, traces_by_serial;
    mp_id_index traces_by_thread;
    uint32_t primitives[12]; /* classes of arrays of primitive types */
    uint32_t class_class;    /* java.lang.Class; set at the end */
    uint64_t batch[HP_BATCH];
    size_t batch_count;

    struct hp_naming *naming; /* not NULL: names of references are read, and no graph is made */
    struct hp_taking *taking; /* not NULL: contents are read, and no graph is made */
    /* An object came before its class, so objects are skipped, and the file is read once more. */
    bool late;
    bool again; /* the file is read once more, for its objects and roots */
    bool dump_ended, has_segments, begun;
    bool too_large;
    uint64_t weak_references; /* number of references that were left out */
    uint64_t objects;
    /* Numbers of damaged parts, with the offset of the first one. */
    uint64_t bad_records, bad_offset, unknown_records, later_dumps;
    uint64_t bad_instances; /* instances with another length than their class has */
    uint64_t classless;     /* instances of classes that are not in the dump */
    uint64_t missing_supers;
} hp_state;

/* Kinds of objects while a file is read. The low bits of the size of an object have the kind. The
 * higher bits have what determines the size: the bytes of its fields, the number of its elements,
 * the bytes of its elements, or the number of the class. */
enum { HP_INSTANCE, HP_REFERENCES, HP_PRIMITIVES, HP_CLASS, HP_KIND_BITS = 3 };

/* Read an id. */
static inline bool hp_take_id(hp_state *state, uint64_t *id)
{
    return mp_bytes_number(&state->cursor, state->id_bytes, id);
}

/* Set up the state for an input, which must be at its start. Release it with hp_end. */
void hp_begin(hp_state *state, mp_dumps *dumps, mp_input *input);
void hp_end(hp_state *state);
/* Read the header and all records, and skip what is damaged. Return true if the input ended after a
 * record. */
bool hp_read(hp_state *state);
/* Read the file once more from its start, for its objects and roots. Return the same as hp_read. */
bool hp_read_again(hp_state *state);

/* Read a record of the heap, of which the tag was read. Return false if it is malformed. */
bool hp_read_heap_record(hp_state *state, uint64_t tag);

/* Return the number of the class with this id. */
uint32_t hp_class_of(hp_state *state, uint64_t id);
mp_slice hp_text(const hp_state *state, uint64_t id);
/* Combine the facts of a class with those of its superclasses. Return false if one of these is not
 * known yet. */
bool hp_resolve(hp_state *state, uint32_t number);
/* Add an object. Add its references by hp_refer afterwards. */
void hp_add_object(hp_state *state, uint64_t id, uint32_t class, unsigned kind, uint64_t amount);
void hp_refer(hp_state *state, uint64_t id);
void hp_end_object(hp_state *state);
/* Add classes as objects, and their static fields as roots. */
void hp_add_classes(hp_state *state);
/* Return the name of a place in the code, "Leak.main (Leak.java:12)"; 0: unknown. */
mp_string_id hp_frame_name(hp_state *state, uint32_t thread, uint32_t frame);
/* Return the name of a thread: its number in the file. */
mp_string_id hp_thread_name(hp_state *state, uint32_t thread);
/* Set the names of references (mp_reader.name_references). */
void hp_name_references(mp_input *input, mp_named_reference *references, size_t count,
                        mp_arena *texts);
/* While names of references are read: note the fields of an instance, the elements of an array, or
 * a class with its first references, if any of these are wanted. Return false if the record ends
 * too early. */
enum { HP_CLASS_REFERENCES = 6 }; /* super, loader, signers, protection domain, two reserved */
bool hp_note_instance(hp_state *state, uint64_t id, uint64_t class_id, uint32_t length);
bool hp_note_array(hp_state *state, uint64_t id, uint32_t count);
void hp_note_class(hp_state *state, uint64_t id, const uint64_t references[HP_CLASS_REFERENCES]);

/* Set contents of objects (mp_reader.read_contents). */
bool hp_read_contents(mp_input *input, mp_contents *contents);
/* While contents are read: take the contents of an object, or skip it. The fields of the instance,
 * or the elements of the array, must be next in the input. hp_take_instance needs a class that is
 * resolved. Return false if the record ends too early. */
bool hp_take_instance(hp_state *state, uint64_t id, uint32_t number, uint32_t length);
bool hp_take_references(hp_state *state, uint64_t id, uint32_t count);
bool hp_take_numbers(hp_state *state, uint64_t id, uint64_t type, uint64_t length, bool has_data);
/* Return true if this is the name of a class of the language, such as "java.lang.String". The
 * separators in `name` are slashes, or dots on Android. */
bool hp_is_named(mp_slice name, const char *text);

/* Give types and sizes to the objects of the finished graph. */
void hp_finish_graph(hp_state *state, bool whole);
