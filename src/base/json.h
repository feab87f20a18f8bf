/* jansson, with one difference: where there is no memory, it does not go on without some of a text
 * but calls the out-of-memory handler. */
#ifndef MP_BASE_JSON_H
#define MP_BASE_JSON_H

#include <jansson.h>

/* Around all that is done with jansson, which has memory of the process: the last of those that end
 * gives it back what it had. A program that has given it memory of its own keeps that. */
void mp_json_begin(void);
void mp_json_end(void);

#endif
