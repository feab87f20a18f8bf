/* Names of the references of a heap dump and contents of its objects, read from its input once more
 * when an answer needs them. */
#pragma once

#include "readers/reader.h"

/* Let the model's graph read names and contents from this input, if the graph was made from it and
 * its format has names (mp_graph.names). `input` was read last, to its end. A file is opened again
 * by its path; a stream is kept open: return true if the model has become the owner of the input.
 * Everything that `options` points to must outlive the model. */
bool mp_reference_source_open(mp_model *model, const mp_reader *reader, mp_input *input,
                              const mp_load_options *options);
