#include "session/reference_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "input/stream.h"

typedef struct source {
    const mp_reader *reader;
    mp_load_options options;
    char *path;
    const char *name;   /* path for messages; owned by the model */
    struct stat origin; /* status of the file when it was read */
    mp_input *stream;   /* input that cannot be opened again; NULL: a file */
    bool complete;      /* the input was read to its end */
} source;

static void release(void *opaque)
{
    source *self = opaque;
    mp_input_close(self->stream);
    free(self->path);
    free(self);
}

/* Return the input at its start. If it is gone or changed, return NULL, with the reason in
 * `why`. */
static mp_input *open_again(const source *self, mp_diagnostics *unheard, const char **why)
{
    if (self->stream) {
        mp_input_diagnose_to(self->stream, unheard);
        *why = "it cannot be read again";
        return mp_input_rewind(self->stream) ? self->stream : NULL;
    }
    mp_input *input = mp_input_look(self->path, unheard, &self->options);
    *why = "it cannot be opened again";
    if (!input || mp_file_is_same(mp_input_origin(input), &self->origin))
        return input;
    *why = "it was changed after it was read";
    mp_input_close(input);
    return NULL;
}

static bool read_contents(void *opaque, mp_contents *contents, const char **why)
{
    const source *self = opaque;
    /* faults of the input were reported when it was first read */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = open_again(self, unheard, why);
    const bool whole = input && self->reader->read_contents(input, contents);
    if (input && !whole)
        *why = "it could not be read to its end again";
    if (input && input != self->stream)
        mp_input_close(input);
    mp_diagnostics_free(unheard);
    return input && (whole || !self->complete);
}

static bool read_names(void *opaque, mp_named_reference *references, size_t count, mp_arena *texts,
                       mp_diagnostics *diagnostics)
{
    const source *self = opaque;
    /* faults of the input were reported when it was first read */
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    const char *why = "it could not be read to its end again";
    size_t missing = 0;
    mp_input *input = open_again(self, unheard, &why);
    if (input)
        self->reader->name_references(input, references, count, texts);
    for (size_t i = 0; i < count; i++)
        missing += !references[i].name;
    if (input && input != self->stream)
        mp_input_close(input);
    mp_diagnostics_free(unheard);
    if (missing)
        mp_diagnose(diagnostics, MP_DIAG_NAMELESS_REFERENCES, self->name, 0,
                    "%s, so %zu of %zu references are shown without their names", why, missing,
                    count);
    return !missing;
}

bool mp_reference_source_open(mp_model *model, const mp_reader *reader, mp_input *input,
                              const mp_load_options *options)
{
    const uint32_t summary = model->inputs.count - 1;
    mp_graph *graph = model->graph;
    if (!reader->name_references || !graph || graph->names.read ||
        model->snapshots.items[graph->snapshot.i].input != summary)
        return false;
    const char *path = mp_input_path(input);
    const bool is_stream = !mp_input_can_reopen(input);
    source *self = mp_alloc_zero(1, sizeof *self);
    *self = (source){.reader = reader,
                     .options = *options,
                     .path = mp_copy(path, strlen(path)),
                     .name = model->inputs.items[summary].path,
                     .origin = *mp_input_origin(input),
                     .stream = is_stream ? input : NULL,
                     .complete = model->inputs.items[summary].complete};
    graph->names = (mp_reference_source){read_names, reader->read_contents ? read_contents : NULL,
                                         release, self};
    return is_stream;
}
