#include "cli/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "session/terminal.h"

/* Escape sequences that switch to the alternate screen, hide the cursor and turn off the wrapping
 * of lines; and sequences that undo this. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
static const char leave[] = "\033[?7h\033[?25h\033[?1049l";

static volatile bool is_on;
static void (*volatile leave_own)(void);

void cli_screen_own(void (*how)(void))
{
    leave_own = how;
}

void cli_screen_characters(void)
{
    static const char *const names[] = {"C.UTF-8", "", "en_US.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_CTYPE, names[i]) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
            return;
    setlocale(LC_CTYPE, "C");
}

bool cli_screen_begin(void)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || !kind || strcmp(kind, "dumb") == 0 ||
        tcgetpgrp(STDOUT_FILENO) != getpgrp())
        return false;
    if (is_on)
        return true;
    is_on = true;
    fputs(ENTER, stdout);
    fflush(stdout);
    return true;
}

unsigned cli_screen_height(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : 24;
}

void cli_screen_draw(const char *text)
{
    fputs("\033[H", stdout);
    for (unsigned line = 1, height = cli_screen_height(); *text && line <= height; line++) {
        size_t length = strcspn(text, "\n");
        fprintf(stdout, "%s%.*s\033[K", line > 1 ? "\r\n" : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

void cli_screen_end(void)
{
    void (*state)(void) = leave_own;
    leave_own = NULL;
    if (state)
        state();
    if (!is_on)
        return;
    is_on = false; /* do not use stdio, because the code that ran out of memory may hold its lock */
    mp_write_all(STDOUT_FILENO, leave, sizeof leave - 1);
}
