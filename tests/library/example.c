/* Print the leaks of a recording with the library. This is the example of docs/library.md, and
 * compiles as C and C++. */
#include <memprof/memprof.h>

#include <inttypes.h>
#include <stdio.h>

static void print_leaks(const mp_document *answer)
{
    const mp_table *leaks = mp_document_find(answer, "leaks");
    const size_t bytes = mp_table_column_find(leaks, "bytes");
    const size_t type = mp_table_column_find(leaks, "type");
    const size_t stack = mp_table_column_find(leaks, "stack");
    for (size_t row = 0; row < mp_table_row_count(leaks); row++) {
        const mp_value site = mp_table_value(leaks, row, stack);
        printf("%8" PRId64 " bytes of %s at %s\n", mp_table_value(leaks, row, bytes).number,
               mp_table_value(leaks, row, type).text, site.count ? site.list[0] : "(no code)");
    }
}

int main(int argc, char **argv)
{
    const mp_setting settings[] = {{"limit", "3"}, {"max-leaked", "1K"}};
    static mp_error error; /* zero-initialised */
    char line[1200];
    mp_session *session = mp_session_new();
    for (int i = 1; i < argc; i++)
        mp_session_add(session, argv[i]);
    mp_document *answer = mp_session_ask(session, "leaks", settings, 2, &error);
    if (answer) {
        printf("memprof %s: %s\n", mp_version(), mp_document_title(answer));
        print_leaks(answer);
        printf("at most 1K leaked: %s\n", mp_verdict_name(mp_document_verdict(answer)));
        mp_document_print(answer, "csv", session, stdout, &error);
    } else {
        printf("%s\n", mp_error_line(&error, "", line, sizeof line));
    }
    mp_document_free(answer);
    mp_session_free(session);
    return answer ? 0 : 1;
}
