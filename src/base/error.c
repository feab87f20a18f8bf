#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SET_TEXT(error, format)                                                                    \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        vsnprintf((error)->text, sizeof(error)->text, format, arguments);                          \
        va_end(arguments);                                                                         \
    } while (0)

bool mp_fail(mp_error *error, mp_error_code code, const char *format, ...)
{
    *error = (mp_error){.code = code};
    SET_TEXT(error, format);
    return false;
}

bool mp_fail_argument(mp_error *error, const char *argument, const char *value, const char *format,
                      ...)
{
    *error = (mp_error){.code = MP_ERROR_ARGUMENT, .argument = argument, .value = value};
    SET_TEXT(error, format);
    return false;
}

bool mp_fail_unused(mp_error *error, const char *report, const char *argument,
                    const char *recording)
{
    *error = (mp_error){.code = MP_ERROR_UNUSED, .argument = argument, .unused_by = report};
    if (recording)
        snprintf(error->text, sizeof error->text, " with %s", recording);
    return false;
}

bool mp_fail_file(mp_error *error, const char *path, uint32_t line, uint32_t column,
                  const char *format, ...)
{
    *error = (mp_error){.code = MP_ERROR_FILE, .path = path, .line = line, .column = column};
    SET_TEXT(error, format);
    return false;
}

const char *mp_spell(char *line, size_t size, const char *text, const char *dashes)
{
    size_t length = 0;
    for (; *text; text++) {
        bool mark = *text == *MP_DASHES;
        const char *from = mark ? dashes : text;
        for (size_t left = mark ? strlen(dashes) : 1; left && length + 1 < size; left--)
            line[length++] = *from++;
    }
    line[length] = '\0';
    return line;
}

const char *mp_error_line(const mp_error *error, const char *dashes, char *line, size_t size)
{
    char place[32] = "", marked[sizeof error->text + sizeof error->advice + 2];
    char text[2 * sizeof marked];
    snprintf(marked, sizeof marked, "%s%s%s", error->text, *error->advice ? ": " : "",
             error->advice);
    mp_spell(text, sizeof text, marked, dashes);
    if (error->path && error->column)
        snprintf(place, sizeof place, ":%" PRIu32 ":%" PRIu32, error->line, error->column);
    else if (error->path && error->line)
        snprintf(place, sizeof place, ":%" PRIu32, error->line);
    if (error->path)
        snprintf(line, size, "%s%s: error: %s", error->path, place, text);
    else if (error->unused_by)
        snprintf(line, size, "%s does not use %s%s%s",
                 mp_spell(marked, sizeof marked, error->unused_by, dashes), dashes, error->argument,
                 text);
    else if (error->argument)
        snprintf(line, size, "%s%s%s%s: %s", dashes, error->argument, error->value ? " " : "",
                 error->value ? error->value : "", text);
    else
        snprintf(line, size, "%s", text);
    return line;
}
