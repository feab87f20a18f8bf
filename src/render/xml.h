/* Texts as XML: what would end them is written as an entity, what XML has no place for left out. */
#ifndef MP_RENDER_XML_H
#define MP_RENDER_XML_H

#include <stdio.h>

/* Between tags; and ` name="value"` in one, line ends and tabs kept. */
void mp_xml_text(FILE *file, const char *text);
size_t mp_xml_length(const char *text); /* so many bytes that takes */
void mp_xml_attribute(FILE *file, const char *name, const char *value);

#endif
