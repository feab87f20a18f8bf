/* Opening of files, pipes, archives and their members. */
#include "input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnose.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "input/decode.h"
#include "input/members.h"
#include "input/private.h"

static const char standard_input[] = "(standard input)";

/* Default limits. */
enum {
    MOST_NESTED = 4,
    MOST_UNPACKED_GIB = 64,
    MOST_KEPT_GIB = 1,
    MOST_RATIO = 250,
    MOST_FILES = 100000,
    LONGEST_LINE = 16 * 1024 * 1024,
};

static uint64_t given_or(int64_t given, uint64_t usual)
{
    return given > 0 ? (uint64_t)given : usual;
}

uint64_t mp_input_most_files(const mp_limits *limits)
{
    return given_or(limits->files, MOST_FILES);
}

static mp_unpack_limits limits_of(const mp_load_options *options)
{
    const mp_limits given = options ? options->limits : (mp_limits){0};
    uint64_t nesting = given_or(given.nesting, MOST_NESTED);
    uint64_t files = mp_input_most_files(&given);
    return (mp_unpack_limits){
        .most = given_or(given.unpacked, (uint64_t)MOST_UNPACKED_GIB << 30),
        .ratio = given_or(given.ratio, MOST_RATIO),
        .kept = (uint64_t)MOST_KEPT_GIB << 30,
        .nesting = (uint32_t)(nesting < MP_MOST_NESTED ? nesting : MP_MOST_NESTED),
        .files = (uint32_t)(files < UINT32_MAX ? files : UINT32_MAX),
    };
}

static mp_inputs *inputs_of(const mp_load_options *options)
{
    return options ? options->inputs : NULL;
}

static mp_progress progress_of(const mp_load_options *options)
{
    return options && options->progress ? *options->progress : (mp_progress){0};
}

/* Create an input that owns the stream. */
static mp_input *input_new(const char *path, mp_stream *stream, mp_diagnostics *diagnostics,
                           const mp_load_options *options)
{
    mp_input *input = mp_alloc_zero(1, sizeof *input);
    input->inputs = inputs_of(options);
    input->path = path;
    input->diagnostics = diagnostics;
    input->capacity = MP_WINDOW + MP_WINDOW_SLACK;
    input->bytes = mp_alloc(input->capacity);
    input->stream = stream;
    input->file = stream->bottom;
    input->limits = limits_of(options);
    input->longest_line = (size_t)given_or(options ? options->limits.line : 0, LONGEST_LINE);
    input->encoding = options ? options->encoding : NULL;
    input->progress = progress_of(options);
    return input;
}

/* Push the decompression of the input, and the conversion of its text to UTF-8. */
static mp_input *unpack(mp_input *input)
{
    input->archive = mp_unpack_all(&input->stream, &input->layers, &input->limits);
    if (!mp_input_is_archive(input))
        mp_decode(&input->stream, input->encoding);
    input->file = input->stream->bottom;
    input->total = mp_stream_size(input->file);
    return input;
}

/* Open a file or standard input, and get its status. Return NULL after a diagnostic. */
static mp_stream *open_stream(const char *path, mp_diagnostics *diagnostics,
                              const mp_load_options *options, struct stat *status)
{
    bool standard = strcmp(path, "-") == 0;
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, status) < 0) {
        char meant[1024] = "";
        int why = errno;
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0, "cannot open: %s%s", strerror(why),
                    why == ENOENT ? mp_suggest_file(path, meant, sizeof meant) : meant);
        if (file > STDIN_FILENO)
            close(file);
        return NULL;
    }
    if (S_ISDIR(status->st_mode)) {
        mp_diagnose(diagnostics, MP_DIAG_IS_DIRECTORY, path, 0,
                    "is a directory, expected a recording; name the files in it");
        if (!standard)
            close(file);
        return NULL;
    }
    if (standard) /* it counts as read, since it cannot be read again */
        mp_inputs_note_read(inputs_of(options), status, false);
    return mp_stream_of_file(file);
}

/* Report the failure of an archive, or of one inside it. Releases the failure. */
static void diagnose_archive(mp_diagnostics *diagnostics, const char *path, mp_failure *failure)
{
    mp_arena arena = {0};
    const char *why = failure->why;
    if (failure->inside)
        path = mp_arena_format(&arena, "%s:%s", path, failure->inside);
    if (failure->fault == MP_FAULT_TORN)
        mp_diagnose(diagnostics, MP_DIAG_TORN, path, 0,
                    "the archive is truncated (%s); the part before that is used", why);
    else if (failure->fault == MP_FAULT_LIMIT)
        mp_input_tell_limit(diagnostics, path, 0, why);
    else if (failure->fault)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_READ, path, 0, "cannot read all of the archive: %s",
                    why);
    mp_arena_free(&arena);
    free(failure->inside);
}

static void want_named(void *name, const char *path, mp_member *member, bool *wanted)
{
    (void)path;
    *wanted = strcmp(member->name, name) == 0;
}

/* List an archive, and keep the member `name`. Return NULL after a diagnostic. */
static mp_members *list_archive(const char *path, char *name, mp_diagnostics *diagnostics,
                                const mp_load_options *options)
{
    mp_opened_archive archive = {
        .inputs = inputs_of(options), .path = path, .is_file = true, .limits = limits_of(options)};
    archive.stream = open_stream(path, diagnostics, options, &archive.origin);
    if (!archive.stream)
        return NULL;
    archive.packing = mp_unpack_all(&archive.stream, &archive.layers, &archive.limits);
    if (mp_packing_is_archive(archive.packing))
        return mp_members_visit(&archive, want_named, name);
    mp_stream_close(archive.stream);
    mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0, "cannot open: it is not an archive");
    return NULL;
}

/* Open a member of an archive. Return NULL after a diagnostic. */
static mp_stream *find_member(mp_members *members, const char *archive, const char *path,
                              const char *name, mp_layers *layers, mp_diagnostics *diagnostics)
{
    char meant[512] = "";
    mp_failure failure = {.fault = MP_FAULT_NONE};
    mp_stream *member = mp_members_open(members, name, layers, &failure, meant, sizeof meant);
    const bool failed = failure.fault != MP_FAULT_NONE;
    diagnose_archive(diagnostics, archive, &failure);
    if (!member && failed)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0,
                    "cannot open: it is not in the readable part of the archive");
    else if (!member)
        mp_diagnose(diagnostics, MP_DIAG_CANNOT_OPEN, path, 0,
                    "no member of this name in the archive%s%s%s", *meant ? "; did you mean '" : "",
                    meant, *meant ? "'?" : "");
    return member;
}

/* Open "ARCHIVE:MEMBER"; the path of the archive has `length` bytes. Return NULL after a
 * diagnostic. */
static mp_input *open_member(const char *path, size_t length, mp_diagnostics *diagnostics,
                             const mp_load_options *options)
{
    char *archive = mp_copy(path, strlen(path)), *name = archive + length + 1;
    archive[length] = '\0';
    mp_input *input = NULL;
    mp_layers layers = {.count = 0};
    mp_members *members = mp_members_find(inputs_of(options), archive);
    if (!members)
        members = list_archive(archive, name, diagnostics, options);
    mp_stream *member =
        members ? find_member(members, archive, path, name, &layers, diagnostics) : NULL;
    if (member) {
        input = input_new(path, member, diagnostics, options);
        input->layers = layers;
        input->is_file = true;
        input->origin = *mp_members_origin(members);
        unpack(input);
    }
    mp_members_release(members);
    free(archive);
    return input;
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? standard_input : path;
}

/* Resume an input that was put back. Its faults are reported again, because the first look may have
 * discarded its diagnostics. */
static mp_input *resume(mp_input *input, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    input->diagnostics = diagnostics;
    input->progress = progress_of(options);
    input->fault_told = input->damage_told = input->nul_told = false;
    mp_input_advance(input);
    return input;
}

mp_input *mp_input_look(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    struct stat status;
    mp_input *input = mp_inputs_take_back(inputs_of(options), name_of(path));
    if (input)
        return resume(input, diagnostics, options);
    size_t archive = mp_input_archive_of(inputs_of(options), path);
    if (archive)
        return open_member(path, archive, diagnostics, options);
    mp_stream *stream = open_stream(path, diagnostics, options, &status);
    if (!stream)
        return NULL;
    input = input_new(name_of(path), stream, diagnostics, options);
    input->origin = status;
    input->is_file = S_ISREG(status.st_mode) && strcmp(path, "-") != 0;
    return unpack(input);
}

mp_input *mp_input_open(const char *path, mp_diagnostics *diagnostics,
                        const mp_load_options *options)
{
    mp_input *input = mp_input_look(path, diagnostics, options);
    if (input)
        mp_input_note_read(input, &input->origin, false);
    return input;
}

size_t mp_input_archive_of(mp_inputs *inputs, const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? 0 : mp_members_archive(inputs, path);
}

bool mp_input_exists(mp_inputs *inputs, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return true;
    if (!mp_members_archive(inputs, path))
        return false;
    mp_diagnostics *unheard = mp_diagnostics_new(1);
    mp_input *input = mp_input_look(path, unheard, &(mp_load_options){.inputs = inputs});
    bool is = input != NULL;
    mp_input_close(input);
    mp_diagnostics_free(unheard);
    return is;
}

mp_input *mp_input_from_memory(const char *path, const void *bytes, size_t length, size_t window,
                               mp_diagnostics *diagnostics)
{
    return unpack(input_new(path, mp_stream_of_memory(bytes, length, window), diagnostics, NULL));
}

typedef struct member_visit {
    mp_input *archive;
    const mp_load_options *options;
    const mp_member_visitor *visitor;
} member_visit;

static void visit_member(void *opaque, const char *path, mp_member *member, bool *wanted)
{
    const member_visit *visit = opaque;
    const mp_member_visitor *visitor = visit->visitor;
    if (member->target) {
        if (visitor->dangling)
            visitor->dangling(visitor->opaque, path, member->target);
        return;
    }
    mp_input *input = input_new(path, member->stream, visit->archive->diagnostics, visit->options);
    member->stream = NULL;
    input->layers = member->layers;
    input->is_file = true;
    *wanted = visitor->member(visitor->opaque, unpack(input));
    const mp_stream *archive = input->file;
    const mp_progress progress = input->progress;
    mp_input_close(input); /* reads a wanted member to its end, so that it is kept */
    if (progress.advance)
        progress.advance(progress.opaque, visit->archive->path, archive->given,
                         mp_stream_size(archive));
}

bool mp_input_members(mp_input *input, const mp_load_options *options,
                      const mp_member_visitor *visitor)
{
    if (!mp_input_keep(input))
        return false;
    mp_stream *stream = mp_stream_clone(input->stream);
    if (!stream)
        return mp_input_failed(input, "cannot read again");
    member_visit visit = {input, options, visitor};
    const mp_opened_archive opened = {.inputs = inputs_of(options),
                                      .path = input->path,
                                      .origin = input->origin,
                                      .is_file = input->is_file,
                                      .stream = stream,
                                      .packing = input->archive,
                                      .layers = input->layers,
                                      .limits = input->limits};
    mp_members *members = mp_members_visit(&opened, visit_member, &visit);
    mp_failure failure = mp_members_failure(members);
    mp_members_release(members);
    diagnose_archive(input->diagnostics, input->path, &failure);
    return failure.fault == MP_FAULT_NONE || failure.fault == MP_FAULT_TORN;
}

mp_input *mp_input_from_stream(const char *path, mp_stream *stream, const char *encoding,
                               mp_diagnostics *diagnostics)
{
    mp_decode(&stream, encoding);
    return input_new(path, stream, diagnostics, NULL);
}
