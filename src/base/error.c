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

/* Put the dashes where the text marks an argument. */
static void spell(char *line, size_t size, const char *dashes)
{
    size_t length = strlen(dashes);
    for (char *at = line; (at = strpbrk(at, MP_DASHES)) != NULL; at += length) {
        size_t rest = strlen(at + 1) + 1, room = size - (size_t)(at - line);
        if (length > room - 1)
            length = room - 1;
        if (rest > room - length)
            rest = room - length;
        memmove(at + length, at + 1, rest);
        for (size_t i = 0; i < length; i++)
            at[i] = dashes[i];
        line[size - 1] = '\0';
    }
}

const char *mp_error_line(const mp_error *error, const char *dashes, char *line, size_t size)
{
    char place[32] = "", text[sizeof error->text + sizeof error->advice + 2];
    snprintf(text, sizeof text, "%s%s%s", error->text, *error->advice ? ": " : "", error->advice);
    if (error->path && error->column)
        snprintf(place, sizeof place, ":%" PRIu32 ":%" PRIu32, error->line, error->column);
    else if (error->path && error->line)
        snprintf(place, sizeof place, ":%" PRIu32, error->line);
    if (error->path)
        snprintf(line, size, "%s%s: error: %s", error->path, place, text);
    else if (error->unused_by)
        snprintf(line, size, "%s does not use %s%s%s", error->unused_by, dashes, error->argument,
                 text);
    else if (error->argument)
        snprintf(line, size, "%s%s%s%s: %s", dashes, error->argument, error->value ? " " : "",
                 error->value ? error->value : "", text);
    else
        snprintf(line, size, "%s", text);
    spell(line, size, dashes);
    return line;
}
