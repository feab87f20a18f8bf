/* GC heap dumps of RPM: the records of a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/text.h"
#include "model/build.h"
#include "readers/rpm.h"

/* --- words --- */

static bool take_hex32(mp_fields *words, uint32_t *value)
{
    uint64_t wide = 0;
    bool ok = rpm_take_hex(words, &wide) && wide <= UINT32_MAX;
    *value = (uint32_t)wide;
    return ok;
}

mp_slice rpm_take_name(mp_fields *words, int64_t *stamp)
{
    mp_fields_skip(words);
    mp_slice name = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    size_t cut = name.length;
    while (cut > 0 && !mp_is_gap(name.start[cut - 1]))
        cut--;
    mp_fields last = mp_fields_of((mp_slice){name.start + cut, name.length - cut});
    uint64_t value = 0;
    if (cut == 0 || !rpm_take_hex(&last, &value) || value > UINT32_MAX)
        return name;
    *stamp = (int64_t)value;
    return mp_slice_trim((mp_slice){name.start, cut});
}

/* --- types --- */

/* Return the type with this id in the current section. Create it when it is first used. Values in
 * `few` that are less than the first type of the section are from earlier sections. */
static uint32_t type_of(rpm_state *state, uint64_t id)
{
    uint32_t *place = id < RPM_FEW_TYPES ? &state->few[id] : mp_id_index_put(&state->many, id);
    if (*place < state->first_of_section) {
        MP_ADD(&state->model->types)->number = id;
        *place = state->model->types.count - 1;
    }
    return *place;
}

static void name_by_number(rpm_state *state, mp_type *type)
{
    MP_TELL_DUMP(&state->dumps, UNDEFINED_TYPE,
                 "type %" PRIx64 " is used but never defined by a t record", type->number);
    type->name = mp_model_intern_format(state->model, "<type %" PRIx64 ">", type->number);
}

/* Return, for each type of this file, the first type with its name in all files. */
static uint32_t *types_by_name(rpm_state *state)
{
    mp_model *model = state->model;
    uint32_t count = model->types.count;
    uint32_t *canonical = mp_alloc_zero(count, sizeof *canonical);
    /* flag of each name: true if this file declares it */
    bool *seen = mp_alloc_zero(count, sizeof *seen);
    for (uint32_t i = state->first_type; i < count; i++) {
        mp_type *type = &model->types.items[i];
        bool declared = type->name.i;
        if (!declared)
            name_by_number(state, type);
        uint32_t *place = mp_id_index_put(&state->types_by_name, type->name.i);
        if (!*place)
            *place = i;
        canonical[i] = *place;
        model->graph->declared_types += declared && !seen[*place];
        seen[*place] |= declared;
    }
    free(seen);
    return canonical;
}

void rpm_unite_types(rpm_state *state)
{
    mp_graph *graph = state->model->graph;
    uint32_t *canonical = types_by_name(state);
    for (uint32_t i = 1; i <= graph->count; i++)
        graph->types[i] = canonical[graph->types[i]];
    for (uint32_t i = 1; i < graph->roots.count; i++)
        graph->roots.items[i].container.i = canonical[graph->roots.items[i].container.i];
    free(canonical);
}

/* --- records --- */

static void begin_section(rpm_state *state, mp_slice name, int64_t stamp)
{
    mp_model *model = state->model;
    mp_string_id id = mp_model_intern(model, name);
    const char *text = mp_model_text(model, id), *wanted = state->options->domain;
    state->unclosed |= state->open;
    state->open = true;
    state->skipped = wanted && strcmp(text, wanted) != 0;
    state->chosen |= wanted && !state->skipped;
    if (state->domain_count < RPM_MOST_NAMES)
        state->domains[state->domain_count] = id;
    state->domain_count++;
    state->first_of_section = model->types.count;
    mp_id_index_free(&state->many);
    if (state->skipped)
        return;
    mp_graph_domain(state->graph, id);
    *MP_ADD(&state->sections) = (rpm_stamps){stamp, -1, id};
    mp_recorded_session *session = &model->sessions.items[state->dumps.session.i];
    if (!session->application.i)
        session->application = id;
}

/* Open a section without a name for records outside of sections. */
static void need_section(rpm_state *state)
{
    if (!state->open)
        begin_section(state, (mp_slice){"", 0}, -1);
}

static bool read_domain(rpm_state *state, mp_fields *words)
{
    int64_t stamp = -1;
    uint64_t version;
    if (!rpm_take_hex(words, &version) || mp_fields_end(words))
        return false;
    if (state->version == RPM_NO_VERSION)
        state->version = version;
    mp_slice name = rpm_take_name(words, &stamp);
    begin_section(state, name, stamp);
    if (stamp >= 0 && state->stamp < 0)
        state->stamp = stamp;
    return true;
}

static bool read_end(rpm_state *state, mp_fields *words, uint64_t offset)
{
    if (mp_fields_end(words))
        return false;
    need_section(state);
    state->open = false;
    if (state->skipped)
        return true;
    /* If the end of the section's name looks like a stamp, also compare the whole text. */
    rpm_stamps *section = &state->sections.items[state->sections.count - 1];
    int64_t stamp = -1;
    mp_slice whole = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    mp_slice name = rpm_take_name(words, &stamp);
    if (mp_model_intern(state->model, name).i == section->name.i)
        section->end = stamp;
    else if (section->name.i && mp_model_intern(state->model, whole).i != section->name.i)
        mp_diagnose(state->dumps.diagnostics, MP_DIAG_SECTION_END, state->dumps.path, offset,
                    "closes \"%s\", expected \"%s\", which is open",
                    mp_model_text(state->model, mp_model_intern(state->model, whole)),
                    mp_model_text(state->model, section->name));
    return true;
}

static bool read_type(rpm_state *state, mp_fields *words)
{
    uint64_t id;
    if (!rpm_take_hex(words, &id) || mp_fields_end(words))
        return false;
    need_section(state);
    if (state->skipped)
        return true;
    mp_slice name = mp_slice_trim((mp_slice){words->cursor, (size_t)(words->end - words->cursor)});
    mp_string_id text = mp_model_intern(state->model, name);
    /* must come first, because it may move the array of types */
    uint32_t number = type_of(state, id);
    mp_type *type = &state->model->types.items[number];
    if (!type->name.i)
        type->name = text;
    return true;
}

static bool read_object(rpm_state *state, mp_fields *words)
{
    uint64_t id, type, bytes;
    size_t count = 0, most = (size_t)(words->end - words->cursor) / 2 + 1;
    mp_grow(&state->references, &state->reference_capacity, most, sizeof *state->references);
    if (!rpm_take_hex(words, &id) || !rpm_take_hex(words, &type) || !rpm_take_hex(words, &bytes))
        return false;
    for (; !mp_fields_end(words); count++)
        if (!rpm_take_hex(words, &state->references[count]))
            return false;
    need_section(state);
    if (state->skipped)
        return true;
    state->oversized =
        !mp_graph_object(state->graph, id, (mp_type_id){type_of(state, type)}, bytes);
    if (state->oversized)
        return false;
    mp_graph_refer(state->graph, state->references, count);
    state->objects++;
    return true;
}

static bool read_root(rpm_state *state, mp_fields *words)
{
    mp_root root = {.object = 0};
    uint64_t container = 0;
    if (!rpm_take_hex(words, &root.id) || !take_hex32(words, &root.kind) ||
        !take_hex32(words, &root.flags))
        return false;
    bool contained = !mp_fields_end(words);
    if (contained && !rpm_take_hex(words, &container))
        return false;
    for (uint64_t more; !mp_fields_end(words);) /* additional numbers have no meaning */
        if (!rpm_take_hex(words, &more))
            return false;
    need_section(state);
    if (state->skipped)
        return true;
    if (contained)
        root.container.i = type_of(state, container);
    mp_graph_root(state->graph, &root);
    return true;
}

static const char *const expected[] = {
    ['a'] = "a VERSION NAME [STAMP]",
    ['t'] = "t TYPE NAME",
    ['o'] = "o OBJECT TYPE SIZE [OBJECT ...]",
    ['r'] = "r OBJECT KIND FLAGS [TYPE]",
    ['c'] = "c NAME [STAMP]",
};

static void say_bad_row(rpm_state *state, mp_slice line, uint64_t offset)
{
    unsigned letter = (unsigned char)line.start[0];
    const char *form = letter < sizeof expected / sizeof *expected ? expected[letter] : NULL;
    if (state->oversized)
        form = "sizes that 64 bits can add up";
    mp_diagnose(state->dumps.diagnostics, MP_DIAG_BAD_ROW, state->dumps.path, offset,
                "\"%.*s\" is not a record, expected %s in hexadecimal numbers: line skipped",
                (int)(line.length < 40 ? line.length : 40), line.start,
                form ? form : "one of a, t, o, r and c with its fields");
    state->oversized = false;
}

void rpm_read_record(rpm_state *state, mp_slice line, uint64_t offset)
{
    mp_fields words = {line.start + 1, line.start + line.length};
    char letter = line.start[0];
    bool alone = line.length > 1 && mp_is_gap(line.start[1]);
    bool ok = alone && (letter == 'o'   ? read_object(state, &words)
                        : letter == 'r' ? read_root(state, &words)
                        : letter == 't' ? read_type(state, &words)
                        : letter == 'a' ? read_domain(state, &words)
                        : letter == 'c' ? read_end(state, &words, offset)
                                        : false);
    state->records += ok;
    if (!ok)
        say_bad_row(state, line, offset);
}
