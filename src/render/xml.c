#include "render/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* What stands for what XML 1.0 has no place for, control characters, U+FFFE and U+FFFF, and for
 * what nobody sees; its length in the text, 0: the character stands for itself. */
static size_t escape_of(const char *p, const char *end, char escape[MP_ESCAPE])
{
    if (end - p >= 3 && memcmp(p, "\xef\xbf", 2) == 0 && (unsigned char)p[2] >= 0xbe) {
        snprintf(escape, MP_ESCAPE, "\\u{ff%x}", (unsigned)(unsigned char)p[2] + 0x40);
        return 3;
    }
    return strchr("\t\n\r", *p) ? 0 : mp_text_escape(p, end, escape);
}

/* `attribute`: line ends too, which a parser would make blanks of. */
static void put(FILE *file, const char *text, bool attribute)
{
    const char *end = text + strlen(text);
    char escape[MP_ESCAPE];
    for (size_t length; text < end; text += length) {
        length = escape_of(text, end, escape);
        if (length) {
            fputs(escape, file);
            continue;
        }
        length = mp_utf8_length(text, end);
        if (!length) {
            length = 1; /* no UTF-8, which no document has */
            continue;
        }
        if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else if (*text == '\r' || (attribute && (*text == '\n' || *text == '\t')))
            fprintf(file, "&#%d;", *text);
        else
            fwrite(text, 1, length, file);
    }
}

void mp_xml_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    put(file, value, true);
    fputc('"', file);
}

void mp_xml_text(FILE *file, const char *text)
{
    put(file, text, false);
}
