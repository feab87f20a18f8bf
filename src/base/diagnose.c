#include "base/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

struct mp_diagnostics {
    size_t keep;
    const char *dashes;
    const mp_alias *aliases;
    size_t alias_count;
    uint64_t counts[MP_DIAGNOSTIC_COUNT];
    mp_diagnostic *kept;
    size_t kept_count, kept_capacity;
    mp_arena strings;
    void (*settle)(void *);
    void *settle_opaque;
};

static const struct {
    const char *code;
    mp_severity severity;
    bool violation, unsound;
} catalogue[MP_DIAGNOSTIC_COUNT] = {
#define MP_DIAGNOSTIC(name, code, severity, violation, unsound)                                    \
    {code, MP_##severity, violation, unsound},
#include "memprof/diagnostics.def"
#undef MP_DIAGNOSTIC
};

mp_diagnostics *mp_diagnostics_new(size_t keep)
{
    mp_diagnostics *diagnostics = mp_alloc_zero(1, sizeof *diagnostics);
    diagnostics->keep = keep ? keep : SIZE_MAX;
    diagnostics->dashes = "";
    return diagnostics;
}

mp_diagnostics *mp_diagnostics_like(const mp_diagnostics *diagnostics)
{
    mp_diagnostics *like = mp_diagnostics_new(diagnostics->keep);
    like->dashes = diagnostics->dashes;
    mp_diagnostics_alias(like, diagnostics->aliases, diagnostics->alias_count);
    return like;
}

void mp_diagnostics_alias(mp_diagnostics *diagnostics, const mp_alias *aliases, size_t count)
{
    diagnostics->aliases = aliases;
    diagnostics->alias_count = count;
}

const char *mp_diagnostics_name(const mp_diagnostics *diagnostics, mp_arena *arena,
                                const char *path)
{
    for (size_t i = 0; i < diagnostics->alias_count; i++) {
        const mp_alias *alias = &diagnostics->aliases[i];
        size_t length = strlen(alias->path);
        if (strncmp(path, alias->path, length) == 0 && (!path[length] || path[length] == ':'))
            return mp_arena_format(arena, "%s%s", alias->name, path + length);
    }
    return path;
}

void mp_diagnostics_spell(mp_diagnostics *diagnostics, const char *dashes)
{
    diagnostics->dashes = dashes;
}

const char *mp_diagnostics_dashes(const mp_diagnostics *diagnostics)
{
    return diagnostics->dashes;
}

void mp_diagnostics_free(mp_diagnostics *diagnostics)
{
    if (!diagnostics)
        return;
    mp_arena_free(&diagnostics->strings);
    free(diagnostics->kept);
    free(diagnostics);
}

static void keep(mp_diagnostics *diagnostics, mp_diagnostic_id id, const char *path, uint64_t line,
                 const char *message)
{
    /* A message may quote any bytes of the file; store it as valid UTF-8. */
    mp_slice text = mp_utf8_mend(&diagnostics->strings, mp_slice_of(message));
    if (path)
        path = mp_diagnostics_name(diagnostics, &diagnostics->strings, path);
    *MP_APPEND(diagnostics->kept, diagnostics->kept_count, diagnostics->kept_capacity) =
        (mp_diagnostic){
            .id = id,
            .path = path ? mp_arena_copy(&diagnostics->strings, path, strlen(path)) : NULL,
            .line = line,
            .message = text.start,
        };
}

void mp_diagnostics_settle(mp_diagnostics *diagnostics, void (*settle)(void *), void *opaque)
{
    diagnostics->settle = settle;
    diagnostics->settle_opaque = opaque;
}

void mp_diagnose(mp_diagnostics *diagnostics, mp_diagnostic_id id, const char *path, uint64_t line,
                 const char *format, ...)
{
    if (diagnostics->settle)
        diagnostics->settle(diagnostics->settle_opaque);
    if (diagnostics->counts[id]++ >= diagnostics->keep)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    mp_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    keep(diagnostics, id, path, line, message);
}

static int by_line(const void *left, const void *right, void *opaque)
{
    const mp_diagnostic *kept = opaque;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = MP_COMPARE(kept[a].line, kept[b].line);
    return order ? order : MP_COMPARE(a, b);
}

void mp_diagnostics_order(mp_diagnostics *diagnostics, size_t first)
{
    size_t count = diagnostics->kept_count - first;
    if (count < 2)
        return;
    size_t *places = mp_alloc(count * sizeof *places);
    mp_diagnostic *unordered = mp_alloc(count * sizeof *unordered);
    memcpy(unordered, diagnostics->kept + first, count * sizeof *unordered);
    for (size_t i = 0; i < count; i++)
        places[i] = i;
    qsort_r(places, count, sizeof *places, by_line, unordered);
    for (size_t i = 0; i < count; i++)
        diagnostics->kept[first + i] = unordered[places[i]];
    free(unordered);
    free(places);
}

void mp_diagnostics_append(mp_diagnostics *diagnostics, const mp_diagnostics *from)
{
    uint64_t seen[MP_DIAGNOSTIC_COUNT] = {0};
    for (size_t i = 0; i < from->kept_count; i++) {
        const mp_diagnostic *one = &from->kept[i];
        if (diagnostics->counts[one->id] + seen[one->id]++ < diagnostics->keep)
            keep(diagnostics, one->id, one->path, one->line, one->message);
    }
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++)
        diagnostics->counts[id] += from->counts[id];
}

size_t mp_diagnostics_kept(const mp_diagnostics *diagnostics, const mp_diagnostic **first)
{
    *first = diagnostics->kept;
    return diagnostics->kept_count;
}

uint64_t mp_diagnostics_count(const mp_diagnostics *diagnostics, mp_diagnostic_id id)
{
    return diagnostics->counts[id];
}

uint64_t mp_diagnostics_severity_count(const mp_diagnostics *diagnostics, mp_severity severity)
{
    uint64_t count = 0;
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++)
        if (catalogue[id].severity == severity)
            count += diagnostics->counts[id];
    return count;
}

uint64_t mp_diagnostics_violations(const mp_diagnostics *diagnostics)
{
    uint64_t count = 0;
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++)
        if (catalogue[id].violation)
            count += diagnostics->counts[id];
    return count;
}

bool mp_diagnostic_is_damage(mp_diagnostic_id id)
{
    return id == MP_DIAG_HEAP_CORRUPTION || id == MP_DIAG_MEMORY_OVERWRITE;
}

uint64_t mp_diagnostics_damages(const mp_diagnostics *diagnostics)
{
    uint64_t count = 0;
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++)
        if (mp_diagnostic_is_damage((mp_diagnostic_id)id))
            count += diagnostics->counts[id];
    return count;
}

uint64_t mp_diagnostics_faults(const mp_diagnostics *diagnostics)
{
    uint64_t count = 0;
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++)
        if (mp_diagnostic_is_unsound((mp_diagnostic_id)id))
            count += diagnostics->counts[id];
    return count;
}

const char *mp_diagnostic_code(mp_diagnostic_id id)
{
    return catalogue[id].code;
}

mp_severity mp_diagnostic_severity(mp_diagnostic_id id)
{
    return catalogue[id].severity;
}

bool mp_diagnostic_is_violation(mp_diagnostic_id id)
{
    return catalogue[id].violation;
}

bool mp_diagnostic_is_unsound(mp_diagnostic_id id)
{
    return catalogue[id].unsound;
}

bool mp_diagnostic_breaks_off(mp_diagnostic_id id)
{
    return id == MP_DIAG_TORN || id == MP_DIAG_UNREAD_LOG || id == MP_DIAG_LIMIT;
}

const char *mp_severity_name(mp_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[severity];
}

const char *mp_verdict_name(mp_verdict verdict)
{
    static const char *const names[MP_VERDICTS] = {"pass", "fail", "error"};
    return names[verdict];
}
