/* Execution profiles: every section and column, names, versions. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"
#include "support/memory_reader.h"
#include "support/small_profile.h"

#define DUMPED_MODULES                                                                             \
    "module 1:0 \"session\" session|| 0 0 \"\" \"\"\n"                                             \
    "module 1:1 \"main.p\" main.p|| 48949 0 \"main.dbg\" \"\"\n"                                   \
    "module 1:2 \"proc main.p\" main.p|proc| 0 38 \"\" \"PROCEDURE proc,,\"\n"                     \
    "module 1:3 \"run Base Derived\" Base|run| 0 10 \"\" \"\"\n"                                   \
    "module 1:9223372036854775808 \"Base\" Base|| 77 0 \"\" \"\"\n"
#define DUMPED_ROWS                                                                                \
    "line 0:0 1 0 1000\nline 1:0 1 100 1000\nline 1:3 2 200 900\nline 2:0 2 300 700\n"             \
    "line 2:40 1 50 350\nline 2:-1 2 50 50\nline 3:0 1 250 300\nline 3:11 1 50 50\n"               \
    "call 0:0 > 1 1\ncall 1:3 > 2 2\ncall 2:40 > 3 1\n"                                            \
    "trace 2:40 1 50 500000\ntrace 3:11 1 50 400000\ntrace 2:0 2 300 440000\ntraced 4\n"           \
    "coverage 1 \"proc\" 40 41\ncoverage 1 \"\" 3\n"
#define DUMPED_STATISTICS                                                                          \
    "statistic 1 10135 1 \"EXPRESSN STMT \"\nstatistic 1    0.0    6.0\nstatistic 0 5 0 0\n"       \
    "statistic 1  1\nstatistic 0 0 \"-q\"\n"
#define DUMPED_NODES                                                                               \
    "node 0 < none session:0 1 1000\nnode 1 < 0 main.p:0 1 1000\n"                                 \
    "node 3 < 2 run Base Derived:40 1 300\nnode 2 < 1 proc main.p:3 2 700\n"
#define DUMPED_USER_DATA "user 749720 User \"data\"\n"
#define DUMPED_SESSION(more) "session My \"quoted\" run|09/10/2021 16:59:51|joe|" more "\n"

#define NAME "test.prf"

extern const mp_reader mp_reader_prf;

/* --- the model as text --- */

static uint64_t number_of(const mp_profile *profile, mp_module_id id)
{
    return profile->modules.items[id.i].number;
}

static void dump_rows(const mp_model *model, FILE *out)
{
    const mp_profile *p = model->profile;
    for (uint32_t i = 1; i < p->lines.count; i++)
        fprintf(out, "line %" PRIu64 ":%d %" PRId64 " %" PRId64 " %" PRId64 "\n",
                number_of(p, p->lines.items[i].module), p->lines.items[i].line,
                p->lines.items[i].executions, p->lines.items[i].exclusive_us,
                p->lines.items[i].cumulative_us);
    for (uint32_t i = 1; i < p->calls.count; i++)
        fprintf(out, "call %" PRIu64 ":%d > %" PRIu64 " %" PRId64 "\n",
                number_of(p, p->calls.items[i].caller), p->calls.items[i].line,
                number_of(p, p->calls.items[i].callee), p->calls.items[i].count);
    for (uint32_t i = 1; i < p->traces.count; i++)
        fprintf(out, "trace %" PRIu64 ":%d %" PRId64 " %" PRId64 " %" PRId64 "\n",
                number_of(p, p->traces.items[i].module), p->traces.items[i].line,
                p->traces.items[i].executions, p->traces.items[i].exclusive_us,
                p->traces.items[i].first_start_us);
    if (p->trace_rows)
        fprintf(out, "traced %" PRId64 "\n", p->trace_rows);
    for (uint32_t i = 1; i < p->coverage.count; i++) {
        fprintf(out, "coverage %" PRIu64 " \"%s\"", number_of(p, p->coverage.items[i].module),
                mp_model_text(model, p->coverage.items[i].entity));
        for (uint32_t k = 0; k < p->coverage.items[i].count; k++)
            fprintf(out, " %d", p->coverage_lines.items[p->coverage.items[i].first + k]);
        fprintf(out, "\n");
    }
}

static void dump_nodes(const mp_model *model, FILE *out)
{
    const mp_profile *p = model->profile;
    for (uint32_t i = 1; i < p->nodes.count; i++) {
        const mp_profile_node *node = &p->nodes.items[i];
        const mp_node *state = &model->nodes.items[node->node.i];
        char parent[32] = "none";
        if (state->parent.i)
            snprintf(parent, sizeof parent, "%" PRIu64, model->nodes.items[state->parent.i].number);
        fprintf(out, "node %" PRIu64 " < %s %s:%d %" PRId64 " %" PRId64 "\n", state->number, parent,
                mp_model_text(model, model->symbols.items[state->symbol.i].name),
                (int32_t)state->line, node->calls, node->cumulative_us);
    }
}

static char *dump(const mp_model *model)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const mp_profile *p = model->profile;
    for (uint32_t i = 1; i < model->sessions.count; i++) {
        const mp_recorded_session *s = &model->sessions.items[i];
        fprintf(out, "session %s|%s|%s|%s|%s\n", mp_model_text(model, s->description),
                mp_model_text(model, s->date), mp_model_text(model, s->user),
                mp_model_text(model, s->directory), mp_model_text(model, s->propath));
    }
    for (uint32_t i = 1; i < p->modules.count; i++) {
        const mp_module *m = &p->modules.items[i];
        fprintf(out,
                "module %" PRIu32 ":%" PRIu64 " \"%s\" %s|%s| %" PRIu64 " %" PRIu32
                " \"%s\" \"%s\"%s\n",
                m->session.i, m->number, mp_model_text(model, m->name),
                mp_model_text(model, m->program), mp_model_text(model, m->method), m->crc,
                m->start_line, mp_model_text(model, m->listing), mp_model_text(model, m->signature),
                m->defined ? "" : " undefined");
    }
    dump_rows(model, out);
    for (uint32_t i = 1; i < p->statistics.count; i++)
        fprintf(out, "statistic %s\n", mp_model_text(model, p->statistics.items[i].text));
    dump_nodes(model, out);
    for (uint32_t i = 1; i < p->user_data.count; i++)
        fprintf(out, "user %" PRId64 " %s\n", p->user_data.items[i].time_us,
                mp_model_text(model, p->user_data.items[i].text));
    fclose(out);
    return text;
}

/* --- reading --- */

/* Return the text with CRLF at the end of every line. Release with free(). */
static char *with_crlf(const char *text)
{
    char *out = malloc(strlen(text) * 2 + 1), *target = out;
    for (; *text; *target++ = *text++)
        if (*text == '\n')
            *target++ = '\r';
    *target = '\0';
    return out;
}

static void check_good(const char *text, const char *expected, unsigned version, uint64_t records)
{
    static const size_t windows[] = {1, 64 * 1024};
    for (size_t i = 0; i < 2; i++) {
        reading r = read_text(&mp_reader_prf, NAME, text, windows[i]);
        char *dumped = dump(r.model);
        const mp_input_summary *input = &r.model->inputs.items[1];
        assert_true(r.ok);
        assert_string_equal(dumped, expected);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        assert_int_equal(input->format_version, version);
        assert_int_equal(input->records, records);
        assert_int_equal(input->bytes, strlen(text));
        assert_true(input->complete);
        free(dumped);
        reading_free(&r);
    }
}

static void every_version_is_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *expected;
        unsigned version;
        uint64_t records;
    } cases[] = {
        {VERSION_1, DUMPED_SESSION("|") DUMPED_MODULES DUMPED_ROWS DUMPED_USER_DATA, 1, 26},
        {VERSION_2,
         DUMPED_SESSION("|") DUMPED_MODULES DUMPED_ROWS DUMPED_STATISTICS DUMPED_USER_DATA, 2, 31},
        {VERSION_3,
         DUMPED_SESSION("C:\\w\\|a,b") DUMPED_MODULES DUMPED_ROWS DUMPED_NODES DUMPED_USER_DATA, 3,
         30},
        {VERSION_4,
         DUMPED_SESSION("C:\\w\\|a,b")
             DUMPED_MODULES DUMPED_ROWS DUMPED_STATISTICS DUMPED_NODES DUMPED_USER_DATA,
         4, 35},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *crlf = with_crlf(cases[i].text);
        check_good(cases[i].text, cases[i].expected, cases[i].version, cases[i].records);
        check_good(crlf, cases[i].expected, cases[i].version, cases[i].records);
        free(crlf);
    }
}

static void blank_lines_and_a_byte_order_mark_do_no_harm(void **unused)
{
    (void)unused;
    check_good("\xef\xbb\xbf" VERSION_1 "\n\n  \n",
               DUMPED_SESSION("|") DUMPED_MODULES DUMPED_ROWS DUMPED_USER_DATA, 1, 26);
}

static void profiles_in_one_file_are_sessions(void **unused)
{
    (void)unused;
    static const char text[] = VERSION_3 VERSION_1;
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    assert_true(r.ok);
    assert_int_equal(r.model->sessions.count, 3);
    assert_int_equal(r.model->profile->modules.count, 1 + 2 * 5);
    assert_int_equal(r.model->profile->modules.items[1].session.i, 1);
    assert_int_equal(r.model->profile->modules.items[6].session.i, 2);
    assert_int_equal(r.model->profile->lines.items[9].module.i, 6);
    assert_int_equal(r.model->profile->stated_total_us, 1000);
    assert_int_equal(count_diagnostics(r.diagnostics), 0);
    assert_true(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void total_time_is_found_in_what_is_no_json(void **unused)
{
    (void)unused;
    static const struct {
        const char *extra;
        int64_t total;
    } cases[] = {
        {"{\"TotTime\":0.001000}", 1000},
        {"{\"TotTime\": 0.001}", 1000},
        {"{\"TotTime\":\"0.001000\"}", 1000},
        {"{\"TotTime\":0,001000,\"B\":1}", 1000},
        {"{\"StmtCnt\":1,\"TotTime\":1e-3}", -1},
        {"{\"TotTime\":}", -1},
        {"{\"TotTime\"", -1},
        {"{}", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(VERSION_3, &EXTRA[1], cases[i].extra);
        reading r = read_text(&mp_reader_prf, NAME, text, 64 * 1024);
        assert_int_equal(r.model->profile->stated_total_us, cases[i].total);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        reading_free(&r);
        free(text);
    }
}

/* --- names --- */

static void names_are_split(void **unused)
{
    (void)unused;
    static const struct {
        const char *units[3]; /* names of units, which have a CRC */
        const char *name, *program, *method;
    } cases[] = {
        {{"a.p"}, "proc a.p", "a.p", "proc"},
        {{"dir x/a b.p"}, "proc dir x/a b.p", "dir x/a b.p", "proc"},
        {{NULL}, "proc dir x/a b.p", "dir x/a b.p", "proc"},
        {{NULL}, "proc C:\\a b", "C:\\a b", "proc"},
        {{"pkg.Cls"}, "run pkg.Cls", "pkg.Cls", "run"},
        {{"Base"}, "run Base Derived", "Base", "run"},
        {{"Derived"}, "run Base Derived", "Base", "run"},
        {{"Base", "Derived"}, "run Base Derived", "Base", "run"},
        {{NULL}, "run Base Derived", "Base", "run"},
        {{"Cls"}, "~Cls Cls", "Cls", "~Cls"},
        {{"a b", "a"}, "m a b c", "a b", "m"},
        {{NULL}, "alone", "alone", ""},
        {{NULL}, "proc ", "proc ", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        int length = sprintf(text, "%s1 \"%s\" \"\" 0\n", HEADER("1", ""), cases[i].name);
        for (int k = 0; k < 3 && cases[i].units[k]; k++)
            length += sprintf(text + length, "%d \"%s\" \"\" 7\n", k + 2, cases[i].units[k]);
        sprintf(text + length, ".\n.\n1 1 1 0.1 0.1\n.\n.\n.\n.\n");
        reading r = read_text(&mp_reader_prf, NAME, text, 64 * 1024);
        const mp_module *module = &r.model->profile->modules.items[2];
        assert_string_equal(mp_model_text(r.model, module->program), cases[i].program);
        assert_string_equal(mp_model_text(r.model, module->method), cases[i].method);
        assert_int_equal(count_diagnostics(r.diagnostics), 0);
        for (int k = 0; k < 3 && cases[i].units[k]; k++)
            assert_string_equal(mp_model_text(r.model, module[k + 1].program), cases[i].units[k]);
        reading_free(&r);
    }
}

/* --- versions and probing --- */

static void other_versions_are_refused(void **unused)
{
    (void)unused;
    static const char alone[] = HEADER("5", "") MODULES,
                      first[] = HEADER("0", "") MODULES VERSION_1;
    reading r = read_text(&mp_reader_prf, NAME, alone, 64);
    assert_false(r.ok);
    assert_non_null(find_diagnostic(r.diagnostics, MP_DIAG_UNSUPPORTED_VERSION));
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    reading_free(&r);
    r = read_text(&mp_reader_prf, NAME, first, 64);
    assert_true(r.ok);
    assert_int_equal(count_diagnostics(r.diagnostics), 1);
    assert_false(r.model->inputs.items[1].complete);
    reading_free(&r);
}

static void the_probe_knows_its_own(void **unused)
{
    (void)unused;
    static const struct {
        const char *head;
        mp_bid bid;
    } cases[] = {
        {VERSION_1, MP_MINE},
        {VERSION_4, MP_MINE},
        {"3 09/10/2021 \"d\" 16:59:51 \"\" {", MP_MINE},
        {"\xef\xbb\xbf"
         "3 09/10/2021 \"d\" 16:59:51 \"\"\r\n",
         MP_MINE},
        /* its form is that of a profile; then it is refused because of its version */
        {"9 09/10/2021 \"d\" 16:59:51 \"\"\n", MP_MINE},
        {"3 2021-09-10 \"d\" 16:59:51 \"\"\n", MP_NOT_MINE},
        {"3 09/10/2021 \"d\" 165951 \"\"\n", MP_NOT_MINE},
        {"3 09/10/2021 \"d 16:59:51", MP_NOT_MINE},
        {"2 8616 1 \"2022-02-01T08:01:39.967+05:00\"\n", MP_NOT_MINE},
        {"# README\n", MP_NOT_MINE},
        {"\n", MP_NOT_MINE},
        {"", MP_NOT_MINE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_reader_prf.probe((mp_slice){cases[i].head, strlen(cases[i].head)}),
                         cases[i].bid);
}

/* The user data as recorders write it: without a quote before its key. A number may be missing. */
static void the_agent_is_found_in_what_is_no_json(void **unused)
{
    (void)unused;
    static const char text[] =
        HEADER("3", " {\"StmtCnt\":8,\"NumWrites\":0,\"BufferSize\":x, PASOE\": { \"transport\": "
                    "\"WEB\", \"ABLSessionID\": \"AS-4\", \"AgentPid\": 7096 }}")
            MODULES CALLS LINES TRACE COVERAGE NODES USER_DATA;
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    const mp_recorded_session *session = &r.model->sessions.items[1];
    const mp_profile_header *header = &r.model->profile->headers.items[1];
    assert_string_equal(mp_model_text(r.model, session->session_id), "AS-4");
    assert_string_equal(mp_model_text(r.model, session->transport), "WEB");
    assert_true(session->has_process_id);
    assert_int_equal(session->process_id, 7096);
    assert_int_equal(header->statements, 8);
    assert_int_equal(header->data_points, -1);
    assert_int_equal(header->writes, 0);
    assert_int_equal(header->buffer_size, -1);
    reading_free(&r);
}

/* Rows of the expected form are split into columns. All rows are also kept without change. */
static void statistics_are_looked_into(void **unused)
{
    (void)unused;
    char *text = replaced(VERSION_2, "1 10135 1", "odd\n1 10135 3");
    reading r = read_text(&mp_reader_prf, NAME, text, 64);
    const mp_profile *profile = r.model->profile;
    const mp_profile_statistic *profile_statistic = profile->statistics.items;
    assert_int_equal(profile->statistics.count, 1 + 6);
    assert_int_equal(profile_statistic[1].name.i, 0);
    assert_string_equal(mp_model_text(r.model, profile_statistic[1].text), "odd");
    assert_int_equal(profile_statistic[2].part, MP_STATISTICS_OPERATIONS);
    assert_int_equal(profile_statistic[2].operation, 10135);
    assert_int_equal(profile_statistic[2].count, 3);
    assert_string_equal(mp_model_text(r.model, profile_statistic[2].name), "EXPRESSN STMT");
    assert_int_equal(profile->modules.items[profile_statistic[2].module.i].number, 1);
    assert_int_equal(profile_statistic[3].part, MP_STATISTICS_MODULES);
    assert_int_equal(profile_statistic[4].part, MP_STATISTICS_WATERMARKS);
    assert_int_equal(profile_statistic[6].part, MP_STATISTICS_PARAMETERS);
    assert_string_equal(mp_model_text(r.model, profile_statistic[6].name), "-q");
    reading_free(&r);
    free(text);
}

/* A chain of calls with these many nodes. Node 4,000 is defined twice, and row 4,500 is not a row.
 */
static char *deep_profile(unsigned nodes)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "3 03/02/2026 \"d\" 08:15:30 \"u\" {}\n.\n1 \"p\" \"\" 0\n.\n.\n"
                 "1 1 1 0.000000 0.000000\n.\n.\n.\n");
    fprintf(out, "0 0 0 0 1 0.000000 1\n");
    for (unsigned i = 1; i < nodes; i++)
        if (i == 4001)
            fprintf(out, "4000 1 1 1 1 0.000000\n");
        else if (i == 4500)
            fprintf(out, "4500 x\n");
        else
            fprintf(out, "%u %u 1 1 1 0.000000 %u\n", i, i - 1, i + 1);
    fprintf(out, ".\n.\n");
    fclose(out);
    return text;
}

static void many_nodes_are_read_in_order(void **unused)
{
    (void)unused;
    char *text = deep_profile(9000);
    static const size_t windows[] = {64, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        reading r = read_text(&mp_reader_prf, NAME, text, windows[i]);
        const mp_diagnostic *kept;
        const mp_profile *profile = r.model->profile;
        assert_int_equal(mp_diagnostics_kept(r.diagnostics, &kept), 2);
        assert_int_equal(kept[0].id, MP_DIAG_REDEFINED);
        assert_int_equal(kept[0].line, 9 + 1 + 4001);
        assert_int_equal(kept[1].id, MP_DIAG_BAD_ROW);
        assert_int_equal(kept[1].line, 9 + 1 + 4500);
        assert_int_equal(profile->nodes.count - 1, 9000 - 2);
        assert_int_equal(r.model->nodes.items[profile->nodes.items[8998].node.i].number, 8999);
        reading_free(&r);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read),
        cmocka_unit_test(blank_lines_and_a_byte_order_mark_do_no_harm),
        cmocka_unit_test(profiles_in_one_file_are_sessions),
        cmocka_unit_test(total_time_is_found_in_what_is_no_json),
        cmocka_unit_test(the_agent_is_found_in_what_is_no_json),
        cmocka_unit_test(statistics_are_looked_into),
        cmocka_unit_test(names_are_split),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(the_probe_knows_its_own),
        cmocka_unit_test(many_nodes_are_read_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
