/* Write text as XML. Characters of mark-up become entities; characters that XML does not allow are
 * written as escapes, such as \x1b. */
#pragma once

#include <stdio.h>

/* Write text between tags. */
void mp_xml_text(FILE *file, const char *text);
size_t mp_xml_length(const char *text); /* number of bytes that mp_xml_text writes */
/* Write ` name="value"`, with line ends and tabs kept. */
void mp_xml_attribute(FILE *file, const char *name, const char *value);
