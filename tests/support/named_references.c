#include "support/named_references.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/diagnose.h"
#include "support/memory_reader.h"

void names_are(const mp_reader *reader, const void *bytes, size_t length, size_t window,
               const expected_name *expected, size_t count)
{
    mp_named_reference *references = mp_alloc((count + 1) * sizeof *references);
    mp_arena arena = {0};
    mp_diagnostics *diagnostics = mp_diagnostics_new(0);
    mp_input *input = mp_input_from_memory("names", bytes, length, window, diagnostics);
    for (size_t i = 0; i < count; i++)
        references[i] = (mp_named_reference){expected[i].from, expected[i].to, NULL};
    reader->name_references(input, references, count, &arena);
    for (size_t i = 0; i < count; i++)
        if (expected[i].name && references[i].name)
            assert_string_equal(references[i].name, expected[i].name);
        else
            assert_ptr_equal(references[i].name, expected[i].name);
    assert_int_equal(count_diagnostics(diagnostics), 0);
    mp_input_close(input);
    mp_diagnostics_free(diagnostics);
    mp_arena_free(&arena);
    free(references);
}
