#include "export/code.h"

#include <assert.h>
#include <stdlib.h>

#include "render/cell.h"

mp_code mp_code_of(const mp_weights *weights)
{
    return (mp_code){.weights = weights,
                     .texts = mp_dictionary_new(),
                     .function_of = mp_alloc_zero(weights->count, sizeof(uint32_t))};
}

void mp_code_free(mp_code *code)
{
    mp_dictionary_free(code->texts);
    mp_hash_index_free(&code->function_index);
    mp_id_index_free(&code->place_index);
    mp_arena_free(&code->scratch);
    free(code->functions);
    free(code->places);
    free(code->function_of);
}

uint32_t mp_code_text_id(mp_code *code, const char *text)
{
    if (!text || !*text)
        return 0;
    uint32_t id = mp_dictionary_id(code->texts, mp_safe_text(&code->scratch, text));
    mp_arena_free(&code->scratch);
    return id;
}

/* Of a type's objects that all have one name, both. */
static uint32_t name_of(mp_code *code, const mp_weight_frame *frame)
{
    if (!frame->object)
        return mp_code_text_id(code, frame->name);
    mp_arena arena = {0};
    const char *name = mp_arena_format(&arena, "%s %s", frame->name, frame->object);
    uint32_t id = mp_code_text_id(code, name);
    mp_arena_free(&arena);
    return id;
}

static bool same_function(const void *opaque, uint32_t value)
{
    const mp_code *code = opaque;
    const mp_code_function *a = &code->functions[value], *b = &code->functions[0];
    return a->name == b->name && a->source == b->source && a->module == b->module &&
           a->start_line == b->start_line;
}

uint32_t mp_code_function_of(mp_code *code, uint32_t frame)
{
    const mp_weight_frame *at = &code->weights->frames[frame];
    if (code->function_of[frame])
        return code->function_of[frame];
    mp_grow(&code->functions, &code->function_capacity, code->function_count + 2,
            sizeof *code->functions);
    mp_code_function *wanted = &code->functions[0];
    *wanted = (mp_code_function){name_of(code, at), mp_code_text_id(code, at->source),
                                 mp_code_text_id(code, at->module), at->start_line};
    const uint64_t words[] = {mp_joined(wanted->name, wanted->source),
                              mp_joined(wanted->module, wanted->start_line)};
    uint32_t *place =
        mp_hash_index_put(&code->function_index, mp_hash_words(words, 2), same_function, code);
    if (!*place) {
        *place = (uint32_t)++code->function_count;
        code->functions[*place] = *wanted;
    }
    return code->function_of[frame] = *place;
}

uint32_t mp_code_line(const mp_code *code, uint32_t frame, uint32_t callee)
{
    uint32_t line = code->weights->frames[frame].line;
    assert(!callee || code->weights->frames[callee].parent == frame);
    return line == MP_NO_LINE && callee ? code->weights->frames[callee].called_at : line;
}

uint32_t mp_code_place_of(mp_code *code, uint32_t frame, uint32_t callee)
{
    mp_code_place at = {mp_code_function_of(code, frame), mp_code_line(code, frame, callee)};
    uint32_t *place = mp_id_index_put(&code->place_index, mp_joined(at.function, at.line));
    if (!*place) {
        *place = (uint32_t)++code->place_count;
        mp_grow(&code->places, &code->place_capacity, code->place_count + 1, sizeof *code->places);
        code->places[*place] = at;
    }
    return *place;
}
