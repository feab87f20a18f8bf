// The known answer of a log or heap analysis file of the C++ shop.
#ifndef GENERATOR_TALIGENT_ANSWER_H
#define GENERATOR_TALIGENT_ANSWER_H

#include "taligent_plan.h"

// False: it cannot be written, or out of memory.
bool taligent_answer(const TalOptions *options, const char *path);

#endif
