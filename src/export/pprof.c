/* A profile for pprof (profile.proto, compressed by gzip): bytes created, alive and leaked, or
 * calls and times of an execution profile, by stack.
 *
 * A repeated field of a message may be written in pieces. So the output is written after every
 * PIECE messages, and the complete profile is never in memory. */
#include "base/error.h"
#include "export/stacks.h"
#include "model/profile.h"

#ifdef MEMPROF_PPROF
#include <stdlib.h>
#include <string.h>

#include "base/zlib.h"
#include "export/pprof.pb-c.h"
#include "export/protobuf.h"

enum {
    PIECE = 4096, /* number of messages in a piece */
    /* Maximum number of callers of a stack. With recursion, the size of the file grows with the
     * square of this number. */
    MOST_CALLERS = 1024,
    MOST_VALUES = 2 * MP_MOST_WEIGHINGS,
    MOST_LABELS = 4,
};

/* --- bytes --- */

typedef struct gzip_out {
    FILE *file;
    z_stream stream;
} gzip_out;

static void put_bytes(gzip_out *out, uint8_t *bytes, size_t length, int flush)
{
    unsigned char packed[16384];
    out->stream.next_in = bytes;
    out->stream.avail_in = (unsigned)length;
    do {
        out->stream.next_out = packed;
        out->stream.avail_out = sizeof packed;
        mp_z.deflate(&out->stream, flush);
        fwrite(packed, 1, sizeof packed - out->stream.avail_out, out->file);
    } while (out->stream.avail_out == 0);
}

static void open_gzip(gzip_out *out, FILE *file)
{
    enum { GZIP = 16, MEMORY = 8 };
    *out = (gzip_out){.file = file};
    if (mp_z.deflateInit2_(&out->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP + MAX_WBITS,
                           MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof out->stream) != Z_OK)
        mp_out_of_memory();
}

static void close_gzip(gzip_out *out)
{
    put_bytes(out, NULL, 0, Z_FINISH);
    mp_z.deflateEnd(&out->stream);
}

/* --- messages --- */

/* A frame as a caller. Many stacks share each caller. */
typedef struct frame_step {
    uint32_t caller, depth;
    uint32_t place; /* location of the call in its caller; 0 = not computed yet */
} frame_step;

typedef struct pprof_out {
    gzip_out gzip;
    mp_arena arena; /* memory that the current piece uses */
    Pprof__Profile piece;
    size_t pending;        /* number of messages in the current piece */
    void *pointers[PIECE]; /* pointers to the messages; they all belong to one list */
    uint8_t *packed;
    size_t packed_capacity;
    mp_code code;
    frame_step *steps;      /* indexed by frame */
    mp_id_index text_index; /* maps texts of `code` to indexes in the string table */
    uint32_t *texts;        /* text in `code` of each index from 1 */
    size_t text_count, text_capacity;
    mp_written_totals totals;
    bool uncounted; /* numbers of objects or calls are unknown, and left out */
    bool unsized;   /* sizes of objects are unknown, and left out */
    int64_t samples;
    int64_t unit; /* number of units of the file per byte or microsecond */
} pprof_out;

static void flush(pprof_out *out)
{
    size_t length = pprof__profile__get_packed_size(&out->piece);
    mp_grow(&out->packed, &out->packed_capacity, length, 1);
    pprof__profile__pack(&out->piece, out->packed);
    if (length)
        put_bytes(&out->gzip, out->packed, length, Z_NO_FLUSH);
    out->piece = (Pprof__Profile)PPROF__PROFILE__INIT;
    out->pending = 0;
    mp_arena_free(&out->arena);
}

/* Return the index of a text in the string table. */
static int64_t text_of(pprof_out *out, uint32_t id)
{
    uint32_t *place = id ? mp_id_index_put(&out->text_index, id) : NULL;
    if (!place)
        return 0;
    if (!*place) {
        *place = (uint32_t)++out->text_count;
        mp_grow(&out->texts, &out->text_capacity, out->text_count + 1, sizeof *out->texts);
        out->texts[*place] = id;
    }
    return *place;
}

static int64_t text(pprof_out *out, const char *text)
{
    return text_of(out, mp_code_text_id(&out->code, text));
}

/* Add a message to the piece. All messages of a piece belong to the same list. */
#define ADD(out, list, message)                                                                    \
    do {                                                                                           \
        (out)->pointers[(out)->pending++] = (message);                                             \
        (out)->piece.n_##list = (out)->pending;                                                    \
        (out)->piece.list = (void *)(out)->pointers;                                               \
        if ((out)->pending == PIECE)                                                               \
            flush(out);                                                                            \
    } while (0)

/* Return a new message in the memory of the current piece, initialised by `init`. */
#define NEW(out, type, init) new_message(&(out)->arena, &(const type)init, sizeof(type))

static void *new_message(mp_arena *arena, const void *empty, size_t size)
{
    return memcpy(mp_arena_alloc(arena, size), empty, size);
}

/* --- samples --- */

static void add_label(pprof_out *out, Pprof__Sample *sample, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    Pprof__Label *label = NEW(out, Pprof__Label, PPROF__LABEL__INIT);
    label->key = text(out, key);
    label->str = text(out, value);
    sample->label[sample->n_label++] = label;
}

static void find_steps(pprof_out *out)
{
    const mp_weights *weights = out->code.weights;
    out->steps = mp_alloc_zero(weights->count, sizeof *out->steps);
    for (uint32_t i = 1; i < weights->count; i++) {
        uint32_t caller = weights->frames[i].parent;
        out->steps[i] = (frame_step){.caller = caller, .depth = out->steps[caller].depth + 1};
    }
}

/* Return the location where the frame's caller calls it. The frame must have a caller. */
static uint32_t place_above(pprof_out *out, uint32_t frame)
{
    frame_step *step = &out->steps[frame];
    if (!step->place)
        step->place = mp_code_place_of(&out->code, step->caller, frame);
    return step->place;
}

static void add_sum(int64_t *total, int64_t more)
{
    *total = *total == MP_UNKNOWN ? more : *total + more;
}

/* Add the locations of a stack. `below`: callee of its first frame, or 0. */
static void add_stack(pprof_out *out, Pprof__Sample *sample, uint32_t frame, uint32_t below)
{
    size_t whole = out->steps[frame].depth;
    size_t depth = whole < MOST_CALLERS + 1 ? whole : MOST_CALLERS + 1;
    sample->n_location_id = depth;
    sample->location_id = mp_arena_alloc(&out->arena, (depth + 1) * sizeof *sample->location_id);
    if (depth)
        sample->location_id[0] =
            below ? place_above(out, below) : mp_code_place_of(&out->code, frame, 0);
    for (size_t i = 1; i < depth; i++) {
        sample->location_id[i] = place_above(out, frame);
        frame = out->steps[frame].caller;
    }
    if (depth < whole)
        add_sum(&out->totals.truncated_stacks, 1);
}

static void add_sample(pprof_out *out, uint32_t frame)
{
    const mp_weights *weights = out->code.weights;
    const mp_weight_frame *weight_frame = &weights->frames[frame];
    bool type = weight_frame->kind == MP_WEIGHT_TYPE,
         dump = weights->weighings[0] == MP_WEIGH_RETAINED;
    Pprof__Sample *sample = NEW(out, Pprof__Sample, PPROF__SAMPLE__INIT);
    sample->value = mp_arena_alloc(&out->arena, MOST_VALUES * sizeof *sample->value);
    sample->label = mp_arena_alloc(&out->arena, MOST_LABELS * sizeof(void *));
    for (size_t i = 0; i < weights->columns; i++) {
        const mp_weight *weight = &weights->items[i][frame];
        if (!out->uncounted)
            sample->value[sample->n_value++] = weight->own_count;
        if (!out->unsized)
            sample->value[sample->n_value++] = weight->self * out->unit;
        add_sum(mp_written_total(&out->totals, weights->weighings[i], false), weight->self);
        add_sum(mp_written_total(&out->totals, weights->weighings[i], true), weight->own_count);
    }
    add_label(out, sample, "type", type ? weight_frame->name : NULL);
    add_label(out, sample, "name", weight_frame->object);
    add_label(out, sample, "thread", weight_frame->thread);
    add_label(out, sample, "request", weight_frame->request);
    /* the type is a label of the code that created the objects; in a dump, types are the frames */
    add_stack(out, sample, type && !dump ? weight_frame->parent : frame, type && !dump ? frame : 0);
    out->samples++;
    ADD(out, sample, sample);
}

static void add_samples(pprof_out *out)
{
    const mp_weights *weights = out->code.weights;
    for (uint32_t frame = 1; frame < weights->count; frame++)
        if (mp_stacks_end_at(weights, frame))
            add_sample(out, frame);
    flush(out);
}

/* --- code --- */

static void add_mappings(pprof_out *out, mp_id_index *modules)
{
    for (size_t i = 1; i <= out->code.function_count; i++) {
        uint32_t module = out->code.functions[i].module;
        uint32_t *place = module ? mp_id_index_put(modules, module) : NULL;
        if (!place || *place)
            continue;
        *place = (uint32_t)modules->count;
        Pprof__Mapping *mapping = NEW(out, Pprof__Mapping, PPROF__MAPPING__INIT);
        mapping->id = *place;
        mapping->filename = text_of(out, module);
        mapping->has_functions = mapping->has_filenames = mapping->has_line_numbers = true;
        ADD(out, mapping, mapping);
    }
    flush(out);
}

static void add_locations(pprof_out *out, const mp_id_index *modules)
{
    for (size_t i = 1; i <= out->code.place_count; i++) {
        const mp_code_place *place = &out->code.places[i];
        uint32_t module = out->code.functions[place->function].module;
        Pprof__Location *location = NEW(out, Pprof__Location, PPROF__LOCATION__INIT);
        Pprof__Line *line = NEW(out, Pprof__Line, PPROF__LINE__INIT);
        location->id = i;
        location->mapping_id = module ? mp_id_index_get(modules, module) : 0;
        location->line = mp_arena_alloc(&out->arena, sizeof(void *));
        location->line[location->n_line++] = line;
        line->function_id = place->function;
        line->line = place->line == MP_NO_LINE ? 0 : (int32_t)place->line;
        ADD(out, location, location);
    }
    flush(out);
}

static void add_functions(pprof_out *out)
{
    for (size_t i = 1; i <= out->code.function_count; i++) {
        const mp_code_function *from = &out->code.functions[i];
        Pprof__Function *function = NEW(out, Pprof__Function, PPROF__FUNCTION__INIT);
        function->id = i;
        function->name = function->system_name = text_of(out, from->name);
        function->filename = text_of(out, from->source);
        function->start_line = from->start_line;
        ADD(out, function, function);
    }
    flush(out);
}

static void add_texts(pprof_out *out)
{
    ADD(out, string_table, (void *)"");
    for (size_t i = 1; i <= out->text_count; i++)
        ADD(out, string_table, (void *)mp_dictionary_text(out->code.texts, out->texts[i]));
    flush(out);
}

/* --- the head --- */

typedef struct value_names {
    const char *count, *amount;
} value_names;

static const value_names names_of[MP_WEIGHINGS] = {
    [MP_WEIGH_CREATED] = {"alloc_objects", "alloc_space"},
    [MP_WEIGH_ALIVE] = {"inuse_objects", "inuse_space"},
    [MP_WEIGH_LEAKED] = {"leaked_objects", "leaked_space"},
    [MP_WEIGH_RETAINED] = {"inuse_objects", "inuse_space"},
    [MP_WEIGH_SECONDS] = {"samples", "cpu"},
    [MP_WEIGH_SAMPLES] = {NULL, "samples"},
};

static Pprof__ValueType *value_type(pprof_out *out, const char *type, const char *unit)
{
    Pprof__ValueType *value = NEW(out, Pprof__ValueType, PPROF__VALUE_TYPE__INIT);
    value->type = text(out, type);
    value->unit = text(out, unit);
    return value;
}

enum { PER_MICROSECOND = 1000 };

/* Return the number of units per microsecond or byte. Times are in nanoseconds, which is usual in
 * profiles, unless their sum would overflow. */
static int64_t unit_of(const mp_weights *weights)
{
    bool fits = weights->items[0][0].total <= INT64_MAX / PER_MICROSECOND;
    return weights->weighings[0] == MP_WEIGH_SECONDS && fits ? PER_MICROSECOND : 1;
}

/* Return the start of the first session, in nanoseconds since 1970; 0 if it is unknown or out of
 * range. */
static int64_t began(const mp_model *model)
{
    int64_t first = 0;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        int64_t position = model->sessions.items[i].start_us;
        if (position && (!first || position < first))
            first = position;
    }
    const int64_t most = INT64_MAX / PER_MICROSECOND;
    return first > most || first < -most ? 0 : first * PER_MICROSECOND;
}

/* Return the name of the measured cost of a profile, such as "delay"; NULL: the kind of the profile
 * says it. */
static const char *measure_of(const mp_model *model)
{
    const mp_profile *profile = model->profile;
    return profile && profile->measure.i ? mp_model_text(model, profile->measure) : NULL;
}

static void add_head(pprof_out *out, const mp_model *model)
{
    static const char calls[] = "samples are calls";
    const mp_weights *weights = out->code.weights;
    bool times = weights->weighings[0] == MP_WEIGH_SECONDS;
    const bool samples = weights->weighings[0] == MP_WEIGH_SAMPLES;
    const char *unit = samples         ? "count"
                       : !times        ? "bytes"
                       : out->unit > 1 ? "nanoseconds"
                                       : "microseconds";
    const char *measure = measure_of(model);
    const char *kind = measure ? measure : samples ? "samples" : times ? "cpu" : "space";
    for (size_t i = 0; i < weights->columns; i++) {
        const value_names *names = &names_of[weights->weighings[i]];
        if (!out->uncounted)
            out->pointers[out->pending++] = value_type(out, names->count, "count");
        if (!out->unsized)
            out->pointers[out->pending++] =
                value_type(out, measure ? measure : names->amount, unit);
    }
    out->piece.n_sample_type = out->pending;
    out->piece.sample_type = (void *)out->pointers;
    out->piece.period_type = value_type(out, kind, unit);
    out->piece.period = out->unit;
    out->piece.default_sample_type = text(out, samples || times ? kind
                                               : out->unsized   ? "inuse_objects"
                                                                : "inuse_space");
    out->piece.time_nanos = began(model);
    const bool counts_calls = times && !out->uncounted;
    int64_t comment = counts_calls ? text(out, calls) : 0;
    out->piece.comment = &comment;
    out->piece.n_comment = counts_calls;
    flush(out);
}

/* --- the file --- */

static void describe(const pprof_out *out, const mp_id_index *modules, const mp_request *request,
                     mp_document *document)
{
    mp_written(document, request, "profile for pprof", &out->totals);
    mp_table *table = mp_written_table(document);
    mp_written_rows(document, table, "samples", out->samples);
    mp_written_rows(document, table, "locations", (int64_t)out->code.place_count);
    mp_written_rows(document, table, "functions", (int64_t)out->code.function_count);
    mp_written_rows(document, table, "mappings", (int64_t)modules->count);
    mp_written_rows(document, table, "texts", (int64_t)out->text_count + 1);
}

static void write_weights(const mp_weights *weights, const mp_request *request,
                          mp_document *document)
{
    mp_id_index modules = {0};
    pprof_out *out = mp_alloc_zero(1, sizeof *out);
    open_gzip(&out->gzip, request->file);
    out->piece = (Pprof__Profile)PPROF__PROFILE__INIT;
    out->code = mp_code_of(weights);
    find_steps(out);
    out->totals = mp_nothing_written;
    out->uncounted = request->model->holds & (MP_HOLDS_UNCOUNTED | MP_HOLDS_UNCALLED);
    out->unsized = request->model->holds & MP_HOLDS_UNSIZED && !out->uncounted;
    out->unit = unit_of(weights);
    add_head(out, request->model);
    add_samples(out);
    add_mappings(out, &modules);
    add_locations(out, &modules);
    add_functions(out);
    add_texts(out);
    close_gzip(&out->gzip);
    describe(out, &modules, request, document);
    mp_code_free(&out->code);
    mp_id_index_free(&modules);
    mp_id_index_free(&out->text_index);
    MP_FREE(out->steps, out->texts, out->packed, out);
}

static const char *load_libraries(void)
{
    const char *missing = mp_zlib_load();
    return missing ? missing : mp_protobuf_load();
}

static bool write_pprof(const mp_request *request, mp_document *document, mp_error *error)
{
    const char *missing = load_libraries();
    if (missing)
        return mp_fail(error, MP_ERROR_OUTPUT, "%s %s", MP_EXPORT_TO("pprof"), missing);
    return mp_stacks_weigh(request, document, true, error, write_weights);
}
#else
static const char *load_libraries(void)
{
    return NULL;
}

static bool write_pprof(const mp_request *request, mp_document *document, mp_error *error)
{
    (void)request;
    (void)document;
    return mp_fail(error, MP_ERROR_NO_ANSWER,
                   "this memprof was built without protobuf-c, which pprof files need");
}
#endif

const mp_exporter mp_exporter_pprof = {
    .name = "pprof",
    .endings = ".pb.gz",
    .report = {.name = MP_EXPORT_TO("pprof"),
               .summary = "stacks with types and threads, for go tool pprof",
               MP_ARGUMENTS(mp_stacks_arguments, mp_stacks_defaults),
               .wants_threads = true,
               .loads = load_libraries,
               .variants = {MP_HEAP_VARIANTS(write_pprof),
                            {.needs = MP_HOLDS_GRAPH, .run = write_pprof},
                            {.needs = MP_HOLDS_PROFILE, .run = write_pprof}}},
    .binary = true,
};
