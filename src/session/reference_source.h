/* Names of the references of a heap dump, and contents of its objects. They are read from the
 * dump's input again when an answer needs them. */
#pragma once

#include "readers/reader.h"

/* Let the model's graph read names and contents from this input. This is possible if the graph was
 * made from the input, and the input's format has names (mp_graph.names). `input` was read last, to
 * its end. A file is opened again by its path; a stream is kept open. Return true if the model now
 * owns the input. Everything to which `options` points must outlive the model. */
bool mp_reference_source_open(mp_model *model, const mp_reader *reader, mp_input *input,
                              const mp_load_options *options);
