#include "readers/stack_builder.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

mp_string_id mp_stack_module_name(const mp_stack_builder *builder, mp_string_id module)
{
    const char *path = module.i ? mp_model_text(builder->model, module) : "unknown";
    const char *slash = strrchr(path, '/');
    return mp_model_intern_format(builder->model, "[%s]", slash ? slash + 1 : path);
}

mp_symbol_id mp_stack_address(mp_stack_builder *builder, mp_string_id module, bool has_offset,
                              uint64_t address)
{
    mp_model *model = builder->model;
    const mp_string_id name = has_offset
                                  ? mp_model_intern_format(model, "%.255s+0x%" PRIx64,
                                                           mp_model_text(model, module), address)
                                  : mp_model_intern_format(model, "0x%" PRIx64, address);
    return mp_stack_symbol(builder, (mp_symbol){.name = name, .module = module});
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
