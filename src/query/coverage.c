/* Coverage: lines that recordings list as executable, and lines that they count as executed.
 *
 * Executable lines are listed per compiled unit, including its procedures and methods. Executions
 * are counted per module, and each procedure or method is its own module. Both are converted to
 * rows with the key (source, line, method), sorted by it and merged. */
#include "query/coverage.h"

#include <math.h>
#include <stdlib.h>

#include "base/index.h"
#include "query/profile_groups.h"

#define NO_SOURCE UINT32_MAX

/* A line that a recording lists or counts. */
typedef struct row {
    uint32_t source, method; /* method: id of its name */
    int32_t line;
    mp_string_id code;
    int64_t executions;
} row;

typedef struct builder {
    const mp_filter *filter;
    const mp_model *model;
    const mp_profile *profile;
    uint64_t *crc_of;    /* CRC of each module's compiled unit; 0: unknown */
    uint32_t *source_of; /* source of each module; NO_SOURCE: without coverage */
    bool *counts;        /* flag of each coverage entity: true if the filter includes it */
    mp_coverage result;
} builder;

double mp_coverage_percent(uint64_t executed, uint64_t lines)
{
    const uint64_t thousandths = lines ? executed * 1000 / lines : 0;
    return lines ? (double)thousandths / 10 : NAN;
}

/* Return the executions of a line. A line that was running when the profile was written has time
 * but no count yet; it counts as 1. */
static int64_t executions_of(const mp_profile_line *line)
{
    bool runs = line->executions == 0 && (line->exclusive_us > 0 || line->cumulative_us > 0);
    return runs ? 1 : line->executions;
}

/* --- sources --- */

/* Set the CRC of each module to that of its unit in the same session. */
static void find_crcs(builder *state)
{
    const mp_profile *profile = state->profile;
    mp_id_index units = {0};
    state->crc_of = mp_alloc_zero(profile->modules.count, sizeof *state->crc_of);
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const mp_module *module = &profile->modules.items[i];
        if (module->crc)
            *mp_id_index_put(&units, (uint64_t)module->session.i << 32 | module->program.i) = i;
    }
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        const mp_module *module = &profile->modules.items[i];
        uint32_t unit =
            mp_id_index_get(&units, (uint64_t)module->session.i << 32 | module->program.i);
        state->crc_of[i] = module->crc || !unit ? module->crc : profile->modules.items[unit].crc;
    }
    mp_id_index_free(&units);
}

/* Compare modules by program, then by CRC; unknown CRCs come last. */
static int by_source(const void *left, const void *right, void *opaque)
{
    const builder *state = opaque;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    uint64_t a = state->crc_of[i] - 1, b = state->crc_of[k] - 1;
    int order = mp_profile_text_compare(state->model, state->profile->modules.items[i].program,
                                        state->profile->modules.items[k].program);
    return order ? order : MP_COMPARE(a, b);
}

/* Find the sources of all modules, in order. A module with unknown CRC belongs to the version of
 * its program if the program has only one. */
static void find_sources(builder *state)
{
    const mp_profile *profile = state->profile;
    mp_coverage *result = &state->result;
    uint32_t count = 0, *order = mp_alloc(profile->modules.count * sizeof *order);
    result->sources = mp_alloc(profile->modules.count * sizeof *result->sources);
    state->source_of = mp_alloc(profile->modules.count * sizeof *state->source_of);
    state->source_of[0] = NO_SOURCE;
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        state->source_of[i] = NO_SOURCE;
        if (profile->modules.items[i].number != 0)
            order[count++] = i;
    }
    qsort_r(order, count, sizeof *order, by_source, state);
    for (uint32_t i = 0; i < count; i++) {
        const mp_module *module = &profile->modules.items[order[i]];
        uint64_t crc = state->crc_of[order[i]];
        mp_covered_source *last = &result->sources[result->source_count - (i > 0)];
        bool same = i && last->program.i == module->program.i;
        if (!same || (last->crc != crc && (crc || last->versions))) {
            result->sources[result->source_count++] =
                (mp_covered_source){.program = module->program, .crc = crc, .versions = same};
            last->versions |= same;
        }
        state->source_of[order[i]] = result->source_count - 1;
        last = &result->sources[result->source_count - 1];
        last->listing = last->listing.i ? last->listing : module->listing;
        last->listing_file = last->listing_file.i ? last->listing_file : module->listing_file;
    }
    free(order);
}

/* Drop sources without listed lines, and count the listed lines that were executed. */
static void keep_covered(builder *state)
{
    enum { LISTED = 1, EXECUTED = 2 };
    const mp_profile *profile = state->profile;
    mp_coverage *result = &state->result;
    uint32_t kept = 0, *place = mp_alloc(result->source_count * sizeof *place + 1);
    unsigned char *seen = mp_alloc_zero(result->source_count + 1u, 1);
    for (uint32_t i = 1; i < profile->coverage.count; i++) {
        const mp_profile_coverage *entity = &profile->coverage.items[i];
        uint32_t source = state->source_of[entity->module.i];
        for (uint32_t k = 0; source != NO_SOURCE && state->counts[i] && k < entity->count; k++)
            if (profile->coverage_lines.items[entity->first + k] > 0)
                seen[source] |= LISTED;
    }
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        uint32_t source = state->source_of[line->module.i];
        if (source != NO_SOURCE && executions_of(line) > 0 &&
            mp_filter_has_module(state->filter, line->module.i))
            seen[source] |= EXECUTED;
    }
    for (uint32_t i = 0; i < result->source_count; i++) {
        const mp_covered_source *source = &result->sources[i];
        place[i] = seen[i] & LISTED ? kept : NO_SOURCE;
        result->untold += seen[i] == EXECUTED;
        if (!(seen[i] & LISTED))
            continue;
        bool again = kept && result->sources[kept - 1].program.i == source->program.i;
        if (again)
            result->sources[kept - 1].versions = true;
        result->sources[kept] = *source;
        result->sources[kept++].versions = again;
    }
    for (uint32_t i = 1; i < profile->modules.count; i++)
        state->source_of[i] =
            state->source_of[i] == NO_SOURCE ? NO_SOURCE : place[state->source_of[i]];
    result->source_count = kept;
    free(seen);
    free(place);
}

/* --- lines --- */

static int by_line(const void *left, const void *right, void *model)
{
    const row *a = left, *b = right;
    int order = MP_COMPARE(a->source, b->source);
    order = order ? order : MP_COMPARE(a->line, b->line);
    return order ? order
                 : mp_profile_text_compare(model, (mp_string_id){a->method},
                                           (mp_string_id){b->method});
}

/* Sort rows and merge those with equal keys. Return the number of rows left. */
static size_t fold(row *rows, size_t count, const mp_model *model)
{
    size_t kept = 0;
    for (size_t i = 1; i < count; i++)
        if (by_line(&rows[i - 1], &rows[i], (void *)(uintptr_t)model) > 0) {
            qsort_r(rows, count, sizeof *rows, by_line, (void *)(uintptr_t)model);
            break;
        }
    for (size_t i = 0; i < count; i++) {
        row *last = &rows[kept - (kept > 0)];
        if (!kept || by_line(last, &rows[i], (void *)(uintptr_t)model) != 0) {
            rows[kept++] = rows[i];
            continue;
        }
        last->executions += rows[i].executions;
        last->code = last->code.i ? last->code : rows[i].code;
    }
    return kept;
}

static row *list_executable(const builder *state, size_t *count)
{
    const mp_profile *profile = state->profile;
    row *rows = mp_alloc(profile->coverage_lines.count * sizeof *rows);
    *count = 0;
    for (uint32_t i = 1; i < profile->coverage.count; i++) {
        const mp_profile_coverage *entity = &profile->coverage.items[i];
        uint32_t source = state->source_of[entity->module.i];
        for (uint32_t k = 0; source != NO_SOURCE && state->counts[i] && k < entity->count; k++) {
            int32_t line = profile->coverage_lines.items[entity->first + k];
            if (line > 0)
                rows[(*count)++] = (row){.source = source,
                                         .method = entity->entity.i,
                                         .line = line,
                                         .code = mp_profile_code(profile, entity->first + k)};
        }
    }
    *count = fold(rows, *count, state->model);
    return rows;
}

static row *list_executed(const builder *state, size_t *count)
{
    const mp_profile *profile = state->profile;
    row *rows = mp_alloc(profile->lines.count * sizeof *rows);
    *count = 0;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        uint32_t source = state->source_of[line->module.i];
        if (source != NO_SOURCE && line->line > 0 && executions_of(line) > 0)
            rows[(*count)++] = (row){.source = source,
                                     .method = profile->modules.items[line->module.i].method.i,
                                     .line = line->line,
                                     .executions = executions_of(line)};
    }
    *count = fold(rows, *count, state->model);
    return rows;
}

static bool same_line(const row *a, const row *b)
{
    return a->source == b->source && a->line == b->line;
}

/* Mark executed lines. An execution counts for its method; if the listing has the line only in
 * other methods, it counts for the first of them. */
static void mark_executed(row *listed, size_t listed_count, const row *executed,
                          size_t executed_count, const mp_model *model)
{
    void *texts = (void *)(uintptr_t)model;
    size_t first = 0, index = 0; /* first row of the line; row of the line's method */
    for (size_t i = 0; i < executed_count; i++) {
        const row *one = &executed[i];
        while (first < listed_count && !same_line(&listed[first], one) &&
               by_line(&listed[first], one, texts) < 0)
            first++;
        index = index < first ? first : index;
        while (index < listed_count && same_line(&listed[index], one) &&
               by_line(&listed[index], one, texts) < 0)
            index++;
        if (first == listed_count || !same_line(&listed[first], one))
            continue;
        bool named = index < listed_count && by_line(&listed[index], one, texts) == 0;
        listed[named ? index : first].executions += one->executions;
    }
}

/* --- methods and totals --- */

static int by_name(const void *left, const void *right, void *model)
{
    const mp_covered_method *a = left, *b = right;
    int order = MP_COMPARE(a->source, b->source);
    return order ? order : mp_profile_text_compare(model, a->name, b->name);
}

/* Find the methods of the rows, each once, in order. `places` maps each (source, name) to 1 + the
 * index of the method. */
static void find_methods(builder *state, const row *rows, size_t count, mp_id_index *places)
{
    mp_coverage *result = &state->result;
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *place = mp_id_index_put(places, (uint64_t)rows[i].source << 32 | rows[i].method);
        if (*place)
            continue;
        *MP_APPEND(result->methods, result->method_count, capacity) =
            (mp_covered_method){.source = rows[i].source, .name = {rows[i].method}};
        *place = result->method_count;
    }
    if (result->method_count)
        qsort_r(result->methods, result->method_count, sizeof *result->methods, by_name,
                (void *)(uintptr_t)state->model);
    for (uint32_t i = 0; i < result->method_count; i++) {
        const mp_covered_method *method = &result->methods[i];
        mp_covered_source *source = &result->sources[method->source];
        *mp_id_index_put(places, (uint64_t)method->source << 32 | method->name.i) = i + 1;
        if (source->method_count++ == 0)
            source->first_method = i;
    }
}

/* Count the calls of methods, which are the executions of line 0 of a module. */
static void count_calls(builder *state, const mp_id_index *places)
{
    const mp_profile *profile = state->profile;
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        uint32_t source = state->source_of[line->module.i];
        uint32_t name = profile->modules.items[line->module.i].method.i;
        uint32_t place = source == NO_SOURCE || line->line != 0
                             ? 0
                             : mp_id_index_get(places, (uint64_t)source << 32 | name);
        if (place)
            state->result.methods[place - 1].calls += executions_of(line);
    }
}

/* Convert the rows to lines and count them: each row for its method, each line once for its
 * source. */
static void count_lines(builder *state, const row *rows, size_t count)
{
    mp_coverage *result = &state->result;
    mp_id_index places = {0};
    bool told = false; /* the current line is already counted as executed */
    find_methods(state, rows, count, &places);
    result->lines = mp_alloc((count + 1) * sizeof *result->lines);
    for (size_t i = 0; i < count; i++) {
        const row *one = &rows[i];
        bool executed = one->executions > 0, first = i == 0 || !same_line(&rows[i - 1], one);
        uint32_t method = mp_id_index_get(&places, (uint64_t)one->source << 32 | one->method) - 1;
        mp_covered_source *source = &result->sources[one->source];
        if (source->line_count++ == 0)
            source->first_line = (uint32_t)i;
        source->lines += first;
        source->executed += executed && (first || !told);
        told = executed || (told && !first);
        result->methods[method].lines++;
        result->methods[method].executed += executed;
        result->lines[result->line_count++] = (mp_covered_line){.source = one->source,
                                                                .method = method,
                                                                .line = one->line,
                                                                .code = one->code,
                                                                .executions = one->executions};
    }
    count_calls(state, &places);
    for (uint32_t i = 0; i < result->source_count; i++) {
        result->executable += result->sources[i].lines;
        result->executed += result->sources[i].executed;
    }
    mp_id_index_free(&places);
}

mp_coverage mp_coverage_of(const mp_filter *filter)
{
    builder state = {.filter = filter, .model = filter->model, .profile = filter->model->profile};
    size_t listed_count, executed_count;
    if (!state.profile)
        return state.result;
    state.counts = mp_alloc(state.profile->coverage.count * sizeof *state.counts);
    for (uint32_t i = 0; i < state.profile->coverage.count; i++)
        state.counts[i] =
            mp_filter_has_entity(filter, i) &&
            !(filter->profiler && filter->profiler[state.profile->coverage.items[i].module.i]);
    find_crcs(&state);
    find_sources(&state);
    keep_covered(&state);
    row *listed = list_executable(&state, &listed_count);
    row *executed = list_executed(&state, &executed_count);
    mark_executed(listed, listed_count, executed, executed_count, state.model);
    count_lines(&state, listed, listed_count);
    MP_FREE(executed, listed, state.counts, state.source_of, state.crc_of);
    return state.result;
}

void mp_coverage_free(mp_coverage *coverage)
{
    MP_FREE(coverage->sources, coverage->methods, coverage->lines);
    *coverage = (mp_coverage){0};
}

const mp_covered_source *mp_coverage_worst(const mp_coverage *coverage)
{
    const mp_covered_source *worst = coverage->sources;
    for (uint32_t i = 1; i < coverage->source_count; i++) {
        const mp_covered_source *source = &coverage->sources[i];
        if (source->lines - source->executed > worst->lines - worst->executed)
            worst = source;
    }
    return worst;
}
