#include "session/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"

#define NO_GROUP SIZE_MAX

/* Add a file to a group; NO_GROUP: to a new group with this name. */
static size_t put(mp_file_groups *groups, size_t place, const char *name, const mp_found_file *file)
{
    if (place == NO_GROUP) {
        mp_grow(&groups->items, &groups->capacity, groups->count + 1, sizeof *groups->items);
        place = groups->count++;
        groups->items[place] = (mp_file_group){.name = name,
                                               .files = mp_alloc(sizeof *groups->items->files),
                                               .capacity = 1, /* most groups have one file only */
                                               .turn = file->turn};
    }
    mp_file_group *group = &groups->items[place];
    *MP_APPEND(group->files, group->count, group->capacity) = file->file;
    group->found |= file->found;
    return place;
}

/* Add a file to the group of its agent, or of the other parts of its recording. */
static void put_apart(mp_file_groups *groups, const mp_file_search *search, mp_found_file *file,
                      mp_key_index *agents)
{
    const char *given = file->file.name;
    size_t length = search->reading->grouping == MP_GROUP_AGENT ? mp_process_of(given) : 0;
    const mp_found_file *first = &search->files[file->first];
    if (length) {
        const char *name = mp_arena_copy(&groups->arena, given, length);
        uint32_t *place = mp_key_index_put(agents, name, length);
        file->group = put(groups, *place ? *place - 1 : NO_GROUP, name, file);
        *place = (uint32_t)file->group + 1;
        groups->items[file->group].agent = true;
    } else {
        const char *name = strcmp(given, "-") == 0 ? "(standard input)" : given;
        bool joins = first != file && !first->copied;
        file->group = put(groups, joins ? first->group : NO_GROUP, name, file);
    }
}

/* Name a group of several dumps of one application after the first dump. */
static void name_dumps(mp_file_groups *groups, mp_file_group *group)
{
    if (group->count > 1 && group->name == group->files[0].name)
        group->name = mp_arena_format(&groups->arena, "%s and %zu more", group->files[0].name,
                                      group->count - 1);
}

/* Return true if the report can be about this kind of file. */
static bool suits(const mp_report *report, const mp_found_file *file)
{
    const mp_reader *reader = file->file.reader;
    return !reader || mp_report_suits(report, mp_kind_holds(reader->kind) | reader->holds);
}

/* Skip files in folders that the report cannot use. If it can use none of them, skip none. */
static void skip_unsuited(mp_file_search *search, const mp_report *report)
{
    const char *first = NULL;
    size_t suited = 0, kept = 0;
    for (size_t i = 0; i < search->count; i++)
        suited += suits(report, &search->files[i]);
    for (size_t i = 0; suited && i < search->count; i++) {
        const mp_found_file *file = &search->files[i];
        if (file->found && !suits(report, file)) {
            first = first ? first : file->file.path;
            mp_inputs_discard(search->reading->load.inputs, file->file.path);
        } else {
            search->files[kept++] = *file;
        }
    }
    const size_t skipped = suited ? search->count - kept : 0;
    search->count -= skipped;
    if (skipped)
        mp_diagnose(search->diagnostics, MP_DIAG_PASSED_OVER, first, 0,
                    "skipped, because %s does not support it%s", report->name,
                    skipped == 1 ? ""
                                 : mp_arena_format(search->arena, "; so %s %zu more",
                                                   skipped == 2 ? "is" : "are", skipped - 1));
}

bool mp_file_groups_find(mp_file_groups *groups, const char *const *paths, size_t count,
                         const mp_reading *reading, const mp_report *report,
                         mp_diagnostics *diagnostics)
{
    bool many = report && report->many, unites = report && report->unites;
    bool separates = report && report->separates;
    bool separates_dumps = report && report->separates_dumps;
    mp_reading how = *reading;
    *groups = (mp_file_groups){.inputs = reading->load.inputs};
    mp_file_search search = {.reading = &how,
                             .many = many,
                             .diagnostics = diagnostics,
                             .arena = &groups->arena,
                             .ok = true};
    mp_search_paths(&search, paths, count);
    if (unites)
        skip_unsuited(&search, report);
    search.joins_dumps = (how.grouping == MP_GROUP_DEFAULT || how.grouping == MP_GROUP_AGENT) &&
                         !many && !separates_dumps && (search.folders || separates);
    if (how.grouping == MP_GROUP_DEFAULT)
        how.grouping =
            many || separates || (search.folders && !unites) ? MP_GROUP_FILE : MP_GROUP_ALL;
    groups->apart = how.grouping != MP_GROUP_ALL;
    mp_key_index agents = {0};
    if (search.folders && count == 1) {
        groups->folder = search.archive ? search.archive : paths[0];
        if (search.archive)
            groups->within = mp_arena_format(&groups->arena, "%s:", search.archive);
    }
    if (groups->apart)
        mp_search_find_parts(&search, 0);
    for (size_t i = 0; i < search.count; i++)
        if (groups->apart)
            put_apart(groups, &search, &search.files[i], &agents);
        else
            put(groups, i ? 0 : NO_GROUP, search.files[0].file.name, &search.files[i]);
    mp_key_index_free(&agents);
    for (size_t i = 0; search.joins_dumps && i < search.count; i++)
        if (search.files[i].file.place.application)
            name_dumps(groups, &groups->items[search.files[i].group]);
    if (search.joins_dumps && groups->count == 1 && search.files[0].file.place.application)
        groups->apart = false; /* they are answered like dumps that were named one by one */
    free(search.files);
    return search.ok && search.count > 0;
}

/* Compare pairs of turn and index. */
static int by_turn(const void *left, const void *right)
{
    const size_t *a = left, *b = right;
    return MP_COMPARE(a[0], b[0]);
}

size_t *mp_file_groups_turns(const mp_file_groups *groups)
{
    size_t(*pairs)[2] = mp_alloc(groups->count * sizeof *pairs);
    size_t *turns = mp_alloc(groups->count * sizeof *turns);
    for (size_t i = 0; i < groups->count; i++) {
        pairs[i][0] = groups->items[i].turn;
        pairs[i][1] = i;
    }
    qsort(pairs, groups->count, sizeof *pairs, by_turn);
    for (size_t i = 0; i < groups->count; i++)
        turns[i] = pairs[i][1];
    free(pairs);
    return turns;
}

void mp_file_groups_free(mp_file_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (size_t j = 0; j < groups->items[i].count; j++)
            mp_inputs_discard(groups->inputs, groups->items[i].files[j].path);
        free(groups->items[i].files);
    }
    free(groups->items);
    mp_arena_free(&groups->arena);
}
