#include "reports/coverage_answer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/source_name.h"
#include "base/text.h"

/* Return the start of the last run in microseconds since 1970. Recordings have no time zone, so
 * their clock is taken as UTC. */
static int64_t last_run_us(const mp_model *model)
{
    int64_t last = 0;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        struct tm tm = {0};
        const char *date = mp_model_text(model, model->sessions.items[i].date);
        if (sscanf(date, "%2d/%2d/%4d %2d:%2d:%2d", &tm.tm_mon, &tm.tm_mday, &tm.tm_year,
                   &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
            continue;
        tm.tm_mon--;
        tm.tm_year -= 1900;
        int64_t position = (int64_t)timegm(&tm) * 1000000;
        last = position > last ? position : last;
    }
    return last;
}

/* Fill in the methods and lines of a file, and the index of its lines by method. */
static void fill_file(mp_arena *arena, const mp_model *model, const mp_coverage *coverage,
                      const mp_covered_source *source, mp_coverage_file *file)
{
    mp_coverage_method *methods = mp_arena_alloc(arena, source->method_count * sizeof *methods);
    mp_coverage_line *lines = mp_arena_alloc(arena, source->line_count * sizeof *lines);
    uint32_t *by_method = mp_arena_alloc(arena, source->line_count * sizeof *by_method);
    uint32_t *next = mp_alloc(source->method_count * sizeof *next), first = 0;
    for (uint32_t i = 0; i < source->method_count; i++) {
        const mp_covered_method *method = &coverage->methods[source->first_method + i];
        methods[i] =
            (mp_coverage_method){.name = mp_utf8_copy(arena, mp_model_text(model, method->name)),
                                 .lines = method->lines,
                                 .executed = method->executed,
                                 .first = first,
                                 .calls = method->calls};
        next[i] = first;
        first += method->lines;
    }
    for (uint32_t i = 0; i < source->line_count; i++) {
        const mp_covered_line *line = &coverage->lines[source->first_line + i];
        uint32_t method = line->method - source->first_method;
        lines[i] = (mp_coverage_line){
            .method = method, .line = line->line, .executions = line->executions};
        by_method[next[method]++] = i;
    }
    free(next);
    file->methods = methods;
    file->method_count = source->method_count;
    file->items = lines;
    file->count = source->line_count;
    file->by_method = by_method;
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Return a path that several programs share; NULL if no path is shared. Different names of programs
 * may denote the same file: `a\\b.p` and `a/b.p`. */
static const char *shared_path(const mp_coverage_file *files, size_t count)
{
    const char *shared = NULL, **paths = mp_alloc(count * sizeof *paths + 1);
    for (size_t i = 0; i < count; i++)
        paths[i] = files[i].path;
    qsort(paths, count, sizeof *paths, compare_paths);
    for (size_t i = 1; i < count && !shared; i++)
        shared = strcmp(paths[i - 1], paths[i]) == 0 ? paths[i] : NULL;
    free(paths);
    return shared;
}

const mp_coverage_answer *mp_coverage_answer_of(mp_document *document, const mp_model *model,
                                                const mp_coverage *coverage)
{
    mp_arena *arena = document->arena;
    mp_coverage_answer *answer = mp_arena_alloc(arena, sizeof *answer);
    mp_coverage_file *files = mp_arena_alloc(arena, coverage->source_count * sizeof *files);
    *answer = (mp_coverage_answer){.files = files,
                                   .file_count = coverage->source_count,
                                   .lines = coverage->executable,
                                   .executed = coverage->executed,
                                   .time_us = last_run_us(model)};
    for (uint32_t i = 0; i < coverage->source_count; i++) {
        const mp_covered_source *source = &coverage->sources[i];
        const char *program = mp_utf8_copy(arena, mp_model_text(model, source->program));
        files[i] = (mp_coverage_file){
            .program = program,
            .path = source->listing_file.i
                        ? mp_utf8_copy(arena, mp_model_text(model, source->listing_file))
                        : mp_source_path(arena, program),
            .lines = source->lines,
            .executed = source->executed};
        fill_file(arena, model, coverage, source, &files[i]);
        if (source->versions)
            answer->versions = program;
    }
    answer->shared = shared_path(files, coverage->source_count);
    return answer;
}
