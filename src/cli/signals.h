/* Handling of signals in the program and in its child processes. */
#ifndef MP_CLI_SIGNALS_H
#define MP_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Return true if the parent had ignored the signal (nohup), which then stays ignored. */
bool cli_signal_is_ignored(int number);
/* Those of them that are not ignored, which a signalfd would be told of nevertheless. */
sigset_t cli_signals_heeded(const int *signals, size_t count);
/* End the program by this signal, so that its parent sees the reason; if the signal is blocked,
 * as soon as it is not. */
void cli_signals_end_by(int number);

#endif
