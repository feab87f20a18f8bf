#include "query/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/source_name.h"
#include "base/text.h"
#include "model/profile.h"
#include "query/coverage.h"

/* --- sources --- */

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    return strpbrk(text, "/\\:") != NULL || (length > 2 && (strcmp(text + length - 2, ".p") == 0 ||
                                                            strcmp(text + length - 2, ".w") == 0));
}

/* Return the source in the name of a frame. A name has the form `file.p`, `entity file.p`, `Class`,
 * `method Class`, or `method Defining Runtime` (the lines are those of the defining class). Paths
 * may contain blanks; names of entities and classes do not. */
static const char *source_in(mp_arena *arena, const char *name)
{
    const char *blank = strchr(name, ' ');
    if (!blank || is_path(mp_arena_copy(arena, name, (size_t)(blank - name))))
        return name;
    const char *rest = blank + 1, *second = strchr(rest, ' ');
    return second && !is_path(rest) ? mp_arena_copy(arena, rest, (size_t)(second - rest)) : rest;
}

static const char *source_of_node(mp_arena *arena, const mp_model *model, uint32_t node)
{
    const mp_symbol *symbol = &model->symbols.items[model->tree.items[node].symbol.i];
    const char *file = mp_model_text(model, symbol->source);
    return *file ? file : source_in(arena, mp_model_text(model, symbol->name));
}

/* Return true if any allocation has a source line. Recorders of native code may know functions
 * only. */
static bool has_lines(const mp_model *model)
{
    for (uint32_t i = 1; i < model->contexts.count; i++) {
        const mp_context *context = &model->contexts.items[i];
        uint32_t node = model->tree_of[context->node.i];
        if (node && mp_frame_naming(model, (mp_frame){node, context->line}).line != MP_NO_LINE)
            return true;
    }
    return false;
}

const char **mp_annotation_sources(mp_arena *arena, const mp_filter *filter, size_t *count)
{
    const mp_model *model = filter->model;
    const mp_profile *profile = model->profile;
    size_t most = model->tree.count + (profile ? profile->modules.count : 0) + 1u, kept = 0;
    const char **text = mp_alloc(most * sizeof *text);
    bool lines = !profile && has_lines(model);
    *count = 0;
    for (uint32_t i = 1; profile && i < profile->modules.count; i++)
        if (profile->modules.items[i].number != 0 && mp_filter_has_module(filter, i))
            text[(*count)++] = mp_model_text(model, profile->modules.items[i].program);
    for (uint32_t i = 1; lines && i < model->tree.count; i++)
        text[(*count)++] = source_of_node(arena, model, i);
    qsort(text, *count, sizeof *text, mp_text_order);
    for (size_t i = 0; i < *count; i++)
        if (*text[i] && (!kept || strcmp(text[kept - 1], text[i]) != 0))
            text[kept++] = text[i];
    *count = kept;
    return text;
}

/* Return how well a name fits a source: 3 if equal, 2 if equal except for case, 1 if the source
 * ends with the name, 0 otherwise. */
static int fit_of(const char *text, const char *name)
{
    size_t length = strlen(text), end = strlen(name);
    if (strcmp(text, name) == 0)
        return 3;
    if (mp_text_is(text, name))
        return 2;
    return length > end && strchr("/\\.", text[length - end - 1]) &&
           mp_text_is(text + length - end, name);
}

const char *mp_annotation_source(mp_arena *arena, const char *const *sources, size_t count,
                                 const char *name, mp_error *error)
{
    enum { NAMED = 5 };
    const char *meant[NAMED], *list[NAMED + 1] = {NULL};
    char names[400];
    size_t found = 0, shown = 0;
    int best = 0;
    for (size_t i = 0; i < count; i++) {
        int fit = fit_of(sources[i], name),
            as_file = fit_of(mp_source_path(arena, sources[i]), name);
        fit = as_file > fit ? as_file : fit;
        if (fit < best || !fit)
            continue;
        found = fit > best ? 0 : found;
        best = fit;
        if (found < NAMED)
            meant[found] = sources[i];
        found++;
    }
    if (found == 1)
        return meant[0];
    size_t total = found ? found : count;
    for (; shown < NAMED && shown < total; shown++)
        list[shown] = found ? meant[shown] : sources[shown];
    if (total > NAMED)
        list[shown++] = "others";
    mp_text_list(list, shown, "and", names, sizeof names);
    const char *nearest = found ? NULL : mp_text_nearest(name, sources, count);
    if (found)
        mp_fail(error, MP_ERROR_ARGUMENT, "\"%s\" may be each of %zu sources: %s", name, found,
                names);
    else if (nearest)
        mp_fail(error, MP_ERROR_ARGUMENT,
                "\"%s\" is not a source of the recording; did you mean '%s'?", name, nearest);
    else if (count)
        mp_fail(error, MP_ERROR_ARGUMENT, "\"%s\" is not a source of the recording, which has %s",
                name, names);
    else
        mp_fail(error, MP_ERROR_ARGUMENT, "the recording has no source lines");
    return NULL;
}

/* --- lines --- */

typedef struct builder {
    mp_annotation result;
    size_t capacity;
    mp_id_index lines; /* 1 + the index of the note of each line */
} builder;

static mp_line_note *note_of(builder *state, int32_t line)
{
    uint32_t *place = mp_id_index_put(&state->lines, (uint32_t)line);
    if (!*place) {
        *MP_APPEND(state->result.items, state->result.count, state->capacity) =
            (mp_line_note){.line = line};
        *place = (uint32_t)state->result.count;
    }
    return &state->result.items[*place - 1];
}

static void note_profile(builder *state, const mp_filter *filter, const char *source)
{
    const mp_model *model = filter->model;
    const mp_profile *profile = model->profile;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        const mp_module *module = &profile->modules.items[line->module.i];
        if (module->number == 0 || !mp_filter_has_module(filter, line->module.i) ||
            strcmp(mp_model_text(model, module->program), source) != 0)
            continue;
        mp_line_note *note = note_of(state, line->line);
        note->exclusive_us += line->exclusive_us;
        note->executions += line->executions;
        note->executed |= line->executions > 0 || line->exclusive_us > 0 || line->cumulative_us > 0;
    }
    mp_coverage coverage = mp_coverage_of(filter);
    for (uint32_t i = 0; i < coverage.source_count; i++) {
        const mp_covered_source *covered = &coverage.sources[i];
        if (strcmp(mp_model_text(model, covered->program), source) != 0)
            continue;
        state->result.covered = true;
        state->result.versions |= covered->versions;
        for (uint32_t k = 0; k < covered->line_count; k++) {
            const mp_covered_line *line = &coverage.lines[covered->first_line + k];
            mp_line_note *note = note_of(state, line->line);
            note->executable = true;
            note->executed |= line->executions > 0;
        }
    }
    mp_coverage_free(&coverage);
}

/* Add the figures of a heap to the lines that name its allocation sites. */
static void note_heap(builder *state, const mp_window *window, const char *source)
{
    const mp_model *model = window->model;
    mp_arena arena = {0};
    enum { NOT_SEEN, THIS, ANOTHER };
    unsigned char *seen = mp_alloc_zero(model->tree.count + 1u, 1);
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        const mp_context *context = &model->contexts.items[generation->context.i];
        if (context->reusable || !mp_window_before_to(window, delta->snapshot) ||
            !mp_filter_has_generation(window->filter, delta->generation))
            continue;
        mp_frame frame =
            mp_frame_naming(model, (mp_frame){model->tree_of[context->node.i], context->line});
        if (frame.node && seen[frame.node] == NOT_SEEN)
            seen[frame.node] =
                strcmp(source_of_node(&arena, model, frame.node), source) == 0 ? THIS : ANOTHER;
        if (!frame.node || seen[frame.node] != THIS || frame.line == MP_NO_LINE)
            continue;
        mp_line_note *note = note_of(state, (int32_t)frame.line);
        int64_t objects = mp_cost_live(delta->cost);
        note->objects += objects;
        note->bytes += delta->cost.bytes;
        if (mp_window_leaks(window, generation->context, generation->born)) {
            note->leaked_objects += objects;
            note->leaked_bytes += delta->cost.bytes;
        }
    }
    free(seen);
    mp_arena_free(&arena);
}

static int by_line(const void *left, const void *right)
{
    const mp_line_note *a = left, *b = right;
    return MP_COMPARE(a->line, b->line);
}

mp_annotation mp_annotation_of(const mp_filter *filter, const mp_window *window, const char *source)
{
    builder state = {.capacity = 0};
    if (window)
        note_heap(&state, window, source);
    else
        note_profile(&state, filter, source);
    if (state.result.count)
        qsort(state.result.items, state.result.count, sizeof *state.result.items, by_line);
    mp_id_index_free(&state.lines);
    return state.result;
}
