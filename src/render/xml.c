#include "render/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* Return the replacement for the character at *p, or NULL if the character is written unchanged;
 * `length`: its bytes. Advance *p. XML 1.0 does not allow control characters, U+FFFE and U+FFFF;
 * invisible characters are written as escapes. `attribute`: also replace line ends, because a
 * parser would turn them into blanks. */
static const char *entity_of(const char **p, const char *end, bool attribute, char text[MP_ESCAPE],
                             size_t *length)
{
    const char *cursor = *p;
    const bool plain = strchr("\t\n\r", *cursor) != NULL; /* control characters that XML allows */
    size_t escaped = plain ? 0 : mp_text_escape(cursor, end, text);
    if (end - cursor >= 3 && memcmp(cursor, "\xef\xbf", 2) == 0 &&
        (unsigned char)cursor[2] >= 0xbe) {
        snprintf(text, MP_ESCAPE, "\\u{ff%x}", (unsigned)(unsigned char)cursor[2] + 0x40);
        escaped = 3;
    }
    *length = escaped ? escaped : mp_utf8_length(cursor, end);
    *p += *length ? *length : 1;
    if (escaped)
        return text;
    if (!*length) /* invalid UTF-8, which documents do not contain */
        return "";
    if (*cursor == '\r' || (attribute && plain)) {
        snprintf(text, MP_ESCAPE, "&#%d;", *cursor);
        return text;
    }
    return *cursor == '&'   ? "&amp;"
           : *cursor == '<' ? "&lt;"
           : *cursor == '>' ? "&gt;"
           : *cursor == '"' ? "&quot;"
                            : NULL;
}

/* Write the text to the file, unless it is NULL. Return the number of bytes. */
static size_t put(FILE *file, const char *text, bool attribute)
{
    const char *end = text + strlen(text), *entity;
    char buffer[MP_ESCAPE];
    size_t sum = 0, length;
    while (text < end) {
        const char *cursor = text;
        entity = entity_of(&text, end, attribute, buffer, &length);
        if (entity) {
            cursor = entity;
            length = strlen(entity);
        }
        if (file)
            fwrite(cursor, 1, length, file);
        sum += length;
    }
    return sum;
}

void mp_xml_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    (void)put(file, value, true);
    fputc('"', file);
}

void mp_xml_text(FILE *file, const char *text)
{
    (void)put(file, text, false);
}

size_t mp_xml_length(const char *text)
{
    return put(NULL, text, false);
}
