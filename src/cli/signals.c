#include "cli/signals.h"

bool cli_signal_is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN;
}

sigset_t cli_signals_heeded(const int *signals, size_t count)
{
    sigset_t heeded;
    sigemptyset(&heeded);
    for (size_t i = 0; i < count; i++)
        if (!cli_signal_is_ignored(signals[i]))
            sigaddset(&heeded, signals[i]);
    return heeded;
}

void cli_signals_end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}
