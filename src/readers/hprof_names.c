/* Java heap dumps (hprof): names of references, which one more pass over the file reads.
 *
 * The pass skips all objects except those whose references are wanted. A class, and the names of
 * its fields, may come after its instances. So instances and classes are noted, and their
 * references are named after all records are read. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/diagnose.h"
#include "readers/hprof.h"

/* An object whose references are named at the end: an instance with the bytes of its fields, or a
 * class with its first references. */
typedef struct noted {
    uint64_t id, class_id; /* of the object and of its class; of a class, both are its own id */
    const unsigned char *bytes;
    uint32_t length;
    const uint64_t *references; /* references of a class; NULL: the object is an instance */
} noted;

typedef struct hp_naming {
    mp_named_reference *references;
    size_t count;
    mp_arena *texts, scratch;
    mp_id_index wanted; /* ids of the objects at which wanted references begin, to WANTED or SEEN */
    MP_LIST(noted) noted;
} hp_naming;

enum { WANTED = 1, SEEN };

/* Return true if references of the object are wanted, and no earlier object had this id. */
static bool take_wanted(hp_naming *job, uint64_t id)
{
    if (mp_id_index_get(&job->wanted, id) != WANTED)
        return false;
    *mp_id_index_put(&job->wanted, id) = SEEN;
    return true;
}

/* Return the wanted reference between two objects; NULL: it is not wanted, or already has a name.
 */
static mp_named_reference *wanted_to(const hp_naming *job, uint64_t from, uint64_t to)
{
    mp_named_reference *found = mp_named_reference_find(job->references, job->count, from, to);
    return found && !found->name ? found : NULL;
}

/* --- while records are read --- */

bool hp_note_instance(hp_state *state, uint64_t id, uint64_t class_id, uint32_t length)
{
    enum { MOST_BYTES = 1 << 20 }; /* a class has at most 65535 fields */
    hp_naming *job = state->naming;
    if (length > MOST_BYTES || !take_wanted(job, id))
        return mp_bytes_skip(&state->cursor, length);
    if (!mp_bytes_take(&state->cursor, length))
        return false;
    const char *bytes = mp_arena_copy(&job->scratch, (const char *)state->cursor.next, length);
    state->cursor.next += length;
    *MP_ADD(&job->noted) = (noted){
        .id = id, .class_id = class_id, .bytes = (const unsigned char *)bytes, .length = length};
    return true;
}

bool hp_note_array(hp_state *state, uint64_t id, uint32_t count)
{
    hp_naming *job = state->naming;
    uint64_t element;
    if (!take_wanted(job, id))
        return mp_bytes_skip(&state->cursor, (uint64_t)count * state->id_bytes);
    for (uint32_t i = 0; i < count; i++) {
        if (!hp_take_id(state, &element))
            return false;
        mp_named_reference *reference = wanted_to(job, id, element);
        if (reference)
            reference->name = mp_arena_format(job->texts, "[%" PRIu32 "]", i);
    }
    return true;
}

void hp_note_class(hp_state *state, uint64_t id, const uint64_t references[HP_CLASS_REFERENCES])
{
    hp_naming *job = state->naming;
    const size_t size = HP_CLASS_REFERENCES * sizeof *references;
    if (take_wanted(job, id))
        *MP_ADD(&job->noted) =
            (noted){.id = id,
                    .class_id = id,
                    .references = memcpy(mp_arena_alloc(&job->scratch, size), references, size)};
}

/* --- after the last record --- */

static void set_name(const hp_state *state, const noted *object, uint64_t to, uint64_t name)
{
    const mp_slice text = hp_text(state, name);
    mp_named_reference *reference = to ? wanted_to(state->naming, object->id, to) : NULL;
    if (reference)
        reference->name = text.length ? mp_reference_text(state->naming->texts, ".", text, "") : "";
}

/* Name the references of an instance by its fields. The fields of its class come first, then those
 * of each superclass. */
static void name_fields(hp_state *state, const noted *object)
{
    const uint32_t number = mp_id_index_get(&state->classes_by_id, object->class_id);
    if (!number || !hp_resolve(state, number))
        return;
    const hp_class *classes = state->classes.items, *class = &classes[number];
    if (!class->dumped || object->length != class->bytes)
        return;
    for (uint32_t i = number; i; i = classes[i].above) {
        const hp_class *owner = &classes[i];
        const bool is_weak = class->is_weak && owner->is_reference;
        const uint64_t first = class->bytes - owner->bytes;
        for (uint32_t k = 0; k < owner->place_count; k++) {
            const uint32_t place = state->places.items[owner->first_place + k];
            if (!is_weak || place != owner->referent)
                set_name(state, object,
                         mp_number_of(object->bytes + first + place, state->id_bytes),
                         state->place_names.items[owner->first_place + k]);
        }
    }
}

/* Name the references of a class: first its static fields, then the references that the machine
 * adds. */
static void name_statics(const hp_state *state, const noted *object)
{
    static const char *const names[HP_CLASS_REFERENCES] = {"{superclass}", "{class loader}",
                                                           "{signers}",    "{protection domain}",
                                                           "{reserved}",   "{reserved}"};
    const hp_class *class =
        &state->classes.items[mp_id_index_get(&state->classes_by_id, object->class_id)];
    for (uint32_t i = 0; i < class->static_count; i++) {
        const hp_static *field = &state->statics.items[class->first_static + i];
        set_name(state, object, field->value, field->name);
    }
    for (uint32_t i = 0; i < HP_CLASS_REFERENCES + class->link_count; i++) {
        const bool is_constant = i >= HP_CLASS_REFERENCES;
        const uint64_t to = is_constant
                                ? state->links.items[class->first_link + i - HP_CLASS_REFERENCES]
                                : object->references[i];
        mp_named_reference *reference = to ? wanted_to(state->naming, object->id, to) : NULL;
        if (reference)
            reference->name = is_constant ? "{constant}" : names[i];
    }
}

void hp_name_references(mp_input *input, mp_named_reference *references, size_t count,
                        mp_arena *texts)
{
    hp_naming job = {.references = references, .count = count, .texts = texts};
    mp_dumps unseen = {.model = NULL};
    hp_state state;
    for (size_t i = 0; i < count; i++)
        *mp_id_index_put(&job.wanted, references[i].from) = WANTED;
    hp_begin(&state, &unseen, input);
    state.naming = &job;
    state.late = true; /* skip objects that are not noted */
    hp_read(&state);
    mp_input_consume(input, (size_t)(state.cursor.next - state.cursor.start));
    state.again = true; /* all classes are known already */
    for (uint32_t i = 0; i < job.noted.count; i++)
        if (job.noted.items[i].references)
            name_statics(&state, &job.noted.items[i]);
        else
            name_fields(&state, &job.noted.items[i]);
    hp_end(&state);
    mp_id_index_free(&job.wanted);
    free(job.noted.items);
    mp_arena_free(&job.scratch);
}
