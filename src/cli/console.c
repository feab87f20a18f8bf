#include "cli/console.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Messages of the run that explain its exit status, and the worst message that --quiet
 * suppressed. */
static struct {
    bool said;
    mp_severity worst;
    char kept_back[1024];
} spoken;

static FILE *caught;

void cli_console_catch(FILE *file)
{
    caught = file;
}

bool cli_is_interactive(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

FILE *cli_console(void)
{
    return caught ? caught : stderr;
}

void cli_console_begin(void)
{
    spoken.said = false;
    spoken.kept_back[0] = '\0';
}

void cli_console_end(bool failed)
{
    if (spoken.said || !failed)
        return;
    if (*spoken.kept_back)
        cli_put_safe(spoken.kept_back);
    else
        fputs("memprof: the input has no data for this command", stderr);
    fputc('\n', stderr);
}

/* --- diagnostics --- */

static bool is_printed(mp_diagnostic_id id, bool quiet, bool violations)
{
    if (mp_diagnostic_severity(id) == MP_ERROR)
        return true;
    if (!violations && mp_diagnostic_is_violation(id))
        return false;
    return !quiet;
}

void cli_put_safe(const char *text)
{
    char escape[MP_ESCAPE];
    for (const char *end = text + strlen(text); text < end;) {
        size_t length = mp_text_escape(text, end, escape), whole = mp_utf8_length(text, end);
        if (length)
            fputs(escape, cli_console());
        else if (whole)
            fwrite(text, 1, whole, cli_console());
        else /* a path may contain any bytes */
            fprintf(cli_console(), "\\x%02x", (unsigned char)*text);
        text += whole ? whole : 1;
    }
}

void cli_put_line(const char *text)
{
    spoken.said = true;
    cli_put_safe(text);
    fputc('\n', cli_console());
}

void cli_put_message(const char *text)
{
    fputs("memprof: ", cli_console());
    cli_put_line(text);
}

void cli_put_fault(const char *path, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_put_safe(path);
    fputs(": error: ", cli_console());
    cli_put_line(text);
}

void cli_put_error(const mp_error *error)
{
    char line[8192];
    mp_error_line(error, "--", line, sizeof line);
    if (error->path)
        cli_put_line(line);
    else
        cli_put_message(line);
}

/* Keep the first of the worst suppressed messages. It is printed if no other message explains a
 * failure. */
static void keep_back(const mp_diagnostic *one)
{
    char line[32] = "";
    mp_severity severity = mp_diagnostic_severity(one->id);
    if (*spoken.kept_back && severity <= spoken.worst)
        return;
    if (one->line)
        snprintf(line, sizeof line, ":%" PRIu64, one->line);
    snprintf(spoken.kept_back, sizeof spoken.kept_back, "%s%s: %s: %s [%s]",
             one->path ? one->path : "memprof", line, mp_severity_name(severity), one->message,
             mp_diagnostic_code(one->id));
    spoken.worst = severity;
}

/* "file:line: severity: message [code]" */
static void put_diagnostic(const mp_diagnostic *one, const char *more)
{
    spoken.said = true;
    cli_put_safe(one->path ? one->path : "memprof");
    if (one->line)
        fprintf(cli_console(), ":%" PRIu64, one->line);
    fprintf(cli_console(), ": %s: ", mp_severity_name(mp_diagnostic_severity(one->id)));
    cli_put_safe(one->message);
    fprintf(cli_console(), "%s [%s]\n", more, mp_diagnostic_code(one->id));
}

void cli_put_diagnostic_kinds(const mp_diagnostics *diagnostics, bool quiet, bool violations)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    bool printed[MP_DIAGNOSTIC_COUNT] = {0}, summed = false;
    for (size_t i = 0; i < count; i++) {
        mp_diagnostic_id id = kept[i].id;
        uint64_t total = mp_diagnostics_count(diagnostics, id);
        char left[MP_UNIT_TEXT], more[MP_UNIT_TEXT * 2] = "";
        bool each = mp_diagnostic_severity(id) == MP_ERROR;
        if (!is_printed(id, quiet, violations))
            keep_back(&kept[i]);
        if (!is_printed(id, quiet, violations) || (printed[id] && !each))
            continue;
        if (total > 1 && !each) {
            mp_format_count(left, (int64_t)total - 1, false);
            snprintf(more, sizeof more, ", and %s more of this kind", left);
            summed = true;
        }
        put_diagnostic(&kept[i], more);
        printed[id] = true;
    }
    if (summed)
        cli_put_message("--verbose lists each of them");
}

void cli_put_diagnostics(const mp_diagnostics *diagnostics, bool quiet, bool violations)
{
    const mp_diagnostic *kept;
    size_t count = mp_diagnostics_kept(diagnostics, &kept);
    uint64_t printed[MP_DIAGNOSTIC_COUNT] = {0};
    for (size_t i = 0; i < count; i++) {
        mp_diagnostic_id id = kept[i].id;
        if (!is_printed(id, quiet, violations)) {
            keep_back(&kept[i]);
            continue;
        }
        printed[id]++;
        put_diagnostic(&kept[i], "");
    }
    for (int id = 0; id < MP_DIAGNOSTIC_COUNT; id++) {
        uint64_t total = mp_diagnostics_count(diagnostics, (mp_diagnostic_id)id);
        char left[MP_UNIT_TEXT];
        if (!printed[id] || total == printed[id])
            continue;
        mp_format_count(left, (int64_t)(total - printed[id]), false);
        fprintf(cli_console(), "memprof: and %s more [%s]\n", left,
                mp_diagnostic_code((mp_diagnostic_id)id));
    }
}

/* --- progress --- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool advance(void *opaque, const char *path, uint64_t done, uint64_t total)
{
    enum { BAR = 30 };
    cli_progress *progress = opaque;
    if (!progress->on || !done)
        return true;
    double time = now();
    if (time - progress->started < 1 || time - progress->last < 0.1)
        return true;
    char size[MP_UNIT_TEXT], bar[BAR + 1];
    int full = total ? (int)((double)done * BAR / (double)total) : 0;
    memset(bar, '-', BAR);
    memset(bar, '#', (size_t)(full > BAR ? BAR : full));
    bar[BAR] = '\0';
    mp_format_bytes(size, (int64_t)done, false, false);
    fprintf(stderr, "\r\033[K[%s] %s of ", bar, size);
    cli_put_safe(path);
    progress->last = time;
    progress->drawn = true;
    return true;
}

void cli_progress_begin(cli_progress *progress, bool quiet)
{
    const char *terminal = getenv("TERM");
    *progress = (cli_progress){.on = !quiet && isatty(STDERR_FILENO) && terminal &&
                                     strcmp(terminal, "dumb") != 0,
                               .started = now(),
                               .progress = {advance, progress}};
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
}

/* --- style --- */

static unsigned environment_width(void)
{
    const char *columns = getenv("COLUMNS");
    int64_t width;
    return columns && mp_parse_count(columns, &width) && width <= CLI_WIDEST ? (unsigned)width : 0;
}

mp_style cli_style(cli_colour colour, int64_t width, bool to_file)
{
    struct winsize size;
    const char *off = getenv("NO_COLOR"), *on = getenv("CLICOLOR_FORCE"), *kind = getenv("TERM");
    bool terminal = !to_file && isatty(STDOUT_FILENO), dumb = !kind || strcmp(kind, "dumb") == 0;
    mp_style style = {.dashes = "--", .terminal = terminal};
    if (width >= 0)
        style.width = (unsigned)width;
    else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        style.width = size.ws_col;
    else
        style.width = environment_width();
    if (style.width && style.width < CLI_NARROWEST)
        style.width = CLI_NARROWEST;
    if (colour != CLI_COLOUR_AUTO)
        style.colour = colour == CLI_COLOUR_ALWAYS;
    else if (off && *off)
        style.colour = false;
    else
        style.colour = (on && *on && strcmp(on, "0") != 0) || (terminal && !dumb);
    return style;
}

/* --- output --- */

bool cli_output_spares(const mp_load_options *how, const char *output, const char *const *paths,
                       size_t count)
{
    mp_error error = {0};
    bool spares = mp_output_spares(how->inputs, output, paths, count, &error);
    if (!spares)
        cli_put_error(&error);
    return spares;
}

static FILE *output_caught;

void cli_output_catch(FILE *file)
{
    output_caught = file;
}

bool cli_output_open(mp_output *output, const char *path)
{
    mp_error error = {0};
    *output = (mp_output){.file = output_caught ? output_caught : stdout};
    errno = 0; /* mp_stream_flush reads errno later */
    bool ok = !path || mp_output_open(output, path, &error);
    if (!ok)
        cli_put_error(&error);
    return ok;
}

bool cli_output_close(mp_output *output, bool keep)
{
    mp_error error = {0};
    bool ok = true;
    if (output->path) {
        ok = mp_output_close(output, keep, &error);
    } else if (!mp_stream_flush(output->file)) {
        ok = mp_fail_file(&error, "(standard output)", 0, 0, "cannot write: %s", strerror(errno));
    }
    if (!ok)
        cli_put_error(&error);
    return ok;
}
