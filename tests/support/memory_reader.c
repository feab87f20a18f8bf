#include "support/memory_reader.h"
#include "base/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "session/groups.h"

bool read_memory(const mp_reader *reader, mp_model *model, mp_diagnostics *diagnostics,
                 const char *name, const void *bytes, size_t length, size_t window)
{
    /* slices of a heap log */
    const mp_load_options options = {.slices = 10, .keep_ages = true};
    mp_loading loading = {model, diagnostics, &options, reader, NULL};
    mp_input *input = mp_input_from_memory(name, bytes, length, window, diagnostics);
    const bool ok = mp_loading_read(&loading, input);
    mp_loading_end(&loading);
    mp_input_close(input);
    mp_model_build_tree(model, diagnostics);
    return ok;
}

reading read_bytes(const mp_reader *reader, const char *name, const char *bytes, size_t length,
                   size_t window)
{
    reading r = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    r.ok = read_memory(reader, r.model, r.diagnostics, name, bytes, length, window);
    return r;
}

reading read_text(const mp_reader *reader, const char *name, const char *text, size_t window)
{
    return read_bytes(reader, name, text, strlen(text), window);
}

reading read_path(const char *path, const mp_load_options *options)
{
    reading r = {.model = mp_model_new(), .diagnostics = mp_diagnostics_new(0)};
    mp_file file = {.path = path, .name = path};
    r.ok = mp_file_group_load(&(mp_file_group){.files = &file, .count = 1}, options, r.model,
                              r.diagnostics);
    return r;
}

void reading_free(reading *r)
{
    mp_model_free(r->model);
    mp_diagnostics_free(r->diagnostics);
}

char *replaced(const char *text, const char *what, const char *by)
{
    const char *cursor = strstr(text, what);
    if (!cursor)
        return NULL;
    size_t size = strlen(text) + strlen(by) + 1;
    char *out = mp_alloc(size);
    snprintf(out, size, "%.*s%s%s", (int)(cursor - text), text, by, cursor + strlen(what));
    return out;
}

const mp_diagnostic *find_diagnostic(const mp_diagnostics *diagnostics, mp_diagnostic_id id)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    for (size_t i = 0; i < count; i++)
        if (kept[i].id == id)
            return &kept[i];
    return NULL;
}

uint64_t count_diagnostics(const mp_diagnostics *diagnostics)
{
    return mp_diagnostics_severity_count(diagnostics, MP_NOTE) +
           mp_diagnostics_severity_count(diagnostics, MP_WARNING) +
           mp_diagnostics_severity_count(diagnostics, MP_ERROR);
}
