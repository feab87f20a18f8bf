/* Statements and names that a person types at the prompt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "cli/completion.h"
#include "cli/prompt.h"
#include "reports/report.h"

static void a_statement_ends_at_its_semicolon(void **unused)
{
    static const struct {
        const char *first, *rest;
    } cases[] = {
        {"", ""},
        {"", "select 1"},
        {"select 1;", ""},
        {"select 1;", " select 2;"},
        {"select ';';", "x"},
        {"select 'it''s;' ;", ""},
        {"", "select 'a;"},
        {"select \";\", `;`, [;];", ""},
        {"", "select [a;\n"},
        {"select 1 -- one; two\n, 2;", "\n"},
        {"", "select 1 -- one;"},
        {"select /* ; */ 1;", ""},
        {"", "select /*/ ; "},
        {"select 1 - -2 / 3;", ""},
        {";", ";"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        stpcpy(stpcpy(text, cases[i].first), cases[i].rest);
        assert_int_equal(cli_statement_length(text), strlen(cases[i].first));
    }
}

static void names_are_completed(void **unused)
{
    static const struct {
        const char *line, *names; /* names separated by blanks */
        size_t begun;
    } cases[] = {
        {"select ", "bytes frames line select site sites sum", 0},
        {"se", "select", 2},
        {"SI", "site sites", 2},
        {"select x.", "bytes line site", 0}, /* an alias: all columns */
        {"select frames.", "line site", 0},
        {"select Sites.", "bytes site", 0},
        {"select sum(sites.b", "bytes", 1},
        {"select none", "", 4},
        {".", "quit", 0},
        {".q", "quit", 1},
    };
    cli_completion completion = {.count = 0};
    (void)unused;
    cli_completion_add(&completion, "sites", NULL);
    cli_completion_add(&completion, "site", "sites");
    cli_completion_add(&completion, "bytes", "sites");
    cli_completion_add(&completion, "frames", NULL);
    cli_completion_add(&completion, "site", "frames");
    cli_completion_add(&completion, "line", "frames");
    cli_completion_add(&completion, "select", NULL);
    cli_completion_add(&completion, "sum", NULL);
    cli_completion_add(&completion, "sum", NULL);
    cli_completion_add(&completion, "quit", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char **names;
        char text[200] = "", *end = text;
        size_t begun;
        const size_t count =
            cli_completion_find(&completion, cases[i].line, strlen(cases[i].line), &begun, &names);
        for (size_t j = 0; j < count; j++)
            end = stpcpy(stpcpy(end, j ? " " : ""), names[j]);
        assert_string_equal(text, cases[i].names);
        assert_int_equal(begun, cases[i].begun);
        free(names);
    }
    cli_completion_free(&completion);
}

/* Every word of the language is a keyword or a function of SQLite. */
static void words_are_those_of_sqlite(void **unused)
{
    const mp_report *report = mp_report_find("sql");
    size_t keywords = 0, functions = 0;
    (void)unused;
    for (size_t i = 0; report->word(i); i++) {
        const bool is = sqlite3_keyword_check(report->word(i), (int)strlen(report->word(i)));
        assert_false(keywords && !is); /* keywords come last */
        const bool both =
            strcmp(report->word(i), "glob") == 0 || strcmp(report->word(i), "like") == 0 ||
            strcmp(report->word(i), "replace") == 0 || strncmp(report->word(i), "current_", 8) == 0;
        keywords += is && !both;
        functions += !is || both;
    }
    assert_true(keywords > 40 && functions > 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_ends_at_its_semicolon),
        cmocka_unit_test(names_are_completed),
        cmocka_unit_test(words_are_those_of_sqlite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
