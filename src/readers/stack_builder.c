#include "readers/stack_builder.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

mp_string_id mp_stack_module_name(const mp_stack_builder *builder, mp_string_id module)
{
    const char *path = module.i ? mp_model_text(builder->model, module) : "unknown";
    const char *slash = strrchr(path, '/');
    mp_arena arena = {0};
    const char *name = mp_arena_format(&arena, "[%s]", slash ? slash + 1 : path);
    const mp_string_id id = mp_model_intern_text(builder->model, name);
    mp_arena_free(&arena);
    return id;
}

mp_symbol_id mp_stack_symbol(mp_stack_builder *builder, mp_symbol wanted)
{
    mp_model *model = builder->model;
    const uint64_t words[] = {wanted.name.i, wanted.source.i, wanted.start_line, wanted.module.i};
    uint32_t *place = mp_id_index_put(&builder->symbols, mp_hash_words(words, 4));
    if (!*place) {
        wanted.allocator = mp_is_allocator(builder->options, mp_model_text(model, wanted.name));
        *MP_ADD(&model->symbols) = wanted;
        *place = model->symbols.count - 1;
    }
    return (mp_symbol_id){*place};
}

void mp_stack_call(mp_stack_builder *builder, mp_stack_frame *frame, mp_symbol_id symbol,
                   uint32_t line)
{
    mp_model *model = builder->model;
    const uint64_t words[] = {frame->node.i, symbol.i, frame->line, 0};
    uint32_t *place = mp_id_index_put(&builder->nodes, mp_hash_words(words, 4));
    if (!*place) {
        *MP_ADD(&model->nodes) = (mp_node){.parent = frame->node,
                                           .symbol = symbol,
                                           .line = frame->line,
                                           .defined = true,
                                           .number = model->nodes.count};
        *place = model->nodes.count - 1;
    }
    *frame = (mp_stack_frame){{*place}, line};
}

void mp_stack_builder_free(mp_stack_builder *builder)
{
    mp_id_index_free(&builder->symbols);
    mp_id_index_free(&builder->nodes);
}
