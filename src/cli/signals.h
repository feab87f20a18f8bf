/* What signals do to the program, and to those that it starts. */
#ifndef MP_CLI_SIGNALS_H
#define MP_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether the parent had it ignored (nohup): it stays so. */
bool cli_signal_is_ignored(int number);
/* Those of them that are not ignored, which a signalfd would be told of nevertheless. */
sigset_t cli_signals_heeded(const int *signals, size_t count);
/* End by it, so that whoever started the program sees what ended it; where it is held back, as soon
 * as it is not. */
void cli_signals_end_by(int number);

#endif
