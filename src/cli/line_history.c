#include "cli/line_history.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/terminal.h"

enum { MOST_BYTES = 1024 * 1024, MOST_OLD_BYTES = 64 * 1024 };

int cli_history_open(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool has_state = state && *state == '/';
    static const char *const parts[] = {"/.local", "/state", "/memprof", "/"};
    struct stat status;
    mp_text_buffer path = {0};
    if (!has_state && !(home && *home == '/'))
        return -1;
    mp_text_put(&path, has_state ? state : home, strlen(has_state ? state : home));
    if (has_state)
        mkdir(path.text, 0700);
    for (size_t i = has_state ? 2 : 0; i < sizeof parts / sizeof *parts; i++) {
        mp_text_put(&path, parts[i], strlen(parts[i]));
        mkdir(path.text, 0700); /* if the folder cannot be made, the file cannot be opened */
    }
    mp_text_put(&path, name, strlen(name));
    int file = open(path.text, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
    free(path.text);
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

/* Return the end of the file as text, at most MOST_BYTES; release with free(). `before` is set to
 * the number of bytes before it. */
static char *read_end(int file, size_t *length, off_t *before)
{
    struct stat status = {0};
    fstat(file, &status);
    *before = status.st_size > MOST_BYTES ? status.st_size - MOST_BYTES : 0;
    char *text = mp_alloc(MOST_BYTES + 1);
    const ssize_t count = pread(file, text, MOST_BYTES, *before);
    *length = count > 0 ? (size_t)count : 0;
    text[*length] = '\0';
    return text;
}

/* Return the start of the last lines of the text. If the file has more before the text, the first
 * line of the text is incomplete, and is skipped. */
static const char *last_lines(const char *text, size_t length, bool preceded)
{
    const char *start = text + length;
    for (size_t lines = 0; start > text; start--)
        if (start[-1] == '\n' && ++lines > CLI_HISTORY_LINES)
            return start;
    const char *end = preceded ? strchr(text, '\n') : NULL;
    return end ? end + 1 : start;
}

void cli_history_load(int file, void (*take)(void *opaque, const char *line), void *opaque)
{
    size_t length;
    off_t before;
    char *text = read_end(file, &length, &before);
    char *kept = text + (last_lines(text, length, before > 0) - text);
    if (before + (kept - text) > MOST_OLD_BYTES && ftruncate(file, 0) == 0)
        mp_write_all(file, kept, length - (size_t)(kept - text));
    char *rest = kept;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            take(opaque, line);
    free(text);
}

void cli_history_add(int file, const char *line)
{
    const size_t length = strlen(line);
    char *text = mp_alloc(length + 2);
    stpcpy(stpcpy(text, line), "\n");
    mp_write_all(file, text, length + 1); /* if this fails, only the next session misses the line */
    free(text);
}
