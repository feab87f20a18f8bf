#include "cli/line_input.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- signals --- */

static volatile sig_atomic_t interrupted, suspended, resized;
static struct sigaction interrupt_before;

static void heed(int number)
{
    if (number == SIGINT)
        interrupted = true;
    else if (number == SIGTSTP)
        suspended = true;
    else
        resized = true;
}

/* Install `heed` as the handler of a signal, unless the signal is ignored. */
static void heed_signal(int number, struct sigaction *before)
{
    const struct sigaction noting = {.sa_handler = heed, .sa_flags = SA_RESTART};
    sigaction(number, NULL, before);
    if (before->sa_handler != SIG_IGN)
        sigaction(number, &noting, NULL);
}

bool cli_lines_interrupted(void)
{
    return interrupted;
}

/* --- bytes --- */

static void settle_editor(const cli_lines *lines);

/* Wait for input. Return false after Ctrl-C. No signal is lost between the test of its flag and the
 * wait. */
static bool wait_for_input(const cli_lines *lines)
{
    static const int noted[] = {SIGINT, SIGTSTP, SIGWINCH};
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t signals, before;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        sigaddset(&signals, noted[i]);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    do
        settle_editor(lines);
    while (!interrupted && ppoll(&ready, 1, NULL, &before) < 0 && errno == EINTR);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !interrupted;
}

/* Take the next byte. Return 1 if there is one, 0 at the end of the input, -1 after Ctrl-C. */
static int take_byte(cli_lines *lines, char *byte)
{
    if (lines->next == lines->count) {
        if (!wait_for_input(lines))
            return -1;
        const ssize_t count = read(STDIN_FILENO, lines->bytes, sizeof lines->bytes);
        lines->next = 0;
        lines->count = count > 0 ? (size_t)count : 0;
        if (count <= 0)
            return 0;
    }
    *byte = (char)lines->bytes[lines->next++];
    return 1;
}

/* --- plain lines --- */

static const char *read_plain(cli_lines *lines)
{
    char byte;
    int got;
    fputs(lines->prompt, stdout);
    fflush(stdout);
    lines->line.length = 0;
    while ((got = take_byte(lines, &byte)) == 1 && byte != '\n')
        if (byte)
            mp_text_put(&lines->line, &byte, 1);
    if (got < 0 || (!got && !lines->line.length)) {
        putchar('\n'); /* this line is empty or has only the terminal's ^C */
        return NULL;
    }
    mp_text_put(&lines->line, "", 0);
    return lines->line.text;
}

#ifdef MEMPROF_EDIT

#include <termios.h>
#include <wchar.h>

#include "cli/edit.h"
#include "cli/line_history.h"
#include "cli/screen.h"

static cli_edit edit;

/* Defined only in the static program (src/cli/static). libedit is linked into that program. */
extern const cli_edit cli_edit_linked __attribute__((weak));

static bool load_editor(void)
{
    static const char *const names[] = {CLI_EDIT(MP_LATE_NAME)};
    static mp_late library = MP_LATE(MEMPROF_EDIT, names, edit, cli_edit_linked);
    return !mp_late_load(&library);
}

/* --- keys --- */

static struct termios terminal_before;

/* Restore the terminal when the program ends in the middle of a line. */
static void restore_terminal(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

static void suspend(const cli_lines *lines)
{
    const struct sigaction stop = {.sa_handler = SIG_DFL};
    struct sigaction before;
    sigset_t signals, held;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTSTP);
    suspended = false;
    edit.el_set(lines->editor, EL_PREP_TERM, 0);
    sigaction(SIGTSTP, &stop, &before);
    raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &signals, &held); /* the program stops here */
    pthread_sigmask(SIG_SETMASK, &held, NULL);
    sigaction(SIGTSTP, &before, NULL);
    edit.el_set(lines->editor, EL_PREP_TERM, 1);
    edit.el_set(lines->editor, EL_REFRESH);
}

/* Handle the signals that arrived since the last call. */
static void settle_editor(const cli_lines *lines)
{
    if (lines->editor && suspended)
        suspend(lines);
    if (lines->editor && resized)
        edit.el_resize(lines->editor);
    resized = false;
}

static cli_lines *lines_of(EditLine *editor)
{
    void *lines = NULL;
    edit.el_get(editor, EL_CLIENTDATA, &lines);
    return lines;
}

/* Read a character for the editor. Return 1 if there is one, 0 at the end, -1 after Ctrl-C. */
static int take_character(EditLine *editor, wchar_t *character)
{
    cli_lines *lines = lines_of(editor);
    mbstate_t state = {0};
    char byte;
    for (;;) {
        const int got = take_byte(lines, &byte);
        if (got <= 0) {
            errno = got < 0 ? EINTR : 0;
            return got;
        }
        const size_t length = mbrtowc(character, &byte, 1, &state);
        if (length == 1)
            return 1;
        if (length == (size_t)-1) {
            *character = L'?';
            return 1;
        }
    }
}

static char *prompt_of(EditLine *editor)
{
    return (char *)lines_of(editor)->prompt;
}

/* --- completion --- */

/* Return the number of bytes at the start that all names have in common. */
static size_t common_length(const char *const *names, size_t count)
{
    size_t length = strlen(names[0]);
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < length && names[i][same] == names[0][same])
            same++;
        length = same;
    }
    return length;
}

/* Print the names in columns below the line. */
static void list_names(const char *const *names, size_t count)
{
    enum { MOST = 200, WIDTH = 78 };
    int widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = (int)strlen(names[i]) > widest ? (int)strlen(names[i]) : widest;
    const size_t columns = (size_t)(WIDTH / (widest + 2) > 1 ? WIDTH / (widest + 2) : 1);
    const size_t shown = count < MOST ? count : MOST, rows = (shown + columns - 1) / columns;
    putchar('\n');
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < shown; i += rows)
            printf("%-*s", i + rows < shown ? widest + 2 : 0, names[i]);
        putchar('\n');
    }
    if (shown < count)
        printf("and %zu more\n", count - shown);
}

static unsigned char complete(EditLine *editor, int key)
{
    const LineInfo *line = edit.el_line(editor);
    const char **names;
    size_t begun;
    (void)key;
    const size_t count = cli_completion_find(lines_of(editor)->completion, line->buffer,
                                             (size_t)(line->cursor - line->buffer), &begun, &names);
    unsigned char result = count ? CC_REFRESH : CC_REFRESH_BEEP;
    const size_t common = count ? common_length(names, count) : 0;
    if (common > begun || count == 1) {
        const char *end = count == 1 ? " " : "";
        mp_text_buffer rest = {0};
        mp_text_put(&rest, names[0] + begun, common - begun);
        mp_text_put(&rest, end, strlen(end));
        if (edit.el_insertstr(editor, rest.text) != 0)
            result = CC_REFRESH_BEEP;
        free(rest.text);
    } else if (count && (begun || count < 100)) {
        list_names(names, count);
        result = CC_REDISPLAY;
    } else {
        result = CC_REFRESH_BEEP;
    }
    free(names);
    return result;
}

/* --- lines --- */

static void add_entry(void *opaque, const char *line)
{
    HistEvent event;
    edit.history(opaque, &event, H_ENTER, line);
}

static void begin_editor(cli_lines *lines, const char *name)
{
    const char *kind = getenv("TERM");
    HistEvent event;
    if (!kind || !*kind || strcmp(kind, "dumb") == 0 ||
        tcgetattr(STDIN_FILENO, &terminal_before) != 0 || !load_editor())
        return;
    cli_screen_characters();
    lines->editor = edit.el_init("memprof", stdin, stdout, stderr);
    lines->entries = lines->editor ? edit.history_init() : NULL;
    if (!lines->entries)
        return;
    edit.history(lines->entries, &event, H_SETSIZE, CLI_HISTORY_LINES);
    edit.history(lines->entries, &event, H_SETUNIQUE, 1);
    lines->history = cli_history_open(name);
    if (lines->history >= 0)
        cli_history_load(lines->history, add_entry, lines->entries);
    edit.el_set(lines->editor, EL_CLIENTDATA, lines);
    edit.el_set(lines->editor, EL_GETCFN, take_character);
    edit.el_set(lines->editor, EL_PROMPT, prompt_of);
    edit.el_set(lines->editor, EL_EDITOR, "emacs");
    edit.el_set(lines->editor, EL_HIST, edit.history, lines->entries);
    /* el_set would keep copies of the texts for ever */
    edit.el_wset(lines->editor, EL_ADDFN, L"memprof-complete", L"Complete a name", complete);
    edit.el_set(lines->editor, EL_BIND, "^I", "memprof-complete", NULL);
    edit.el_set(lines->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    edit.el_source(lines->editor, NULL);
}

static void end_editor(cli_lines *lines)
{
    if (lines->entries)
        edit.history_end(lines->entries);
    if (lines->editor)
        edit.el_end(lines->editor);
    if (lines->history >= 0)
        close(lines->history);
}

static const char *read_edited(cli_lines *lines)
{
    struct sigaction stop, size;
    int length;
    heed_signal(SIGTSTP, &stop);
    heed_signal(SIGWINCH, &size);
    cli_screen_own(restore_terminal);
    const char *line = edit.el_gets(lines->editor, &length);
    cli_screen_own(NULL);
    sigaction(SIGTSTP, &stop, NULL);
    sigaction(SIGWINCH, &size, NULL);
    if (!line) {
        puts(interrupted ? "^C" : "");
        return NULL;
    }
    lines->line.length = 0;
    mp_text_put(&lines->line, line, strcspn(line, "\n"));
    if (lines->line.length) {
        add_entry(lines->entries, lines->line.text);
        if (lines->history >= 0)
            cli_history_add(lines->history, lines->line.text);
    }
    return lines->line.text;
}

#else

static void settle_editor(const cli_lines *lines)
{
    (void)lines;
}

static void begin_editor(cli_lines *lines, const char *name)
{
    (void)lines, (void)name;
}

static void end_editor(cli_lines *lines)
{
    (void)lines;
}

static const char *read_edited(cli_lines *lines)
{
    return read_plain(lines);
}

#endif

void cli_lines_begin(cli_lines *lines, const char *history, const cli_completion *completion)
{
    *lines = (cli_lines){.completion = completion, .history = -1};
    begin_editor(lines, history);
}

void cli_lines_end(cli_lines *lines)
{
    end_editor(lines);
    free(lines->line.text);
    if (lines->heeding)
        sigaction(SIGINT, &interrupt_before, NULL);
}

const char *cli_lines_read(cli_lines *lines, const char *prompt, bool *stopped)
{
    if (!lines->heeding)
        heed_signal(SIGINT, &interrupt_before);
    lines->heeding = true;
    interrupted = false;
    lines->prompt = prompt;
    const char *line = lines->editor ? read_edited(lines) : read_plain(lines);
    *stopped = !line && interrupted;
    return line;
}
