/* Inputs that were looked at and put back: whoever opens the same path next gets them as they are,
 * so that a file is opened, unpacked and looked at once. A pipe could not be opened again at all.
 */
#ifndef MP_INPUT_REOPEN_H
#define MP_INPUT_REOPEN_H

#include "input/inside.h"

/* Number of inputs that may stay open between a look and the reading. A process that may open few
 * files keeps fewer. */
enum { MP_MOST_PUT_BACK = 64 };

/* Store an input under its path; it is given away. Files beyond the bound above are closed. */
void mp_reopen_put(mp_input *input);
/* Return the input that was put back under this path, or NULL. A file that has changed or was
 * replaced since then is closed instead, as what was read of it may no longer be there. */
mp_input *mp_reopen_take(const char *path);
/* Close the file that was put back under this path, if there is one; not a pipe. */
void mp_reopen_discard(const char *path);
/* Close all inputs that nobody asked for. */
void mp_reopen_forget(void);

#endif
