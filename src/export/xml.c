#include "export/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

/* What XML 1.0 has no place for: control characters, U+FFFE, U+FFFF. */
static bool is_forbidden(const char *p, size_t length)
{
    unsigned char first = (unsigned char)*p;
    if (length == 1)
        return first < 32 && first != '\t' && first != '\n' && first != '\r';
    return length == 3 && memcmp(p, "\xef\xbf", 2) == 0 && (unsigned char)p[2] >= 0xbe;
}

/* `attribute`: line ends too, which a parser would make blanks of. */
static void put(FILE *file, const char *text, bool attribute)
{
    const char *end = text + strlen(text);
    for (size_t length; text < end; text += length) {
        length = mp_utf8_length(text, end);
        if (!length) {
            length = 1; /* no UTF-8, which no document has */
            continue;
        }
        if (is_forbidden(text, length))
            continue;
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
