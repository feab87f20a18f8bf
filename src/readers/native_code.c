#include "readers/native_code.h"

#include <string.h>

#include "base/text.h"

static mp_string_id text_of(native_code *code, mp_slice text)
{
    return text.length ? mp_model_intern(code->stacks.model, text) : (mp_string_id){0};
}

mp_symbol_id native_symbol(native_code *code, mp_slice name, mp_slice source, mp_slice module)
{
    mp_symbol wanted = {.source = text_of(code, source), .module = text_of(code, module)};
    wanted.name = name.length && !mp_slice_is(name, "\?\?\?")
                      ? text_of(code, name)
                      : mp_stack_module_name(&code->stacks, wanted.module);
    return mp_stack_symbol(&code->stacks, wanted);
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

bool native_split_place(mp_slice place, mp_slice *file, uint32_t *line)
{
    bool found = false;
    for (int i = 0; i < 2 && place.length; i++) {
        const char *colon = memrchr(place.start, ':', place.length);
        int64_t number;
        if (!colon)
            break;
        const size_t length = (size_t)(colon - place.start);
        mp_slice digits = {colon + 1, place.length - length - 1};
        if (!native_take_number(&digits, &number) || digits.length || number > INT32_MAX)
            break;
        place.length = length;
        *line = number ? (uint32_t)number : MP_NO_LINE;
        found = true;
    }
    *file = place;
    return found;
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
    uint32_t line;
    if (!native_split_place(source, &source, &line))
        return (native_frame){native_symbol(code, label, none, none), MP_NO_LINE};
    return (native_frame){native_symbol(code, name, source, none), line};
}
