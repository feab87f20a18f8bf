/* memprof: from a command line to an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/config.h"
#include "cli/console.h"
#include "cli/help.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/process.h"
#include "cli/prompt.h"
#include "cli/sandbox.h"
#include "cli/screen.h"

/* Print the message without stdio, because the code that ran out of memory may hold its lock. */
static void out_of_memory(void)
{
    cli_screen_end();
    const char *text = cli_limits_memory_text();
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        /* nothing else can be done */
    }
    mp_outputs_abandon();
    _Exit(CLI_UNREADABLE);
}

#ifndef main
/* Handle an exit by libarchive. It ends the program itself if memory runs out, with a status that
 * has another meaning here. */
static bool over;
static void end_by_library(void)
{
    if (!over)
        out_of_memory();
}
#endif

/* Remove temporary files, and end by the signal. The default action of the signal was restored
 * before. */
static void end(int number)
{
    cli_screen_end();
    mp_outputs_abandon();
    raise(number);
}

static void watch_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
    const struct sigaction ending = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!cli_signal_is_ignored(ends[i]))
            sigaction(ends[i], &ending, NULL);
    /* If the reader of a pipe closes it (memprof ... | head), end at once and without a message.
     * This is so even if the parent process ignores this signal. */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is reported as a write error */
}

/* Print the version or help on standard output. Errors of the output are checked as for a
 * report. */
static int tell(const cli_options *options, const cli_command *commands, size_t count)
{
    mp_output output;
    cli_pager pager = {0};
    cli_output_open(&output, NULL);
    if (options->help && !options->version && !options->no_pager)
        cli_pager_begin(&pager);
    if (options->version) {
        printf("memprof %s\n", mp_version());
        if (options->verbose)
            cli_sandbox_tell();
    } else if (options->command_named)
        cli_help_command(&options->command, options->help_all);
    else
        cli_help_program(commands, count);
    cli_pager_end(&pager);
    return cli_output_close(&output, true) ? CLI_OK : CLI_UNREADABLE;
}

int main(int argc, char **argv)
{
    cli_options options;
    size_t count;
    const cli_command *commands = cli_commands(&count);
    watch_signals();
    cli_console_begin();
    mp_set_out_of_memory_handler(out_of_memory);
    if (argc < 2) {
        cli_refuse(&(cli_options){0}, "no input file; usage: memprof [COMMAND] [OPTIONS] FILE...");
        return CLI_USAGE;
    }
    int status = CLI_USAGE;
    if (cli_parse(argc, argv, commands, count, &options)) {
#ifndef main /* tests rename main() to run it many times in one process */
        options.sandbox = true;
        atexit(end_by_library);
#endif
        cli_limits_begin(&options);
        status = options.version || options.help ? tell(&options, commands, count)
                 : options.prompts               ? cli_prompt(&options)
                                                 : options.command.run(&options);
        cli_limits_end();
        if (status == CLI_USAGE)
            cli_config_remind(&options);
    }
    cli_options_free(&options);
    cli_console_end(status != CLI_OK && status != CLI_EXCEEDED);
#ifndef main
    over = true;
#endif
    return status;
}
