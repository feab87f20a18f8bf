#include "readers/native_code.h"

#include <string.h>

#include "base/text.h"

/* --- functions --- */

typedef struct symbol_probe {
    const mp_model *model;
    mp_symbol wanted;
} symbol_probe;

static bool is_same_symbol(const void *opaque, uint32_t value)
{
    const symbol_probe *probe = opaque;
    const mp_symbol *a = &probe->model->symbols.items[value], *b = &probe->wanted;
    return a->name.i == b->name.i && a->source.i == b->source.i && a->module.i == b->module.i;
}

static mp_string_id name_of_module(native_code *code, mp_slice module)
{
    const char *slash = module.length ? memrchr(module.start, '/', module.length) : NULL;
    const char *start = slash ? slash + 1 : module.start;
    const int length = (int)(module.length - (size_t)(start - module.start));
    const char *name =
        length ? mp_arena_format(&code->scratch, "[%.*s]", length, start) : "[unknown]";
    const mp_string_id id = mp_model_intern(code->model, mp_slice_of(name), &code->converted);
    mp_arena_reset(&code->scratch);
    return id;
}

static mp_string_id text_of(native_code *code, mp_slice text)
{
    return text.length ? mp_model_intern(code->model, text, &code->converted) : (mp_string_id){0};
}

mp_symbol_id native_symbol(native_code *code, mp_slice name, mp_slice source, mp_slice module)
{
    mp_model *model = code->model;
    symbol_probe probe = {model, {.source = text_of(code, source)}};
    probe.wanted.module = text_of(code, module);
    probe.wanted.name = name.length && !mp_slice_is(name, "\?\?\?") ? text_of(code, name)
                                                                    : name_of_module(code, module);
    const uint64_t words[] = {mp_joined(probe.wanted.name.i, probe.wanted.source.i),
                              probe.wanted.module.i};
    uint32_t *place =
        mp_hash_index_put(&code->symbols, mp_hash_words(words, 2), is_same_symbol, &probe);
    if (!*place) {
        probe.wanted.allocator =
            mp_is_allocator(code->options, mp_model_text(model, probe.wanted.name));
        *MP_ADD(&model->symbols) = probe.wanted;
        *place = model->symbols.count - 1;
    }
    return (mp_symbol_id){*place};
}

bool native_take_number(mp_slice *text, int64_t *number)
{
    int64_t value = 0;
    size_t i = 0;
    for (; i < text->length; i++) {
        const char sign = text->start[i];
        if (sign == ',' && i && i + 1 < text->length && text->start[i + 1] >= '0' &&
            text->start[i + 1] <= '9')
            continue;
        if (sign < '0' || sign > '9')
            break;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, sign - '0', &value))
            return false;
    }
    if (!i)
        return false;
    *text = (mp_slice){text->start + i, text->length - i};
    *number = value;
    return true;
}

/* Return the start of the last " (" in a label that ends in ")"; NULL: there is none. */
static const char *place_in(mp_slice label)
{
    const char *found = NULL;
    if (!label.length || label.start[label.length - 1] != ')')
        return NULL;
    for (size_t i = label.length - 1; i-- > 0 && !found;)
        if (label.start[i] == ' ' && label.start[i + 1] == '(')
            found = label.start + i;
    return found;
}

native_frame native_frame_of_label(native_code *code, mp_slice label)
{
    const mp_slice none = {"", 0};
    const char *colon =
        mp_slice_starts(label, "0x") ? memchr(label.start, ':', label.length) : NULL;
    if (colon) {
        label.length -= (size_t)(colon + 1 - label.start);
        label.start = colon + 1;
        while (label.length && *label.start == ' ')
            label = (mp_slice){label.start + 1, label.length - 1};
    }
    const char *place = place_in(label);
    if (!place)
        return (native_frame){native_symbol(code, label, none, none), MP_NO_LINE};
    const mp_slice name = {label.start, (size_t)(place - label.start)};
    mp_slice source = {place + 2, label.length - name.length - 3};
    if (mp_slice_starts(source, "in "))
        return (native_frame){
            native_symbol(code, name, none, (mp_slice){source.start + 3, source.length - 3}),
            MP_NO_LINE};
    const char *before = source.length ? memrchr(source.start, ':', source.length) : NULL;
    mp_slice digits = {before ? before + 1 : "",
                       before ? source.length - (size_t)(before + 1 - source.start) : 0};
    int64_t line;
    if (!before || !native_take_number(&digits, &line) || digits.length || line > INT32_MAX)
        return (native_frame){native_symbol(code, label, none, none), MP_NO_LINE};
    source.length = (size_t)(before - source.start);
    return (native_frame){native_symbol(code, name, source, none),
                          line ? (uint32_t)line : MP_NO_LINE};
}

/* --- stacks --- */

native_stack native_called(native_code *code, native_stack caller, native_frame frame)
{
    mp_model *model = code->model;
    const uint32_t line = caller.node.i ? caller.line : 0;
    const uint64_t words[] = {caller.node.i, mp_joined(frame.symbol.i, line)};
    uint32_t *place = mp_id_index_put(&code->nodes, mp_hash_words(words, 2));
    if (!*place) {
        *MP_ADD(&model->nodes) = (mp_node){.parent = caller.node,
                                           .symbol = frame.symbol,
                                           .line = line,
                                           .defined = true,
                                           .number = model->nodes.count};
        *place = model->nodes.count - 1;
    }
    return (native_stack){{*place}, frame.line};
}

void native_code_free(native_code *code)
{
    mp_hash_index_free(&code->symbols);
    mp_id_index_free(&code->nodes);
    mp_arena_free(&code->scratch);
}
