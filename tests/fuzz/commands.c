/* Command lines and files of defaults, up to where something would be read or written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "fuzz/fuzz.h"

enum { MOST_WORDS = 40 };

/* An empty folder, in which nothing that a command line names is there. */
static void go_away(void)
{
    static char folder[] = "/tmp/memprof-fuzz-XXXXXX";
    static bool away;
    if (away)
        return;
    fuzz_hold(mkdtemp(folder) && chdir(folder) == 0, "there is a folder", (mp_slice){NULL, 0});
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    rmdir(folder); /* nothing can be made there any more */
    away = true;
}

/* A word a line. */
static size_t split(char *text, size_t length, char **words)
{
    size_t count = 0;
    static char program[] = "memprof";
    words[count++] = program;
    for (char *at = text, *end = text + length; at < end && count < MOST_WORDS;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        *stop = '\0';
        words[count++] = at;
        at = stop + 1;
    }
    words[count] = NULL;
    return count;
}

static void parse(size_t word_count, char **words)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    cli_options options;
    if (cli_parse((int)word_count, words, commands, count, &options)) {
        if (options.help && options.command_named)
            cli_help_command(&options.command, options.help_all);
        else if (options.help)
            cli_help_program(commands, count);
        else if (!options.version) {
            char *again = cli_command_line(&options);
            fuzz_check_text("the command line", mp_slice_of(again));
            free(again);
        }
    }
    cli_options_free(&options);
}

void fuzz_command(const fuzz_target *target, mp_slice input)
{
    (void)target;
    char *words[MOST_WORDS + 1], *text = mp_alloc(input.length + 1), *said = NULL;
    size_t length = 0;
    FILE *own_output = stdout, *own_errors = stderr;
    go_away();
    if (input.length)
        memcpy(text, input.at, input.length);
    text[input.length] = '\0';
    /* In glibc these are variables. */
    stdout = stderr = open_memstream(&said, &length);
    parse(split(text, input.length, words), words);
    fclose(stderr);
    stdout = own_output;
    stderr = own_errors;
    fuzz_check_text("a message", (mp_slice){said, length});
    free(said);
    free(text);
}
