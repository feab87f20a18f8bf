/* OpenEdge memory recordings: every column of both versions, for any number of bytes at a time.
 * Diagnostics are tested in test_oemp_checks.c. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"
#include "support/memory_reader.h"
#include "unit/recording.h"

extern const mp_reader mp_reader_oemp;

/* --- the model as text --- */

static const char *text_of(const mp_model *model, mp_string_id id)
{
    return id.i ? mp_model_text(model, id) : "-";
}

static void dump_symbol(FILE *out, const mp_model *model, mp_symbol_id id)
{
    const mp_symbol *symbol = &model->symbols.items[id.i];
    fprintf(out, " %" PRIu64 "=%s@%u", symbol->number, text_of(model, symbol->name),
            symbol->start_line);
}

static void dump_heads(FILE *out, const mp_model *model)
{
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        const mp_recorded_session *s = &model->sessions.items[i];
        fprintf(out, "session %s pid %" PRIu64 " start %s=%" PRId64 " id %s app %s propath %s\n",
                text_of(model, s->uuid), s->process_id, text_of(model, s->start_time), s->start_us,
                text_of(model, s->session_id), text_of(model, s->application),
                text_of(model, s->propath));
        fprintf(out, "  oe %s instance %s description %s apart %d snapshots %u\n",
                text_of(model, s->openedge_version), text_of(model, s->instance),
                text_of(model, s->description), s->reusable_apart, s->snapshots);
    }
    for (uint32_t i = 1; i < model->snapshots.count; i++) {
        const mp_snapshot *m = &model->snapshots.items[i];
        fprintf(out, "snapshot %u.%u #%" PRIu64 " %s request %s@%" PRId64 " api %s propath %s",
                m->session.i, m->ordinal, m->sequence, text_of(model, m->tag),
                text_of(model, m->request), m->request_start_us, text_of(model, m->request_api),
                text_of(model, m->propath));
        fprintf(out, " cpu %" PRId64 " overhead %" PRId64 " whole %d line %" PRIu64 "\n",
                m->cpu_hundredths, m->overhead_bytes, m->whole, m->line);
        fprintf(out, "  %" PRId64 "us +%" PRId64 " -%" PRId64 " ~%" PRId64, m->time_us,
                m->created_objects, m->deleted_objects, m->changed_objects);
        fprintf(out, " live %" PRId64 "/%" PRId64 " reusable %" PRId64 "/%" PRId64, m->live_objects,
                m->live_bytes, m->reusable_objects, m->reusable_bytes);
        fprintf(out, " platform %" PRId64 " peak %" PRId64 " depth %" PRId64 "\n",
                m->platform_bytes, m->stated_peak_objects, m->class_depth);
    }
    for (uint32_t i = 1; i < model->platform_samples.count; i++) {
        const mp_platform_sample *p = &model->platform_samples.items[i];
        fprintf(out, "platform %u %s %" PRId64 " %" PRId64 " %" PRId64 "\n", p->snapshot.i,
                text_of(model, model->platforms.items[p->platform.i]), p->bytes, p->block_bytes,
                p->pool_bytes);
    }
}

static void dump_context(FILE *out, const mp_model *model, const mp_context *context)
{
    const mp_type *type = &model->types.items[context->type.i];
    fprintf(out, "%" PRIu64 "=%s(%d)", type->number, text_of(model, type->name), (int)type->class);
    dump_symbol(out, model, context->name);
    for (mp_node_id state = context->node; state.i; state = model->nodes.items[state.i].parent) {
        const mp_node *node = &model->nodes.items[state.i];
        fprintf(out, " %s %" PRIu64, state.i == context->node.i ? "by" : "<", node->number);
        dump_symbol(out, model, node->symbol);
        fprintf(out, " from %u", node->line);
    }
    fprintf(out, " line %u owner %u%s\n", context->line, context->owner.i,
            context->reusable ? " r" : "");
}

static char *dump(const mp_model *model)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    dump_heads(out, model);
    for (uint32_t i = MP_CONTEXT_UNKNOWN + 1; i < model->contexts.count; i++) {
        fprintf(out, "context %u ", i);
        dump_context(out, model, &model->contexts.items[i]);
    }
    for (uint32_t i = 1; i < model->deltas.count; i++) {
        const mp_delta *delta = &model->deltas.items[i];
        const mp_generation *generation = &model->generations.items[delta->generation.i];
        fprintf(out, "delta context %u born %u at %u +%" PRId64 " -%" PRId64 " retyped %" PRId64,
                generation->context.i, generation->born.i, delta->snapshot.i, delta->cost.created,
                delta->cost.deleted, delta->cost.retyped);
        fprintf(out, " idle %" PRId64 " bytes %" PRId64 " %" PRId64 "\n", delta->cost.idle,
                delta->cost.created_bytes, delta->cost.bytes);
    }
    fclose(out);
    return text;
}

/* The small recording, column by column. Contexts are in the order of their rows. */
#define SESSION(details)                                                                           \
    "session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 pid 3277 "                                       \
    "start 2022-02-01T08:01:39.967+05:00=1643684499967000 id AS-4 app shop propath C:\\app,src\n"  \
    "  " details " snapshots 2\n"
#define SNAPSHOTS(second_line, live_1, live_2)                                                     \
    "snapshot 1.1 #1 Pre 1 request req-7@1500 api GET /orders propath C:\\app,src cpu 2245 "       \
    "overhead 2048 whole 1 line 1\n  5000us " live_1 " platform 1500 peak 7 depth 4\n"             \
    "snapshot 1.2 #2 _Exit request -@0 api - propath - cpu 12 overhead 4096 whole 1 "              \
    "line " second_line "\n  9000us " live_2 " platform 1600 peak 7 depth 4\n"                     \
    "platform 1 Memory Profiler 1000 2000 3000\nplatform 1 General 500 600 700\n"                  \
    "platform 2 Memory Profiler 1100 1 1\nplatform 2 General 500 600 700\n"
#define MAIN "100 1=main.p@0 from 0"
#define SUBMIT "101 3=submit@12 from 7 < " MAIN
#define CONTEXTS(reusable)                                                                         \
    "context 2 34=Procedure(1) 2=order.p@0 by " MAIN " line 3 owner 0\n"                           \
    "context 3 72=Temp-table(4) 9=tt \"Order\"@0 by " SUBMIT " line 15 owner 2\n"                  \
    "context 4 66=OO BuiltIn(3) 5=Progress.Lang.Object@0 by " SUBMIT " line 16 owner 0\n"          \
    "context 5 66=OO BuiltIn(3) 10=Progress.Collections.List<dog>@0 by " SUBMIT                    \
    " line 17 owner 0\n"                                                                           \
    "context 6 80=Reusable Obj(2) 2=order.p@0 by " MAIN " line 4 owner 0" reusable "\n"            \
    "context 7 41=Dynamic Query(0) 0=-@0 line 0 owner 2\n"                                         \
    "context 8 41=Dynamic Query(0) 0=-@0 by " SUBMIT " line 20 owner 3\n"
#define DELTAS                                                                                     \
    "delta context 2 born 1 at 1 +1 -0 retyped 0 idle 0 bytes 400 400\n"                           \
    "delta context 3 born 1 at 1 +1 -0 retyped 0 idle 1 bytes 200 200\n"                           \
    "delta context 4 born 1 at 1 +1 -0 retyped 0 idle 0 bytes 50 50\n"                             \
    "delta context 5 born 1 at 1 +1 -0 retyped 0 idle 0 bytes 60 60\n"                             \
    "delta context 6 born 1 at 1 +1 -0 retyped 0 idle 0 bytes 1000 1000\n"                         \
    "delta context 7 born 1 at 1 +1 -0 retyped 0 idle 0 bytes 10 10\n"                             \
    "delta context 8 born 2 at 2 +1 -0 retyped 0 idle 0 bytes 99 99\n"                             \
    "delta context 3 born 1 at 2 +0 -0 retyped 0 idle -1 bytes 0 60\n"                             \
    "delta context 7 born 1 at 2 +0 -0 retyped 0 idle 0 bytes 0 20\n"                              \
    "delta context 4 born 1 at 2 +0 -1 retyped 0 idle 0 bytes 0 -50\n"

static void check_recording(const char *text, unsigned version, uint64_t records,
                            const char *expected)
{
    static const size_t windows[] = {1, 7, 64, 65, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        reading r = read_text(&mp_reader_oemp, "a.oemp", text, windows[i]);
        char *dumped = dump(r.model);
        assert_true(r.ok);
        assert_string_equal(dumped, expected);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_true(r.model->holds & MP_HOLDS_LEDGER);
        assert_null(r.model->profile);
        assert_int_equal(r.model->inputs.items[1].format_version, version);
        assert_int_equal(r.model->inputs.items[1].records, records);
        assert_int_equal(r.model->inputs.items[1].bytes, strlen(text));
        assert_true(r.model->inputs.items[1].complete);
        free(dumped);
        reading_free(&r);
    }
}

/* Rows: 1 + 2 + 6 + 1 + 2 + 3 + 2 + 2 + 6 + 1, then 1 + 2 + 1 + 2 + 1 + 1. */
enum { RECORDS = 34 };

static void every_column_of_version_2_is_read(void **unused)
{
    (void)unused;
    check_recording(VERSION_2, 2, RECORDS,
                    SESSION("oe 12.8.9 instance pasoe1 description a run apart 1")
                        SNAPSHOTS("39", "+5 -0 ~0 live 5/720 reusable 1/1000",
                                  "+1 -1 ~2 live 5/849 reusable 1/1000") CONTEXTS(" r") DELTAS);
}

static void every_column_of_version_1_is_read(void **unused)
{
    (void)unused;
    check_recording(VERSION_1, 1, RECORDS,
                    SESSION("oe - instance - description - apart 0")
                        SNAPSHOTS("38", "+6 -0 ~0 live 6/1720 reusable 0/0",
                                  "+1 -1 ~2 live 6/1849 reusable 0/0") CONTEXTS("") DELTAS);
}

static void lines_may_end_in_crlf(void **unused)
{
    (void)unused;
    char text[2 * sizeof VERSION_2], *to = text;
    for (const char *from = VERSION_2; *from; from++) {
        if (*from == '\n')
            *to++ = '\r';
        *to++ = *from;
    }
    *to = '\0';
    check_recording(text, 2, RECORDS,
                    SESSION("oe 12.8.9 instance pasoe1 description a run apart 1")
                        SNAPSHOTS("39", "+5 -0 ~0 live 5/720 reusable 1/1000",
                                  "+1 -1 ~2 live 5/849 reusable 1/1000") CONTEXTS(" r") DELTAS);
}

static void classes_follow_from_names_of_any_case(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        mp_type_class class;
    } cases[] = {
        {"Procedure", MP_TYPE_CODE},
        {"PROCEDURE", MP_TYPE_CODE},
        {"OOABL Obj", MP_TYPE_CODE},
        {"ooabl static obj", MP_TYPE_CODE},
        {"Reusable Obj", MP_TYPE_REUSABLE},
        {"OO Builtin", MP_TYPE_BUILT_IN},
        {"OO BuiltIn", MP_TYPE_BUILT_IN},
        {"Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Named Widget Pool", MP_TYPE_WIDGET_POOL},
        {"Temp-table", MP_TYPE_TEMP_TABLE},
        {"Dynamic Temp-Table", MP_TYPE_TEMP_TABLE},
        {"Auto Dynamic Temp-table", MP_TYPE_TEMP_TABLE},
        {"Global Shared Temp-Table", MP_TYPE_TEMP_TABLE},
        {"OO Static Temp-table", MP_TYPE_TEMP_TABLE},
        {"MEMPTR", MP_TYPE_RAW_MEMORY},
        {"Large Object", MP_TYPE_RAW_MEMORY},
        {"Dataset", MP_TYPE_ORDINARY},
        {"Procedures", MP_TYPE_ORDINARY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char row[80];
        snprintf(row, sizeof row, "\"%s\" 34\n", cases[i].name);
        char *text = replaced(VERSION_2, "\"Procedure\" 34\n", row);
        reading r = read_text(&mp_reader_oemp, "a.oemp", text, 4096);
        assert_int_equal(r.model->types.items[1].number, 34);
        assert_int_equal(r.model->types.items[1].class, cases[i].class);
        free(text);
        reading_free(&r);
    }
}

static void start_times_are_utc(void **unused)
{
    (void)unused;
    static const struct {
        const char *stamp;
        int64_t us;
    } cases[] = {
        /* 2022-02-01T00:00:00Z is 1643673600. */
        {"\"2022-02-01T00:00:00.000+00:00\"", INT64_C(1643673600000000)},
        {"\"2022-02-01T00:00:00.250-01:30\"", INT64_C(1643679000250000)},
        {"\"2022-02-01T01:00:00+01:00\"", INT64_C(1643673600000000)},
        {"\"2022-02-01T00:00:00.001\"", 0}, /* without a zone */
        {"\"2000-02-29T12:00:00.000+00:00\"", INT64_C(951825600000000)},
        {"\"1969-12-31T23:59:59.000+00:00\"", -INT64_C(1000000)},
        {"\"2022-02-01 late\"", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(VERSION_2, STAMP, cases[i].stamp);
        reading r = read_text(&mp_reader_oemp, "a.oemp", text, 4096);
        assert_int_equal(r.model->sessions.items[1].start_us, cases[i].us);
        free(text);
        reading_free(&r);
    }
}

/* --- several recordings --- */

static void recordings_are_told_apart_by_their_uuid(void **unused)
{
    (void)unused;
    static const char snapshot[] = SNAPSHOT_OF(
        OTHER_UUID, "1", "_Exit", "\"\"", "?", TYPES, "1 \"b.p\" 0\n", "", "100 1 0 0\n",
        PLAIN("1", "41", "8", "100", "2", "0"), "", "", "10", "1", "8", "1");
    reading r = read_text(&mp_reader_oemp, "a.oemp", VERSION_2 "\n\n" VERSION_2_FIRST, 64);
    assert_int_equal(r.model->sessions.count, 2);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_DUPLICATE_SNAPSHOT));
    reading_free(&r);

    char text[sizeof VERSION_2 + sizeof snapshot];
    snprintf(text, sizeof text, "%.*s%s%s", (int)strlen(VERSION_2_FIRST), VERSION_2, snapshot,
             VERSION_2_SECOND);
    r = read_text(&mp_reader_oemp, "a.oemp", text, 64);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(r.model->sessions.items[1].snapshots, 2);
    assert_int_equal(r.model->sessions.items[2].snapshots, 1);
    /* object 1 of one recording is not object 1 of the other */
    assert_int_equal(r.model->snapshots.items[2].live_bytes, 8);
    assert_int_equal(r.model->snapshots.items[3].live_bytes, 849);
    reading_free(&r);
}

static void inputs_are_placed_by_uuid_and_sequence(void **unused)
{
    (void)unused;
    static const struct {
        const char *head;
        bool placed;
        const char *group;
        uint64_t sequence;
    } cases[] = {
        {VERSION_2, true, "3F2504E0-4F89-11D3-9A0C-0305E82C3301", 1},
        {HEADER_OF(OTHER_UUID, "17", "a", "\"\"", "?"), true,
         "3f2504e0-4f89-11d3-9a0c-0305e82c3302", 17},
        {HEADER_OF("\"\"", "17", "a", "\"\"", "?"), false, "", 0},
        {"2 3277 17", false, "", 0},
        {"", false, "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_place place = {.sequence = 0};
        mp_slice head = {cases[i].head, strlen(cases[i].head)};
        assert_int_equal(mp_reader_oemp.place(head, &place), cases[i].placed);
        assert_string_equal(place.group, cases[i].group);
        assert_int_equal(place.sequence, cases[i].sequence);
    }
}

static void the_probe_knows_its_own(void **unused)
{
    (void)unused;
    static const struct {
        const char *head;
        mp_bid bid;
    } cases[] = {
        {VERSION_1, MP_MINE},
        {VERSION_2, MP_MINE},
        {"9 1 1 " STAMP, MP_MINE},
        {"2 3277 1 " STAMP " \"AS", MP_MINE},
        {"2 3277 1 \"2022-02-01\"\n", MP_NOT_MINE},
        {"2 3277 \"1\" " STAMP "\n", MP_NOT_MINE},
        {"1 09/10/2021 \"run\" 16:59:51 \"joe\"\n.\n", MP_NOT_MINE},
        {"2\n3277 1 " STAMP "\n", MP_NOT_MINE},
        {"", MP_NOT_MINE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_reader_oemp.probe((mp_slice){cases[i].head, strlen(cases[i].head)}),
                         cases[i].bid);
}

/* --- long sections, which a second thread replays --- */

enum { MANY = 6000 }; /* 512 rows of objects fit into a batch */

/* Objects are born in one snapshot. In the next snapshot, every third object changes and every
 * second object is deleted. One row in each section has a form that needs the slow path. */
static char *many_objects(bool irregular)
{
    char *text;
    size_t size;
    int64_t bytes = 0, after = 0;
    FILE *out = open_memstream(&text, &size);
    fputs(HEADER_OF(UUID, "1", "a", "\"\"", "?") END TYPES END END END "1 \"a.p\" 0\n" END END
                                                                       "100 1 0 0\n" END,
          out);
    for (int id = 1; id <= MANY; id++) {
        const char *blank = irregular && id == 2500 ? "  " : " ";
        fprintf(out, "%d 41%s%d 0 0 0 100 %d 0 0 %d 0 0 0 0 0\n", id, blank, id * 3, id % 7,
                id > 1 ? 1 : 0);
        bytes += id * 3;
    }
    fprintf(out, END END END "5 %d %" PRId64 " 0 %d 1 0 0 0 \"a\" 1\n" END, MANY, bytes, MANY);
    fputs(HEADER_OF(UUID, "2", "_Exit", "\"\"", "?") END END END END END END END END, out);
    for (int id = 3; id <= MANY; id += 3)
        fprintf(out, "%d 41 %d 0 0 %s\n", id, id, irregular && id == 3000 ? "?" : "0");
    fputs(END, out);
    for (int id = 2; id <= MANY; id += 2)
        fprintf(out, "%s%d 9\n", irregular && id == 4000 ? " " : "", id);
    for (int id = 1; id <= MANY; id += 2)
        after += id % 3 == 0 ? id : id * 3;
    fprintf(out, END "9 %d %" PRId64 " 0 %d 1 0 0 0 \"_Exit\" 2\n" END, MANY / 2, after, MANY);
    fclose(out);
    return text;
}

static void long_sections_are_replayed_in_order(void **unused)
{
    (void)unused;
    char *regular = many_objects(false), *irregular = many_objects(true);
    reading first = read_text(&mp_reader_oemp, "a.oemp", regular, 1 << 20);
    char *expected = dump(first.model);
    assert_int_equal(count_diagnostics(first.diagnostics), 0);
    assert_int_equal(first.model->snapshots.items[1].created_objects, MANY);
    assert_int_equal(first.model->snapshots.items[2].changed_objects, MANY / 3);
    assert_int_equal(first.model->snapshots.items[2].live_objects, MANY / 2);
    for (int way = 0; way < 6; way++) {
        static const size_t windows[] = {1, 100, 1 << 20};
        reading r =
            read_text(&mp_reader_oemp, "a.oemp", way % 2 ? irregular : regular, windows[way / 2]);
        char *dumped = dump(r.model);
        assert_string_equal(dumped, expected);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        free(dumped);
        reading_free(&r);
    }
    free(expected);
    reading_free(&first);
    free(regular);
    free(irregular);
}

/* A correct line of a long section comes after a wrong row. No row is lost. */
static void faults_in_long_sections_have_their_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *what, *by;
        mp_diagnostic_id id;
        uint64_t line;
    } cases[] = {
        /* The first object is on line 18. The changes of the second snapshot begin after all
         * objects. */
        {"\n5000 41 15000 ", "\n5000 41 x ", MP_DIAG_BAD_ROW, 17 + 5000},
        {"\n5000 41 15000 ", "\n4999 41 15000 ", MP_DIAG_OBJECT_EXISTS, 17 + 5000},
        {"\n5001 41 5001 ", "\n9001 41 5001 ", MP_DIAG_CHANGE_UNKNOWN, 17 + MANY + 15 + 1667},
        {"\n5000 9\n", "\n5001 9\n5001 9\n", MP_DIAG_DELETE_UNKNOWN,
         17 + MANY + 15 + 2000 + 1 + 2501},
    };
    char *good = many_objects(false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(good, cases[i].what, cases[i].by);
        assert_non_null(text);
        for (size_t window = 1; window <= 1 << 20; window <<= 10) {
            reading r = read_text(&mp_reader_oemp, "a.oemp", text, window);
            const mp_diagnostic *found = find_diagnostic(r.diagnostics, cases[i].id);
            assert_non_null(found);
            assert_int_equal(found->line, cases[i].line);
            reading_free(&r);
        }
        free(text);
    }
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_of_version_2_is_read),
        cmocka_unit_test(every_column_of_version_1_is_read),
        cmocka_unit_test(lines_may_end_in_crlf),
        cmocka_unit_test(classes_follow_from_names_of_any_case),
        cmocka_unit_test(start_times_are_utc),
        cmocka_unit_test(recordings_are_told_apart_by_their_uuid),
        cmocka_unit_test(inputs_are_placed_by_uuid_and_sequence),
        cmocka_unit_test(the_probe_knows_its_own),
        cmocka_unit_test(long_sections_are_replayed_in_order),
        cmocka_unit_test(faults_in_long_sections_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
