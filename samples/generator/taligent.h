// Writes heap-monitoring logs and heap analysis files of the C++ shop.
#ifndef GENERATOR_TALIGENT_H
#define GENERATOR_TALIGENT_H

#include "taligent_plan.h"
#include "writer.h"

typedef struct TalLayout {
    bool blanks; // between columns, not tabs
    bool no_title;
} TalLayout;

// False: out of memory.
bool taligent_write_log(const TalOptions *options, const TalLayout *layout, Writer *writer);
bool taligent_write_analysis(const TalOptions *options, const TalLayout *layout, Writer *writer);

// `thread` below 0: none.
void taligent_thread_name(int thread, char name[32]);

#endif
