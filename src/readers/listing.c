/* Debug listings, written by COMPILE ... DEBUG-LIST: the source with all includes and preprocessor
 * references expanded. Their line numbers are those that the profiler records.
 *
 *            12         RUN proc1.
 *
 * Each line starts with its number, right-aligned in a margin of 12 characters. There are no
 * headings or page breaks. The width of the margin is not documented, so the parser does not depend
 * on it: a line is blanks, a number and the source text, which is trimmed. Lines without a number
 * are skipped. If several lines have the same number, the first counts.
 *
 * Without a listing, the source itself is used up to its first include.
 *
 * Each folder is searched for a listing under the names that base/source_name.h defines. */
#include "readers/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diagnose.h"
#include "base/index.h"
#include "base/source_name.h"
#include "base/text.h"
#include "input/fields.h"
#include "model/build.h"

/* No path of any file system is as long as this limit. */
enum { LONGEST_PATH = 4096 };

/* Lines of the profile that need a text, by (program, line), in chains. The first indexes refer to
 * profile->lines, the following ones to profile->coverage_lines. */
typedef struct wanted_lines {
    mp_id_index index;    /* (program, line) to the first index of a chain */
    uint32_t *next;       /* next index in the chain */
    mp_id_index programs; /* program to the path of its listing, or to one of the values below */
    mp_string_id missing; /* first program without a listing and without a source */
    uint64_t missing_count;
} wanted_lines;
#define NOT_LOOKED_FOR UINT32_MAX
#define NO_LISTING (UINT32_MAX - 1)

static uint64_t line_key(mp_string_id program, uint32_t line)
{
    return (uint64_t)program.i << 32 | line;
}

/* Return the program of a module that may have a listing; none for all other modules. */
static mp_string_id program_of(const mp_profile *profile, mp_module_id id)
{
    const mp_module *module = &profile->modules.items[id.i];
    return module->defined && module->number != 0 ? module->program : (mp_string_id){0};
}

static void want(wanted_lines *wanted, mp_string_id program, int32_t line, uint32_t place)
{
    if (!program.i || line <= 0)
        return;
    uint32_t *first = mp_id_index_put(&wanted->index, line_key(program, (uint32_t)line));
    wanted->next[place] = *first;
    *first = place;
    uint32_t *seen = mp_id_index_put(&wanted->programs, program.i);
    *seen = NOT_LOOKED_FOR;
}

static wanted_lines collect(const mp_profile *profile)
{
    uint32_t places = profile->lines.count + profile->coverage_lines.count;
    wanted_lines wanted = {.next = mp_alloc_zero(places, sizeof *wanted.next)};
    for (uint32_t i = 1; i < profile->lines.count; i++) {
        const mp_profile_line *line = &profile->lines.items[i];
        if (!line->code.i &&
            !line->rounded) /* reports truncate names of programs, so no listing can be found */
            want(&wanted, program_of(profile, line->module), line->line, i);
    }
    for (uint32_t i = 1; i < profile->coverage.count; i++) {
        const mp_profile_coverage *entity = &profile->coverage.items[i];
        for (uint32_t k = entity->first; k < entity->first + entity->count; k++)
            if (!profile->coverage_codes.items[k].i)
                want(&wanted, program_of(profile, entity->module), profile->coverage_lines.items[k],
                     profile->lines.count + k);
    }
    return wanted;
}

/* --- search for a listing --- */

/* Return "folder/name" if it is a file; otherwise NULL. */
static const char *file_at(mp_arena *arena, const char *folder, mp_slice name)
{
    struct stat status;
    if (name.length == 0 || name.length + strlen(folder) > LONGEST_PATH)
        return NULL;
    const char *path = mp_arena_format(arena, "%s/%.*s", folder, (int)name.length, name.start);
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? path : NULL;
}

/* Return the path of a program's listing or, if `ending` is NULL, of its source; NULL: none. */
static const char *find_file(mp_arena *arena, const mp_load_options *options, const char *program,
                             const char *ending)
{
    mp_slice names[MP_SOURCE_NAMES];
    mp_source_names(arena, program, ending, names);
    for (size_t i = 0; i < options->source_folder_count; i++)
        for (size_t k = 0; k < MP_SOURCE_NAMES; k++) {
            const char *found = file_at(arena, options->source_folders[i], names[k]);
            if (found)
                return found;
        }
    return NULL;
}

/* --- reading a listing --- */

static void set_code(mp_model *model, const wanted_lines *wanted, mp_string_id program,
                     uint64_t number, mp_slice text)
{
    if (number == 0 || number > INT32_MAX)
        return;
    mp_profile *profile = model->profile;
    uint32_t position = mp_id_index_get(&wanted->index, line_key(program, (uint32_t)number));
    mp_string_id code = {0};
    for (; position; position = wanted->next[position]) {
        mp_string_id *place = position < profile->lines.count
                                  ? &profile->lines.items[position].code
                                  : &profile->coverage_codes.items[position - profile->lines.count];
        if (place->i)
            return;
        code = code.i ? code : mp_model_intern(model, text);
        *place = code;
    }
}

static void read_listing(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options, const wanted_lines *wanted,
                         mp_string_id program, const char *path)
{
    mp_slice line;
    mp_load_options quiet = {.inputs = options->inputs, .encoding = options->encoding};
    mp_input *input = mp_input_open(path, diagnostics, &quiet);
    while (input && mp_input_line(input, &line)) {
        mp_fields fields = mp_fields_of(line);
        uint64_t number;
        if (mp_field_unsigned(&fields, &number))
            set_code(
                model, wanted, program, number,
                mp_slice_trim((mp_slice){fields.cursor, (size_t)(fields.end - fields.cursor)}));
    }
    mp_input_close(input);
}

/* Read a source. Use its lines only up to the first include, because the lines of the listing are
 * numbered differently from there on. */
static void read_source(mp_model *model, mp_diagnostics *diagnostics,
                        const mp_load_options *options, const wanted_lines *wanted,
                        mp_string_id program, const char *path)
{
    mp_slice line;
    mp_load_options quiet = {.inputs = options->inputs, .encoding = options->encoding};
    mp_input *input = mp_input_open(path, diagnostics, &quiet);
    for (uint64_t number = 1; input && mp_input_line(input, &line); number++) {
        if (memchr(line.start, '{', line.length))
            break;
        set_code(model, wanted, program, number, mp_slice_trim(line));
    }
    mp_input_close(input);
}

static void fill_program(mp_model *model, mp_diagnostics *diagnostics,
                         const mp_load_options *options, wanted_lines *wanted, mp_string_id program)
{
    mp_arena arena = {0};
    const char *name = mp_model_text(model, program);
    const char *listing = find_file(&arena, options, name, ".dbg");
    const char *source = listing ? NULL : find_file(&arena, options, name, NULL);
    const char *found = listing ? listing : source;
    *mp_id_index_put(&wanted->programs, program.i) =
        found ? mp_model_intern_text(model, found).i : NO_LISTING;
    if (listing)
        read_listing(model, diagnostics, options, wanted, program, listing);
    else if (source)
        read_source(model, diagnostics, options, wanted, program, source);
    else if (!wanted->missing_count++)
        wanted->missing = program;
    mp_arena_free(&arena);
}

void mp_listing_fill(mp_model *model, mp_diagnostics *diagnostics, const mp_load_options *options)
{
    mp_profile *profile = model->profile;
    const bool converted = model->converted; /* a text of the recording, not of a listing */
    if (!profile || !options || options->source_folder_count == 0)
        return;
    while (profile->coverage_codes.count < profile->coverage_lines.count)
        *MP_ADD(&profile->coverage_codes) = (mp_string_id){0};
    wanted_lines wanted = collect(profile);
    for (uint32_t i = 1; i < profile->modules.count; i++) {
        mp_string_id program = program_of(profile, (mp_module_id){i});
        if (mp_id_index_get(&wanted.programs, program.i) == NOT_LOOKED_FOR)
            fill_program(model, diagnostics, options, &wanted, program);
        uint32_t listing = mp_id_index_get(&wanted.programs, program.i);
        if (listing && listing != NO_LISTING)
            profile->modules.items[i].listing_file = (mp_string_id){listing};
    }
    model->converted = converted;
    if (wanted.missing_count)
        mp_diagnose(diagnostics, MP_DIAG_NO_SOURCE, NULL, 0,
                    "the folder has no listing (.dbg) and no source of %" PRIu64
                    " program%s, such as %s",
                    wanted.missing_count, wanted.missing_count == 1 ? "" : "s",
                    mp_model_text(model, wanted.missing));
    mp_id_index_free(&wanted.index);
    mp_id_index_free(&wanted.programs);
    free(wanted.next);
}
