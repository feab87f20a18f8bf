/* Recordings. Reading through a small window gives the same result as reading all bytes at once. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "export/formats.h"
#include "fuzz/fuzz.h"
#include "input/unpack.h"
#include "readers/reader.h"
#include "session/side_files.h"

enum { ASKED = 4 };

/* Print the reader's diagnostics and, if the recording can be analysed, two reports in some formats
 * and the output of an exporter. */
static void ask_some(const fuzz_recording *recording, fuzz_choice choice, char *texts[ASKED])
{
    size_t count, exporter_count;
    const mp_report *const *reports = mp_reports(&count);
    const mp_exporter *const *exporters = mp_exporters(&exporter_count);
    memset(texts, 0, ASKED * sizeof *texts);
    texts[0] = fuzz_complaints(recording->diagnostics);
    if (!mp_model_is_usable(recording->model))
        return;
    for (size_t i = 1; i < 3; i++) {
        const mp_report *report = reports[fuzz_choose(&choice, (unsigned)count)];
        texts[i] = fuzz_ask(recording, report, (fuzz_asked){0}, &choice);
    }
    const mp_exporter *exporter = exporters[fuzz_choose(&choice, (unsigned)exporter_count)];
    /* This export would wait for the disk, so it is left out. */
    if (!exporter->in_place || fuzz_choose(&choice, 8) == 0)
        texts[3] = fuzz_export(recording, exporter, &choice);
}

/* Choose other hash keys. Tables then have another internal order, which no output may show. */
static void draw_keys(fuzz_choice *choice)
{
    for (size_t i = 0; i < sizeof mp_keys.number / sizeof *mp_keys.number; i++)
        mp_keys.number[i] = (uint64_t)fuzz_choose(choice, UINT32_MAX) << 33 | 1;
    for (size_t i = 0; i < sizeof mp_keys.word / sizeof *mp_keys.word; i++)
        mp_keys.word[i] = (uint64_t)fuzz_choose(choice, UINT32_MAX) << 33 | 1;
}

static void read_twice(const mp_reader *reader, mp_slice input, size_t window, fuzz_choice choice)
{
    char *first[ASKED], *again[ASKED];
    fuzz_choice other = choice;
    draw_keys(&choice);
    fuzz_choose(&other, 2);
    fuzz_recording recording = fuzz_read(reader, input, 1 << 16, choice);
    ask_some(&recording, choice, first);
    fuzz_forget(&recording);
    draw_keys(&other);
    recording = fuzz_read(reader, input, window, choice);
    ask_some(&recording, choice, again);
    fuzz_forget(&recording);
    for (size_t i = 0; i < ASKED; i++) {
        bool same = first[i] && again[i] ? strcmp(first[i], again[i]) == 0 : first[i] == again[i];
        if (!same)
            fuzz_hold(false, "a recording says the same through any window",
                      mp_slice_of(again[i] ? again[i] : ""));
        free(first[i]);
        free(again[i]);
    }
}

/* Return the reader for the data in an input. */
static const mp_reader *settle(const mp_reader *reader, mp_slice bytes, size_t window)
{
    mp_diagnostics *diagnostics = mp_diagnostics_new(1);
    mp_input *input =
        mp_input_from_memory("settled", bytes.start, bytes.length, window, diagnostics);
    mp_input_look_ahead(input); /* skips a byte-order mark */
    const uint64_t before = mp_input_bytes(input);
    reader = mp_reader_settle(reader, input);
    fuzz_hold(mp_input_bytes(input) == before, "an input is rewound", bytes);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    return reader;
}

void fuzz_reader(const fuzz_target *target, mp_slice input)
{
    static const size_t windows[] = {1, 3, 16, 100, 1000};
    fuzz_choice choice = fuzz_choose_by(input);
    const mp_reader *second;
    mp_place place = {.sequence = 0};
    mp_slice head = {input.start, input.length < MP_LOOK_AHEAD ? input.length : MP_LOOK_AHEAD};
    if (mp_packing_of(head) != MP_UNPACKED)
        return; /* another target reads this */
    mp_reader_claiming(head, &second);
    char kind[128];
    fuzz_check_text("the kind of a file",
                    mp_slice_of(mp_spell(kind, sizeof kind, mp_foreign_kind(head), "--")));
    if (target->reader->place)
        target->reader->place(head, &place);
    const size_t window = windows[fuzz_choose(&choice, 5)];
    fuzz_hold(settle(target->reader, input, window) == settle(target->reader, input, 1000),
              "an input holds the same through any window", input);
    read_twice(target->reader, input, window, choice);
}

/* --- compressed input --- */

/* Print a checksum of all lines. */
static void put_lines(mp_input *input, FILE *out)
{
    fuzz_choice sum = {0};
    uint64_t lines = 0;
    for (mp_slice line; mp_input_line(input, &line); lines++)
        sum.state = sum.state * 31 + fuzz_choose_by(line).state;
    fprintf(out, "%" PRIu64 " lines, %016" PRIx64 "\n", lines, sum.state);
}

/* Diagnostics of an archive's members, and the last member, which can be opened by its name. */
typedef struct members {
    FILE *out;
    char *last, *said;
} members;

static void forget_last(members *list)
{
    free(list->last);
    free(list->said);
}

static char *lines_of(mp_input *input)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    put_lines(input, out);
    fclose(out);
    return text;
}

static bool visit(void *opaque, mp_input *member)
{
    members *list = opaque;
    const char *path = mp_input_path(member);
    fuzz_hold(mp_utf8_valid(mp_slice_of(path)), "the name of a member is UTF-8", mp_slice_of(path));
    forget_last(list);
    list->last = mp_copy(path, strlen(path));
    list->said = lines_of(member);
    fprintf(list->out, "%s: %s", list->last, list->said);
    return true;
}

static void visit_dangling(void *opaque, const char *path, const char *target)
{
    const members *list = opaque;
    fuzz_hold(mp_utf8_valid(mp_slice_of(path)), "the name of a link is UTF-8", mp_slice_of(path));
    fuzz_hold(mp_utf8_valid(mp_slice_of(target)), "its target is UTF-8", mp_slice_of(target));
    fprintf(list->out, "%s -> %s\n", path, target);
}

static void put_members(mp_input *archive, mp_diagnostics *diagnostics, FILE *out)
{
    members list = {.out = out};
    mp_inputs *inputs = mp_inputs_new();
    const mp_load_options how = {.inputs = inputs};
    const mp_member_visitor visitor = {visit, visit_dangling, &list};
    bool whole = mp_input_members(archive, &how, &visitor);
    fprintf(out, "%s\n", whole ? "all members" : "not all members");
    mp_input *again = list.last ? mp_input_open(list.last, diagnostics, &how) : NULL;
    if (again) {
        char *said = lines_of(again);
        fuzz_hold(strcmp(said, list.said) == 0,
                  "a member is the same where it is opened by its name", mp_slice_of(list.last));
        free(said);
        mp_input_close(again);
    }
    forget_last(&list);
    mp_inputs_free(inputs);
}

/* Return the contents of the archive, and its problems. */
static char *tell_packed(mp_input *input, mp_diagnostics *diagnostics)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (mp_input_is_archive(input))
        put_members(input, diagnostics, out);
    else
        put_lines(input, out);
    char *complaints = fuzz_complaints(diagnostics);
    if (!mp_input_is_archive(input)) /* names of members are escaped when they are printed */
        fuzz_check_text("what is wrong", mp_slice_of(complaints));
    fputs(complaints, out);
    free(complaints);
    fclose(out);
    return text;
}

/* Compressed bytes give the same contents through a window of any size, and when they are read
 * again. */
void fuzz_packed(const fuzz_target *target, mp_slice input)
{
    (void)target;
    static const size_t windows[] = {1 << 16, 7, 100};
    char *said[3] = {NULL};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        mp_diagnostics *diagnostics = mp_diagnostics_new(50);
        mp_input *made =
            mp_input_from_memory("input", input.start, input.length, windows[i], diagnostics);
        said[i] = tell_packed(made, diagnostics);
        fuzz_hold(i == 0 || strcmp(said[0], said[i]) == 0,
                  "what is packed says the same through any window", mp_slice_of(said[i]));
        mp_input_close(made);
        mp_diagnostics_free(diagnostics);
    }
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        free(said[i]);
}

/* --- rows of a database --- */

/* The tables and columns that the reader knows. Values that are left out of a row are NULL. */
static const char schema[] =
    "CREATE TABLE INSTANCES (INST_ID, CAPTION);"
    "CREATE TABLE ALLOCATION_PROFILER_OBJECTS (INST_ID, ID, REC_ID, COL_CLASSRID, COL_SIZE, COL__,"
    " COL_ADDRESS, COL_GET_, COL_ROOT, COL_THREADRID);"
    "CREATE TABLE ALLOCATION_PROFILER_META_CLASSES_DATA (INST_ID, REC_ID, COL_CLASS_NAME,"
    " COL_NAMESPACE, COL_MODULE_NAME, COL_FINALIZABLE);"
    "CREATE TABLE ALLOCATION_PROFILER_CLASSES_DATA (INST_ID, REC_ID, COL_CLASS_NAME, COL_NAMESPACE,"
    " COL_MODULE_NAME, COL_FINALIZABLE, COL_LIVE_COUNT, COL_LIVE_SIZE, COL_PEAK_CREATED,"
    " COL_PEAK_SIZE, COL_TOTAL_CREATED, COL_TOTAL_SIZE);"
    "CREATE TABLE ALLOCATION_PROFILER_CREATION_CALL_STACK (INST_ID, PARENT_ID, COL_ROUTINERID);"
    "CREATE TABLE ALLOCATION_PROFILER_META_ROUTINES (INST_ID, REC_ID, COL_SOURCE_LINE,"
    " COL_CLASS_NAME, COL_ROUTINE_NAME, COL_SOURCE_FILE, COL_UNIT_NAME, COL_MODULE_NAME,"
    " COL_HIT_COUNT);"
    "CREATE TABLE ALLOCATION_PROFILER_THREADS (INST_ID, REC_ID, COL_WIN32THREADID, COL_NAME);"
    "CREATE TABLE ALLOCATION_PROFILER_REFERENCES_TO (INST_ID, PARENT_ID, REC_ID);"
    "CREATE TABLE ALLOCATION_PROFILER_REFERENCES_FROM (INST_ID, PARENT_ID, REC_ID);";
static const char *const inserts[] = {
    "INSERT INTO INSTANCES VALUES (?,?)",
    "INSERT INTO ALLOCATION_PROFILER_OBJECTS VALUES (?,?,?,?,?,?,?,?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_META_CLASSES_DATA VALUES (?,?,?,?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_CLASSES_DATA VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_CREATION_CALL_STACK VALUES (?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_META_ROUTINES VALUES (?,?,?,?,?,?,?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_THREADS VALUES (?,?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_REFERENCES_TO VALUES (?,?,?)",
    "INSERT INTO ALLOCATION_PROFILER_REFERENCES_FROM VALUES (?,?,?)",
};
enum { TABLES = sizeof inserts / sizeof *inserts };

/* The numbers are mostly small and whole, so that ids match. */
static void bind(sqlite3_stmt *insert, int place, fuzz_bytes *bytes)
{
    unsigned kind = fuzz_take(bytes, 256);
    if (kind >= 16) {
        sqlite3_bind_int64(insert, place, kind % 8);
        return;
    }
    mp_slice text;
    switch (kind % 8) {
    case 0:
        sqlite3_bind_null(insert, place);
        break;
    case 1:
    case 2:
        sqlite3_bind_double(insert, place, fuzz_take_real(bytes));
        break;
    case 3:
        text = fuzz_take_bytes(bytes);
        sqlite3_bind_blob(insert, place, text.start, (int)text.length, SQLITE_TRANSIENT);
        break;
    case 4:
    case 5:
        text = fuzz_take_bytes(bytes);
        sqlite3_bind_text(insert, place, text.start, (int)text.length, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_int64(insert, place, fuzz_take_number(bytes));
    }
}

static void fill(sqlite3 *database, fuzz_bytes *bytes)
{
    sqlite3_stmt *statements[TABLES];
    for (size_t i = 0; i < TABLES; i++)
        sqlite3_prepare_v2(database, inserts[i], -1, &statements[i], NULL);
    while (bytes->left.length) {
        sqlite3_stmt *insert = statements[fuzz_take(bytes, TABLES)];
        for (int i = 1; i <= sqlite3_bind_parameter_count(insert); i++)
            bind(insert, i, bytes);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    for (size_t i = 0; i < TABLES; i++)
        sqlite3_finalize(statements[i]);
}

/* Return an empty database that has these tables. It is made once. */
static mp_slice empty_database(void)
{
    static mp_slice empty;
    if (!empty.start) {
        sqlite3 *database;
        sqlite3_int64 length;
        sqlite3_open(":memory:", &database);
        sqlite3_exec(database, "PRAGMA page_size = 512", NULL, NULL, NULL);
        sqlite3_exec(database, schema, NULL, NULL, NULL);
        empty.start = (char *)sqlite3_serialize(database, "main", &length, 0);
        empty.length = (size_t)length;
        sqlite3_close(database);
    }
    return empty;
}

void fuzz_rows(const fuzz_target *target, mp_slice input)
{
    fuzz_bytes bytes = {.left = input};
    mp_slice empty = empty_database();
    sqlite3 *database;
    sqlite3_int64 length;
    unsigned char *copy = sqlite3_malloc64(empty.length);
    memcpy(copy, empty.start, empty.length);
    sqlite3_open(":memory:", &database);
    sqlite3_deserialize(database, "main", copy, (sqlite3_int64)empty.length,
                        (sqlite3_int64)empty.length,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    sqlite3_exec(database, "PRAGMA journal_mode = OFF; BEGIN", NULL, NULL, NULL);
    fill(database, &bytes);
    sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    unsigned char *whole = sqlite3_serialize(database, "main", &length, 0);
    sqlite3_close(database);
    mp_arena_free(&bytes.arena);
    read_twice(target->reader, (mp_slice){(char *)whole, (size_t)length}, 1000,
               fuzz_choose_by(input));
    sqlite3_free(whole);
}
