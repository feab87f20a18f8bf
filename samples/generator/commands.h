// A command is a name and a function: it parses its own options.
#ifndef GENERATOR_COMMANDS_H
#define GENERATOR_COMMANDS_H

enum {
    EXIT_USAGE = 2,
    EXIT_OUTPUT = 3,
};

typedef struct Command {
    const char *name;
    const char *usage; // what stands behind the name
    int (*run)(int count, char **arguments);
} Command;

int command_oemp(int count, char **arguments);
int command_prf(int count, char **arguments);
int command_rpt(int count, char **arguments);
int command_dbg(int count, char **arguments);
int command_taligent(int count, char **arguments);
int command_rpm(int count, char **arguments);
int command_aqtime(int count, char **arguments);

#endif
