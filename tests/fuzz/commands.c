/* Command lines and configuration files, parsed up to the point where something would be read or
 * written. */
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

static void come_back(void)
{
    char folder[64];
    if (getcwd(folder, sizeof folder))
        rmdir(folder);
}

/* Change to an empty folder, in which no file of a command line exists. */
static void go_away(void)
{
    static char folder[] = "/tmp/memprof-fuzz-XXXXXX";
    static bool away;
    if (away)
        return;
    fuzz_hold(mkdtemp(folder) && chdir(folder) == 0, "there is a folder", (mp_slice){NULL, 0});
    setenv("HOME", folder, 1);
    unsetenv("XDG_CONFIG_HOME");
    atexit(come_back);
    away = true;
}

/* Split text into words, one per line. */
static size_t split(char *text, size_t length, char **words)
{
    size_t count = 0;
    static char program[] = "memprof";
    words[count++] = program;
    for (char *cursor = text, *end = text + length; cursor < end && count < MOST_WORDS;) {
        char *stop = memchr(cursor, '\n', (size_t)(end - cursor));
        if (!stop)
            stop = end;
        *stop = '\0';
        words[count++] = cursor;
        cursor = stop + 1;
    }
    words[count] = NULL;
    return count;
}

/* Split a command line into words, like a shell. The words are in the arena. */
static size_t split_quoted(const char *line, char **words, mp_arena *arena)
{
    size_t count = 0;
    while (*line && count < MOST_WORDS * 4) {
        char *word = mp_arena_alloc(arena, strlen(line) + 1), *out = word;
        bool quoted = false, octal = false;
        for (; *line && (quoted || *line != ' '); line++) {
            unsigned code;
            if (octal && *line == '\\' && sscanf(line + 1, "%3o", &code) == 1) {
                *out++ = (char)code;
                line += 3;
            } else if (!quoted && *line == '$' && line[1] == '\'') {
                octal = true;
            } else if (*line == '\'') {
                quoted = !quoted;
                octal &= quoted;
            } else if (!quoted && *line == '\\') {
                *out++ = *++line;
            } else {
                *out++ = *line;
            }
        }
        *out = '\0';
        words[count++] = word;
        line += *line == ' ';
    }
    words[count] = NULL;
    return count;
}

/* Parse the words. Return the command line of the question; NULL if memprof refuses them. */
static char *parse(size_t word_count, char **words)
{
    size_t count;
    const cli_command *commands = cli_commands(&count);
    cli_options options;
    char *line = NULL;
    if (cli_parse((int)word_count, words, commands, count, &options)) {
        if (options.help && options.command_named)
            cli_help_command(&options.command, options.help_all);
        else if (options.help)
            cli_help_program(commands, count);
        else if (!options.version)
            line = cli_command_line(&options);
    }
    cli_options_free(&options);
    return line;
}

/* Check that the command line that memprof prints with an answer asks the same question. */
static void check_again(const char *line)
{
    char *words[MOST_WORDS * 4 + 1];
    mp_arena arena = {0};
    size_t count = split_quoted(line, words, &arena);
    char *again = parse(count, words);
    fuzz_check_text("the command line", mp_slice_of(line));
    fuzz_hold(again && strcmp(line, again) == 0,
              "a command line is the same when it is typed again", mp_slice_of(line));
    free(again);
    mp_arena_free(&arena);
}

/* Take a configuration file: the text after "#", up to an empty line. Return its length. */
static size_t take_config(const char *text)
{
    const char *end = *text == '#' ? strstr(text, "\n\n") : NULL;
    FILE *file = end ? fopen(".memprof", "w") : NULL;
    if (!file)
        return 0;
    fwrite(text, 1, (size_t)(end - text), file);
    fclose(file);
    return (size_t)(end - text) + 2;
}

void fuzz_command(const fuzz_target *target, mp_slice input)
{
    (void)target;
    char *words[MOST_WORDS + 1], *text = mp_alloc(input.length + 1), *said = NULL;
    size_t length = 0;
    FILE *own_output = stdout, *own_errors = stderr;
    go_away();
    if (input.length)
        memcpy(text, input.start, input.length);
    text[input.length] = '\0';
    size_t config = take_config(text);
    /* needed because in glibc, stdout and stderr are variables */
    stdout = stderr = open_memstream(&said, &length);
    char *line = parse(split(text + config, input.length - config, words), words);
    stdout = own_output;
    fclose(stderr);
    stderr = own_errors;
    if (config)
        remove(".memprof");
    else if (line)
        check_again(line);
    fuzz_check_text("a message", (mp_slice){said, length});
    free(line);
    free(said);
    free(text);
}
