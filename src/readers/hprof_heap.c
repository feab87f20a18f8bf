/* Java heap dumps (hprof): the records of the heap, which are classes, objects and roots. */
#include <string.h>

#include "base/text.h"
#include "readers/hprof.h"

/* Tags of records. Tags of roots are in a table. */
enum {
    CLASS_DUMP = 0x20,
    INSTANCE = 0x21,
    OBJECT_ARRAY = 0x22,
    PRIMITIVE_ARRAY = 0x23,
    PRIMITIVE_ARRAY_WITHOUT_DATA = 0xc3,
    HEAP_INFO = 0xfe,
};

enum { OBJECT = 2 }; /* the type of a field that is a reference */

/* --- classes --- */

/* Return the bytes of a value of a type; 0: there is no such type. */
static unsigned bytes_of(const hp_state *state, unsigned type)
{
    static const unsigned char bytes[] = {
        [4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8};
    return type == OBJECT ? state->id_bytes : type < sizeof bytes ? bytes[type] : 0;
}

/* Read a type. Return the number of bytes of its values; 0: there is no such type. */
static unsigned take_type(hp_state *state, uint64_t *type)
{
    const bool taken = mp_bytes_number(&state->cursor, 1, type);
    const unsigned bytes = taken ? bytes_of(state, (unsigned)*type) : 0;
    return bytes;
}

/* Read values of the class itself: constants, which each have a number, or static fields, which
 * each have a name. */
static bool read_values(hp_state *state, hp_class *class, bool is_static)
{
    uint64_t count, name = 0, type, value;
    if (!mp_bytes_number(&state->cursor, 2, &count))
        return false;
    for (; count; count--) {
        if (!(is_static ? hp_take_id(state, &name) : mp_bytes_number(&state->cursor, 2, &name)))
            return false;
        const unsigned bytes = take_type(state, &type);
        if (!bytes || !mp_bytes_number(&state->cursor, bytes, &value))
            return false;
        if (is_static && type == OBJECT)
            class->static_references++;
        else if (is_static)
            class->static_bytes += bytes;
        if (type != OBJECT || !value)
            continue;
        *MP_ADD(&state->links) = value;
        if (is_static)
            *MP_ADD(&state->statics) = (hp_static){name, value};
    }
    return true;
}

static bool read_fields(hp_state *state, hp_class *class)
{
    uint64_t count, name, type;
    if (!mp_bytes_number(&state->cursor, 2, &count))
        return false;
    for (; count; count--) {
        const unsigned bytes = hp_take_id(state, &name) ? take_type(state, &type) : 0;
        if (!bytes)
            return false;
        if (type == OBJECT) {
            *MP_ADD(&state->places) = class->own_bytes;
            if (state->naming)
                *MP_ADD(&state->place_names) = name;
            if (mp_slice_is(hp_text(state, name), "referent"))
                class->referent = class->own_bytes;
        } else if (state->taking) {
            *MP_ADD(&state->numbers) = (hp_number){name, class->own_bytes, bytes};
        }
        class->own_bytes += bytes;
    }
    return true;
}

static bool read_class(hp_state *state)
{
    enum { REFERENCES = HP_CLASS_REFERENCES };
    uint64_t id, references[REFERENCES];
    uint32_t trace;
    hp_class class = {.referent = UINT32_MAX,
                      .dumped = true,
                      .first_place = state->places.count,
                      .first_number = state->numbers.count,
                      .first_link = state->links.count,
                      .first_static = state->statics.count};
    if (!hp_take_id(state, &id) || !mp_bytes_u32(&state->cursor, &trace))
        return false;
    for (unsigned i = 0; i < REFERENCES; i++)
        if (!hp_take_id(state, &references[i]))
            return false;
    for (unsigned i = 0; i < REFERENCES; i++)
        if (references[i])
            *MP_ADD(&state->links) = references[i];
    bool whole = mp_bytes_u32(&state->cursor, &class.stated_bytes) &&
                 read_values(state, &class, false) && read_values(state, &class, true) &&
                 read_fields(state, &class);
    class.id = id;
    class.super = references[0];
    class.place_count = state->places.count - class.first_place;
    class.number_count = state->numbers.count - class.first_number;
    class.link_count = state->links.count - class.first_link;
    class.static_count = state->statics.count - class.first_static;
    /* must come first, because it may move the array of classes */
    const uint32_t number = hp_class_of(state, id);
    hp_class *known = &state->classes.items[number];
    class.name = known->name;
    if (whole && !known->dumped && !state->again) {
        *known = class;
        if (state->naming)
            hp_note_class(state, id, references);
        return true;
    }
    state->places.count = class.first_place;
    if (state->naming)
        state->place_names.count = class.first_place;
    state->numbers.count = class.first_number;
    state->links.count = class.first_link;
    state->statics.count = class.first_static;
    return whole;
}

/* --- objects --- */

/* Add the references of an instance, whose fields are next in the input. The fields of its class
 * come first, then those of each superclass. */
static bool read_references(hp_state *state, uint32_t number)
{
    const hp_class *classes = state->classes.items, *class = &classes[number];
    uint64_t offset = 0, id;
    for (uint32_t i = number; i; i = classes[i].above) {
        const hp_class *owner = &classes[i];
        const bool is_weak = class->is_weak && owner->is_reference;
        const uint64_t first = class->bytes - owner->bytes;
        for (uint32_t k = 0; k < owner->place_count; k++) {
            const uint32_t place = state->places.items[owner->first_place + k];
            if (!mp_bytes_skip(&state->cursor, first + place - offset) || !hp_take_id(state, &id))
                return false;
            offset = first + place + state->id_bytes;
            if (id && is_weak && place == owner->referent)
                state->weak_references++;
            else if (id)
                hp_refer(state, id);
        }
    }
    return mp_bytes_skip(&state->cursor, class->bytes - offset);
}

static bool read_instance(hp_state *state)
{
    uint64_t id, class_id;
    uint32_t trace, length;
    if (!hp_take_id(state, &id) || !mp_bytes_u32(&state->cursor, &trace) ||
        !hp_take_id(state, &class_id) || !mp_bytes_u32(&state->cursor, &length))
        return false;
    if (length > state->cursor.room)
        return false;
    if (state->naming)
        return hp_note_instance(state, id, class_id, length);
    const uint32_t number = hp_class_of(state, class_id);
    state->late = state->late || !hp_resolve(state, number);
    if (state->late)
        return mp_bytes_skip(&state->cursor, length);
    if (state->taking)
        return hp_take_instance(state, id, number, length);
    const hp_class *class = &state->classes.items[number];
    hp_add_object(state, id, number, HP_INSTANCE, length);
    state->classless += !class->dumped;
    if (!class->dumped || length != class->bytes) {
        state->bad_instances += class->dumped;
        return mp_bytes_skip(&state->cursor, length);
    }
    const bool whole = read_references(state, number);
    hp_end_object(state);
    return whole;
}

static bool read_object_array(hp_state *state)
{
    uint64_t id, class_id, element;
    uint32_t trace, count;
    if (!hp_take_id(state, &id) || !mp_bytes_u32(&state->cursor, &trace) ||
        !mp_bytes_u32(&state->cursor, &count) || !hp_take_id(state, &class_id))
        return false;
    if ((uint64_t)count * state->id_bytes > state->cursor.room)
        return false;
    if (state->naming)
        return hp_note_array(state, id, count);
    if (state->late)
        return mp_bytes_skip(&state->cursor, (uint64_t)count * state->id_bytes);
    if (state->taking)
        return hp_take_references(state, id, count);
    hp_add_object(state, id, hp_class_of(state, class_id), HP_REFERENCES, count);
    for (; count && hp_take_id(state, &element); count--)
        if (element)
            hp_refer(state, element);
    hp_end_object(state);
    return !count;
}

static bool read_primitive_array(hp_state *state, bool has_data)
{
    uint64_t id, type;
    uint32_t trace, count;
    if (!hp_take_id(state, &id) || !mp_bytes_u32(&state->cursor, &trace) ||
        !mp_bytes_u32(&state->cursor, &count))
        return false;
    const unsigned bytes = take_type(state, &type);
    const uint64_t length = (uint64_t)count * bytes;
    if (!bytes || type == OBJECT || (has_data && length > state->cursor.room))
        return false;
    if (state->taking && !state->late)
        return hp_take_numbers(state, id, type, length, has_data);
    if (!state->late)
        hp_add_object(state, id, state->primitives[type], HP_PRIMITIVES, length);
    return !has_data || mp_bytes_skip(&state->cursor, length);
}

/* --- roots --- */

/* Data after the id of a root. */
typedef enum root_rest { NOTHING, ID, THREAD, THREAD_FRAME, THREAD_TRACE } root_rest;

static const struct root_form {
    unsigned char tag, rest;
    uint32_t kind;    /* kind of roots without a name */
    const char *name; /* name of the kind */
} root_forms[] = {
    {0x01, ID, 0, "JNI global"},
    {0x02, THREAD_FRAME, 0, "JNI local"},
    {0x03, THREAD_FRAME, MP_ROOT_LOCAL, NULL},
    {0x04, THREAD, 0, "native stack"},
    {0x05, NOTHING, 0, "system class"},
    {0x06, THREAD, 0, "thread block"},
    {0x07, NOTHING, 0, "monitor"},
    {0x08, THREAD_TRACE, 0, "thread"},
    {0x89, NOTHING, 0, "interned string"},
    {0x8a, NOTHING, MP_ROOT_FINALIZER, NULL},
    {0x8b, NOTHING, 0, "debugger"},
    {0x8c, NOTHING, 0, "reference cleanup"},
    {0x8d, NOTHING, 0, "VM internal"},
    {0x8e, THREAD_FRAME, 0, "JNI monitor"},
    {0x90, NOTHING, 0, "unreachable"},
    {0xff, NOTHING, 0, "unknown"},
};

static bool read_root(hp_state *state, const struct root_form *form)
{
    mp_root root = {.kind = form->kind};
    uint64_t other;
    uint32_t thread = 0, frame = 0;
    if (!hp_take_id(state, &root.id) || (form->rest == ID && !hp_take_id(state, &other)) ||
        (form->rest >= THREAD && !mp_bytes_u32(&state->cursor, &thread)) ||
        (form->rest >= THREAD_FRAME && !mp_bytes_u32(&state->cursor, &frame)))
        return false;
    if (state->late || state->taking)
        return true;
    if (form->rest ==
        THREAD_TRACE) { /* keep the trace of the thread, which has the frames of its locals */
        const uint32_t trace = mp_id_index_get(&state->traces_by_serial, frame);
        if (trace)
            *mp_id_index_put(&state->traces_by_thread, thread) = trace;
    }
    if (form->rest == THREAD_FRAME)
        root.name = hp_frame_name(state, thread, frame);
    else if (form->rest != ID && thread)
        root.name = hp_thread_name(state, thread);
    if (form->name)
        root.kind = mp_root_kind_named(state->model, mp_slice_of(form->name));
    if (form->name && !strcmp(form->name, "unreachable"))
        root.flags = MP_ROOT_WEAK;
    mp_graph_root(state->graph, &root);
    return true;
}

static const struct root_form *form_of(uint64_t tag)
{
    for (size_t i = 0; i < sizeof root_forms / sizeof *root_forms; i++)
        if (root_forms[i].tag == tag)
            return &root_forms[i];
    return NULL;
}

bool hp_read_heap_record(hp_state *state, uint64_t tag)
{
    const struct root_form *form = form_of(tag);
    switch (tag) {
    case CLASS_DUMP:
        return read_class(state);
    case INSTANCE:
        return read_instance(state);
    case OBJECT_ARRAY:
        return read_object_array(state);
    case PRIMITIVE_ARRAY:
    case PRIMITIVE_ARRAY_WITHOUT_DATA:
        return read_primitive_array(state, tag == PRIMITIVE_ARRAY);
    case HEAP_INFO:
        return mp_bytes_skip(&state->cursor, 4 + state->id_bytes);
    default:
        return form && read_root(state, form);
    }
}
