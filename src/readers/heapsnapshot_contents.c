/* V8 heap snapshots: contents of objects, read by one more pass over the file: the texts of
 * strings, and which arrays have no elements.
 *
 * V8 writes the beginning of a text, numbers only if it is asked to, and no elements of arrays that
 * are numbers: docs/formats/heapsnapshot.md. Texts come last, so until then the content of a string
 * is the index of its text, that of an object the place of its form, and that of a number the index
 * of its text and of the name of the reference to it. */
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/hash.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/heapsnapshot.h"

/* Texts by which objects and references are recognized. */
typedef enum word { NO_WORD, ARRAY, MAP, SET, MAP_EDGE, PROTO_EDGE, VALUE_EDGE } word;
static const char *const words[] = {
    [ARRAY] = "Array",          [MAP] = "Map",          [SET] = "Set", [MAP_EDGE] = "map",
    [PROTO_EDGE] = "__proto__", [VALUE_EDGE] = "value",
};

/* A text of the file. */
typedef struct text {
    mp_fingerprint fingerprint;
    uint32_t same;  /* index of the first equal text */
    uint32_t units; /* length in units of 16 bits */
    uint8_t word;
    bool is_wide; /* a unit needs more than 8 bits */
    bool is_lost; /* the text is not what the program had */
} text;

/* Objects with the same name and references of the same kinds. */
typedef struct form {
    uint32_t name;
    uint32_t is_full; /* there are elements */
    /* Names of the only two references, to the map and the prototype; 0 and 0: there are others. */
    uint32_t internal, property;
} form;

typedef struct node {
    uint32_t edges;       /* number of edges; of a value, the index of its text */
    uint32_t object : 30; /* object that has a form, or a number; 0: none */
    uint32_t is_array : 1;
    uint32_t is_value : 1; /* text of a number: a string without a size, and without edges */
} node;
enum { MOST_OBJECTS = 1 << 30 }; /* further objects are unknown */

typedef struct taking {
    v8_state state; /* first, because it is all that the functions for rows get */
    mp_contents *contents;
    MP_LIST(node) nodes;
    MP_LIST(form) forms;
    mp_key_index form_index;
    MP_LIST(text) texts;
    mp_hash_index texts_by_hash;
} taking;

/* --- nodes --- */

static uint32_t index_of(uint64_t name)
{
    return name < UINT32_MAX ? (uint32_t)name : UINT32_MAX;
}

static bool note_node(v8_state *state, const uint64_t *values)
{
    taking *job = (taking *)state;
    const uint32_t *place = state->node_fields.place;
    const uint64_t type = values[place[V8_TYPE]], edges = values[place[V8_EDGES]];
    const v8_kind *kind = &state->kinds[type < state->kind_count ? type : state->kind_count];
    const uint32_t next = mp_contents_next(job->contents, values[place[V8_ID]]);
    const uint32_t object = next < MOST_OBJECTS ? next : 0;
    const bool is_number = kind->content == MP_CONTENT_LOST_BOXED && values[place[V8_SIZE]];
    const bool is_text = kind->content == MP_CONTENT_TEXT;
    const bool is_value = is_text && !values[place[V8_SIZE]] && !edges;
    const bool has_edges = kind->content == MP_CONTENT_COLLECTION || is_number;
    *MP_ADD(&job->nodes) = (node){.edges = index_of(is_value ? values[place[V8_NAME]] : edges),
                                  .object = has_edges ? object & (MOST_OBJECTS - 1) : 0,
                                  .is_array = kind->is_array,
                                  .is_value = is_value};
    /* Small integers are nodes without a size, and no objects. */
    if (values[place[V8_SIZE]] || !(is_text || kind->content == MP_CONTENT_LOST_BOXED))
        mp_contents_set(job->contents, object, kind->content,
                        (mp_content){.low = index_of(values[place[V8_NAME]])});
    return true;
}

static bool read_nodes(v8_state *state)
{
    return v8_read_rows(state, state->node_fields.count, note_node);
}

/* --- edges --- */

/* Return the place of a form, from 1. */
static uint32_t place_of(taking *job, form added)
{
    uint32_t *place = mp_key_index_put(&job->form_index, &added, sizeof added);
    if (!*place) {
        *MP_ADD(&job->forms) = added;
        *place = job->forms.count;
    }
    return *place;
}

/* Read the references of an object. Return false if they are truncated. */
static bool read_form(taking *job, uint32_t edges, form *found)
{
    v8_state *state = &job->state;
    const uint32_t *place = state->edge_fields.place;
    uint64_t values[V8_MOST_FIELDS];
    uint32_t internal = 0, property = 0, others = 0;
    for (uint32_t i = 0; i < edges; i++) {
        if (!v8_read_row(state, state->edge_fields.count, values))
            return false;
        const uint64_t type = values[place[V8_EDGE_TYPE]];
        const uint64_t to = values[place[V8_TO_NODE]] / state->node_fields.count;
        const v8_edge edge = type < state->edge_kinds ? state->edges[type] : V8_STRONG;
        if (edge == V8_WEAK || edge == V8_SHORTCUT)
            continue;
        /* Each array refers to its map. An array that also refers to other objects has elements. */
        found->is_full |=
            edge == V8_ELEMENT || (to < job->nodes.count && job->nodes.items[to].is_array &&
                                   job->nodes.items[to].edges > 1);
        if (edge == V8_INTERNAL && !internal++)
            found->internal = index_of(values[place[V8_EDGE_NAME]]);
        else if (edge == V8_STRONG && !property++)
            found->property = index_of(values[place[V8_EDGE_NAME]]);
        else
            others++;
    }
    if (found->is_full || others || internal != 1 || property != 1)
        found->internal = found->property = 0;
    return true;
}

/* Read the references of a number. The first internal one that leads to a text has its value.
 * Return false if they are truncated. */
static bool read_number(taking *job, uint32_t edges, uint32_t object)
{
    v8_state *state = &job->state;
    const uint32_t *place = state->edge_fields.place;
    uint64_t values[V8_MOST_FIELDS];
    for (uint32_t i = 0; i < edges; i++) {
        if (!v8_read_row(state, state->edge_fields.count, values))
            return false;
        const uint64_t type = values[place[V8_EDGE_TYPE]];
        const uint64_t to = values[place[V8_TO_NODE]] / state->node_fields.count;
        if (type < state->edge_kinds && state->edges[type] == V8_INTERNAL &&
            to < job->nodes.count && job->nodes.items[to].is_value &&
            job->contents->kinds[object] == MP_CONTENT_LOST_BOXED)
            mp_contents_set(
                job->contents, object, MP_CONTENT_BOXED,
                (mp_content){job->nodes.items[to].edges, index_of(values[place[V8_EDGE_NAME]])});
    }
    return true;
}

static bool read_edges(v8_state *state)
{
    taking *job = (taking *)state;
    uint64_t skipped = 0;
    if (!mp_scan_take(&state->json, '['))
        return false;
    for (uint32_t i = 0; i < job->nodes.count; i++) {
        const node *owner = &job->nodes.items[i];
        if (!owner->object) {
            skipped += owner->is_value ? 0 : owner->edges;
            continue;
        }
        mp_content *content = &job->contents->items[owner->object];
        const bool is_number = job->contents->kinds[owner->object] == MP_CONTENT_LOST_BOXED;
        form found = {.name = (uint32_t)content->low};
        if (owner->edges) { /* after the last edge there is no comma to skip */
            if (!mp_scan_skip_commas(&state->json, skipped * state->edge_fields.count) ||
                !(is_number ? read_number(job, owner->edges, owner->object)
                            : read_form(job, owner->edges, &found)))
                return false;
            skipped = 0;
        }
        if (!is_number)
            content->low = place_of(job, found);
    }
    return mp_scan_skip_past(&state->json, ']');
}

/* --- texts --- */

/* Measure a text in UTF-8. V8 replaces halves of surrogate pairs by U+FFFD, so a text with that may
 * have been another one. */
static void measure(mp_slice bytes, text *found)
{
    found->is_lost = bytes.length + 4 > MP_LONGEST_NAME;
    for (size_t i = 0; i < bytes.length; i++) {
        const unsigned char byte = (unsigned char)bytes.start[i];
        if ((byte & 0xc0) == 0x80)
            continue;
        found->units += byte >= 0xf0 ? 2 : 1;
        found->is_wide |= byte >= 0xc4;
        found->is_lost |=
            byte == 0xef && i + 2 < bytes.length && memcmp(bytes.start + i, "\xef\xbf\xbd", 3) == 0;
    }
}

static bool same_text(const void *opaque, uint32_t place)
{
    const taking *job = opaque;
    const text *a = &job->texts.items[job->texts.count - 1], *b = &job->texts.items[place - 1];
    return a->fingerprint.low == b->fingerprint.low && a->fingerprint.high == b->fingerprint.high;
}

static void note_text(v8_state *state, uint64_t index, uint32_t value)
{
    (void)index, (void)value;
    taking *job = (taking *)state;
    const mp_slice bytes = mp_text_of(&state->json.text);
    text *added = MP_ADD(&job->texts);
    *added = (text){.fingerprint = mp_fingerprint_of(bytes.start, bytes.length)};
    measure(bytes, added);
    for (word i = ARRAY; i <= VALUE_EDGE; i++)
        if (v8_is_text(state, words[i]))
            added->word = (uint8_t)i;
    uint32_t *first =
        mp_hash_index_put(&job->texts_by_hash, added->fingerprint.low, same_text, job);
    if (!*first)
        *first = job->texts.count;
    added->same = *first - 1;
}

static bool read_strings(v8_state *state)
{
    return v8_read_texts(state, NULL, note_text);
}

/* --- contents --- */

static const text *text_at(const taking *job, uint64_t index)
{
    return index < job->texts.count ? &job->texts.items[index] : NULL;
}

static word word_at(const taking *job, uint64_t index)
{
    const text *found = text_at(job, index);
    return found ? (word)found->word : NO_WORD;
}

/* Facts about all strings of a snapshot. */
typedef struct texts_facts {
    uint32_t longest;   /* units of the longest text of a string; V8 cuts longer ones */
    bool is_compressed; /* pointers have 4 bytes, so not all sizes are multiples of 8 */
} texts_facts;

static texts_facts facts_of(const taking *job)
{
    const mp_contents *contents = job->contents;
    texts_facts facts = {.longest = 0};
    for (uint32_t i = 1; i <= contents->graph->count; i++) {
        const text *found =
            contents->kinds[i] == MP_CONTENT_TEXT ? text_at(job, contents->items[i].low) : NULL;
        if (!found)
            continue;
        facts.longest = found->units > facts.longest ? found->units : facts.longest;
        facts.is_compressed |= contents->graph->sizes[i] % 8 != 0;
    }
    return facts;
}

/* Return true if the text of a string is all of it: it is shorter than the longest one, or has as
 * many units as the size of the string. */
static bool is_whole(const text *found, texts_facts facts, uint64_t size)
{
    const uint64_t bytes = (uint64_t)found->units << found->is_wide;
    if (found->is_lost)
        return false;
    return found->units < facts.longest ||
           size == (facts.is_compressed ? (12 + bytes + 3) / 4 * 4 : (16 + bytes + 7) / 8 * 8);
}

static mp_content_kind settle_string(const taking *job, texts_facts facts, uint64_t size,
                                     mp_content *content)
{
    const text *found = text_at(job, content->low);
    if (!found || !is_whole(found, facts, size))
        return MP_CONTENT_LOST_TEXT;
    content->low = found->same;
    return MP_CONTENT_TEXT;
}

/* Return the kind of an object, determined by its name and references. Small numbers are in no
 * edge, so an array with room for elements, or a map without references, may be empty or not. */
static mp_content_kind settle_object(const taking *job, mp_content *content)
{
    const form *found = content->low && content->low <= job->forms.count
                            ? &job->forms.items[content->low - 1]
                            : NULL;
    const word name = found ? word_at(job, found->name) : NO_WORD;
    if (name != ARRAY && name != MAP && name != SET)
        return MP_CONTENT_NONE;
    const bool is_empty = name == ARRAY && found->internal != found->property &&
                          word_at(job, found->internal) == MAP_EDGE &&
                          word_at(job, found->property) == PROTO_EDGE;
    content->low = found->is_full;
    return found->is_full || is_empty ? MP_CONTENT_COLLECTION : MP_CONTENT_LOST_COLLECTION;
}

static mp_content_kind settle_number(const taking *job, mp_content *content)
{
    const text *found = text_at(job, content->low);
    if (!found || word_at(job, content->high) != VALUE_EDGE)
        return MP_CONTENT_LOST_BOXED;
    *content = (mp_content){.low = found->same};
    job->contents->lacks &= ~(1u << MP_CONTENT_BOXED);
    return MP_CONTENT_BOXED;
}

static void settle(const taking *job, bool has_edges)
{
    mp_contents *contents = job->contents;
    const texts_facts facts = facts_of(job);
    for (uint32_t i = 1; i <= contents->graph->count; i++) {
        mp_content *content = &contents->items[i];
        if (contents->kinds[i] == MP_CONTENT_TEXT)
            contents->kinds[i] =
                (uint8_t)settle_string(job, facts, contents->graph->sizes[i], content);
        else if (contents->kinds[i] == MP_CONTENT_BOXED)
            contents->kinds[i] = (uint8_t)settle_number(job, content);
        else if (contents->kinds[i] == MP_CONTENT_COLLECTION)
            contents->kinds[i] =
                (uint8_t)(has_edges ? settle_object(job, content) : MP_CONTENT_NONE);
    }
}

/* --- texts that an answer shows --- */

static bool skip_array(v8_state *state)
{
    return mp_scan_skip_past(&state->json, ']');
}

static void show_text(v8_state *state, uint64_t index, uint32_t value)
{
    (void)index;
    const mp_contents *contents = ((taking *)state)->contents;
    contents->texts[value - 1].text =
        mp_reference_text(contents->arena, "\"", mp_text_of(&state->json.text), "\"");
}

static bool read_wanted_texts(v8_state *state)
{
    const mp_contents *contents = ((taking *)state)->contents;
    mp_id_index wanted = {0}; /* index of a text to the last that wants it, from 1 */
    for (size_t i = 0; i < contents->text_count; i++)
        *mp_id_index_put(&wanted, contents->texts[i].content.low) = (uint32_t)i + 1;
    const bool more = v8_read_texts(state, &wanted, show_text);
    mp_id_index_free(&wanted);
    return more;
}

bool v8_read_contents(mp_input *input, mp_contents *contents)
{
    static const v8_section_readers whole = {read_nodes, read_edges, read_strings},
                                    shown = {skip_array, skip_array, read_wanted_texts};
    mp_dumps unseen = v8_unseen();
    taking job = {.state = v8_begin(&unseen, input), .contents = contents};
    contents->next = 1;
    contents->lacks =
        1u << MP_CONTENT_BOXED | 1u << MP_CONTENT_REFERENCES | 1u << MP_CONTENT_NUMBERS;
    bool ok = v8_read_sections(&job.state, contents->texts ? &shown : &whole);
    if (contents->texts)
        ok = true;
    else
        settle(&job, job.state.seen & V8_EDGE_LIST);
    v8_end(&job.state);
    MP_FREE(job.nodes.items, job.forms.items, job.texts.items);
    mp_key_index_free(&job.form_index);
    mp_hash_index_free(&job.texts_by_hash);
    v8_unseen_free(&unseen);
    return ok;
}
