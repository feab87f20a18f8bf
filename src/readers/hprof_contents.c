/* Java heap dumps (hprof): contents of objects, which one more pass over the file reads.
 *
 * At most three fields of an instance are read; their names depend on the class. Elements of arrays
 * are hashed in blocks, so memory use does not depend on their number. Classes of the language are
 * known by their names: docs/formats/hprof.md. */
#include <stdlib.h>
#include <string.h>

#include "base/encoding.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/text.h"
#include "readers/hprof.h"

enum { MOST_FACTS = 3 };

/* Contents of the instances of a class. */
typedef struct role {
    const char *class_name;
    mp_content_kind kind;
    const char *fields[MOST_FACTS];
} role;

static const role roles[] = {
    /* Before version 9, strings may share an array. From version 9 on, a coder states the width of
     * characters. */
    {"java.lang.String", MP_CONTENT_STRING, {"coder", "offset", "count"}},
    {"java.util.ArrayList", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.LinkedList", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.PriorityQueue", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.Vector", MP_CONTENT_COLLECTION, {"elementCount"}},
    {"java.util.Stack", MP_CONTENT_COLLECTION, {"elementCount"}},
    {"java.util.HashMap", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.LinkedHashMap", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.TreeMap", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.IdentityHashMap", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.WeakHashMap", MP_CONTENT_COLLECTION, {"size"}},
    {"java.util.Hashtable", MP_CONTENT_COLLECTION, {"count"}},
    {"java.lang.Boolean", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Byte", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Character", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Short", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Integer", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Long", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Float", MP_CONTENT_BOXED, {"value"}},
    {"java.lang.Double", MP_CONTENT_BOXED, {"value"}},
};

/* A field that is read, at an offset from the first byte of an instance. */
typedef struct fact {
    uint64_t offset;
    uint32_t bytes;
    uint32_t index; /* in role.fields */
} fact;

/* Fields that are read of the instances of a class. */
typedef struct facts {
    mp_content_kind kind;
    fact items[MOST_FACTS]; /* by offset */
    uint32_t count;
} facts;

typedef struct hp_taking {
    mp_contents *contents;
    MP_LIST(facts) facts; /* element 0 is reserved */
} hp_taking;

/* --- classes --- */

static const role *role_of(mp_slice name)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (hp_is_named(name, roles[i].class_name))
            return &roles[i];
    return NULL;
}

/* Add a field to the facts, which are sorted by offset. */
static void add_fact(facts *known, fact added)
{
    uint32_t place = known->count++;
    for (; place && known->items[place - 1].offset > added.offset; place--)
        known->items[place] = known->items[place - 1];
    known->items[place] = added;
}

/* Find a field of the class or of its superclasses. The fields of superclasses follow. */
static void find_fact(const hp_state *state, const hp_class *class, const char *name,
                      uint32_t index, facts *known)
{
    enum { MOST_SUPERS = 64, WIDEST = 8 };
    const hp_class *owner = class;
    for (int depth = 0; depth < MOST_SUPERS && owner->dumped; depth++) {
        for (uint32_t i = 0; i < owner->number_count; i++) {
            const hp_number *field = &state->numbers.items[owner->first_number + i];
            const uint64_t offset = class->bytes - owner->bytes + field->offset;
            if (mp_slice_is(hp_text(state, field->name), name) && owner->bytes <= class->bytes &&
                offset + field->bytes <= class->bytes) {
                add_fact(known, (fact){offset, field->bytes, index});
                return;
            }
        }
        owner = &state->classes.items[mp_id_index_get(&state->classes_by_id, owner->super)];
    }
}

/* Return the facts to read about instances of the class, which must be resolved. */
static const facts *facts_of(hp_state *state, uint32_t number)
{
    hp_taking *job = state->taking;
    hp_class *class = &state->classes.items[number];
    if (!class->facts) {
        const role *named = role_of(hp_text(state, class->name));
        facts *known = MP_ADD(&job->facts);
        *known = (facts){.kind = named ? named->kind : MP_CONTENT_NONE};
        for (uint32_t i = 0; named && i < MOST_FACTS && named->fields[i]; i++)
            find_fact(state, class, named->fields[i], i, known);
        if (known->kind != MP_CONTENT_STRING && !known->count)
            known->kind = MP_CONTENT_NONE;
        class->facts = job->facts.count - 1;
    }
    return &job->facts.items[class->facts];
}

/* --- objects --- */

bool hp_take_instance(hp_state *state, uint64_t id, uint32_t number, uint32_t length)
{
    mp_contents *contents = state->taking->contents;
    const uint32_t object = mp_contents_next(contents, id);
    const hp_class *class = &state->classes.items[number];
    if (!class->dumped || length != class->bytes)
        return mp_bytes_skip(&state->cursor, length);
    const facts *known = facts_of(state, number);
    uint64_t values[MOST_FACTS] = {0}, offset = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const fact *field = &known->items[i];
        if (field->offset < offset) /* if superclasses form a cycle, their fields overlap */
            continue;
        if (!mp_bytes_skip(&state->cursor, field->offset - offset) ||
            !mp_bytes_number(&state->cursor, field->bytes, &values[field->index]))
            return false;
        offset = field->offset + field->bytes;
    }
    const mp_content content = {values[0], known->kind == MP_CONTENT_STRING
                                               ? mp_joined((uint32_t)values[1], (uint32_t)values[2])
                                               : 0};
    mp_contents_set(contents, object, known->kind, content);
    return mp_bytes_skip(&state->cursor, length - offset);
}

bool hp_take_references(hp_state *state, uint64_t id, uint32_t count)
{
    mp_contents *contents = state->taking->contents;
    const uint32_t object = mp_contents_next(contents, id);
    mp_content content = {.low = count};
    if (contents->texts)
        return mp_bytes_skip(&state->cursor, (uint64_t)count * state->id_bytes);
    for (uint64_t element; count; count--) {
        if (!hp_take_id(state, &element))
            return false;
        content.high += element != 0;
    }
    mp_contents_set(contents, object, MP_CONTENT_REFERENCES, content);
    return true;
}

/* Hash the elements of an array, which are next in the input. Blocks have a fixed length, so that
 * the result does not depend on how much of the input is in the window. */
static bool take_elements(hp_state *state, uint64_t type, uint64_t length, mp_content *content,
                          bool *zeros)
{
    enum { BLOCK = 1 << 14 };
    struct {
        uint64_t type, length;
        mp_fingerprint before, block;
    } sum = {.type = type, .length = length};
    *zeros = length > 0;
    do {
        const size_t step = length < BLOCK ? (size_t)length : BLOCK;
        if (!mp_bytes_take(&state->cursor, step))
            return false;
        const unsigned char *bytes = state->cursor.next;
        *zeros = *zeros && !bytes[0] && !memcmp(bytes, bytes + 1, step - 1);
        sum.block = mp_fingerprint_of(bytes, step);
        sum.before = mp_fingerprint_of(&sum, sizeof sum);
        state->cursor.next += step;
        length -= step;
    } while (length);
    *content = (mp_content){sum.before.low, sum.before.high};
    return true;
}

/* --- texts --- */

/* Return the beginning of a text in quotation marks, in UTF-8. `units` is the number of its
 * characters. With `wide`, each has two bytes; the higher byte is the first one or, without
 * `first`, the second. */
static const char *utf8_of(mp_arena *arena, const unsigned char *bytes, size_t units, bool wide,
                           bool first)
{
    const char *why;
    bool bad;
    char *text = mp_arena_alloc(arena, 2 * units + 1);
    mp_encoding *utf16 = mp_encoding_open(wide && !first ? "UTF-16LE" : "UTF-16BE", &why);
    for (size_t i = 0; i < units; i++) {
        text[2 * i] = (char)(wide ? bytes[2 * i] : 0);
        text[2 * i + 1] = (char)bytes[wide ? 2 * i + 1 : i];
    }
    const mp_slice utf8 = mp_encoding_text(utf16, arena, (mp_slice){text, 2 * units}, &bad);
    mp_encoding_close(utf16);
    return mp_reference_text(arena, "\"", utf8, "\"");
}

/* Take the beginnings of the wanted texts that an array has. */
static bool take_texts(hp_state *state, uint64_t id, uint64_t type, uint64_t length)
{
    enum { SHOWN = 100, CHAR = 5 };
    mp_contents *contents = state->taking->contents;
    size_t place = 0;
    MP_BISECT(place, contents->text_count, contents->texts[middle].array < id);
    for (; place < contents->text_count && contents->texts[place].array == id; place++) {
        mp_wanted_text *wanted = &contents->texts[place];
        const uint32_t start = (uint32_t)(wanted->content.high >> 32);
        const uint32_t count = (uint32_t)wanted->content.high;
        const bool wide = type == CHAR || wanted->content.low;
        const uint64_t unit = wide ? 2 : 1, stored = length / unit;
        uint64_t units = start < stored ? stored - start : 0;
        units = count && count < units ? count : units;
        units = units < SHOWN ? units : SHOWN;
        if (wanted->text || (uint64_t)start * unit > length)
            continue;
        if (!mp_bytes_skip(&state->cursor, start * unit) ||
            !mp_bytes_take(&state->cursor, (size_t)(units * unit)))
            return false;
        wanted->text =
            utf8_of(contents->arena, state->cursor.next, (size_t)units, wide, type == CHAR);
        state->cursor.next += units * unit;
        return mp_bytes_skip(&state->cursor, length - (start + units) * unit);
    }
    return mp_bytes_skip(&state->cursor, length);
}

bool hp_take_numbers(hp_state *state, uint64_t id, uint64_t type, uint64_t length, bool has_data)
{
    mp_contents *contents = state->taking->contents;
    const uint32_t object = mp_contents_next(contents, id);
    mp_content content = {0};
    bool zeros = false;
    if (contents->texts && has_data)
        return take_texts(state, id, type, length);
    if (has_data && !take_elements(state, type, length, &content, &zeros))
        return false;
    mp_contents_set(contents, object,
                    !has_data ? MP_CONTENT_MISSING
                    : zeros   ? MP_CONTENT_ZEROS
                              : MP_CONTENT_NUMBERS,
                    content);
    return true;
}

bool hp_read_contents(mp_input *input, mp_contents *contents)
{
    hp_taking job = {.contents = contents};
    mp_dumps unseen = {.model = NULL};
    hp_state state;
    (void)MP_ADD(&job.facts);
    hp_begin(&state, &unseen, input);
    state.taking = &job;
    contents->next = 1;
    bool whole = mp_input_keep(input) && hp_read(&state);
    if (state.late) { /* an object came before its class */
        contents->next = 1;
        whole = hp_read_again(&state) && whole;
    }
    mp_input_consume(input, (size_t)(state.cursor.next - state.cursor.start));
    hp_end(&state);
    free(job.facts.items);
    return whole;
}
