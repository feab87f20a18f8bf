#include "readers/v8_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "base/memory.h"

bool v8_refuse(v8_code *code, const char *wrong)
{
    code->wrong = wrong;
    return false;
}

static bool read_text(v8_code *code, mp_json_cursor *json, mp_string_id *text)
{
    if (!mp_scan_text(json))
        return false;
    *text = mp_model_intern(code->stacks.model, mp_text_of(&json->text));
    return true;
}

/* Read a line number, counted from 0. -1: the function has no line. */
static bool read_line(v8_code *code, mp_json_cursor *json, uint32_t *line)
{
    uint64_t number = 0;
    const bool negative = mp_scan_take(json, '-');
    if (!mp_scan_unsigned(json, &number) || number >= INT32_MAX)
        return v8_refuse(code, "a line number that is none");
    *line = negative ? 0 : (uint32_t)number + 1;
    return true;
}

/* Return the name of a function that has no name: "(anonymous app.js)". */
static mp_string_id anonymous_name(mp_model *model, mp_string_id source)
{
    const char *url = mp_model_text(model, source), *slash = strrchr(url, '/');
    if (!source.i)
        return mp_model_intern_text(model, "(anonymous)");
    return mp_model_intern_format(model, "(anonymous %s)", slash ? slash + 1 : url);
}

bool v8_call_frame(v8_code *code, mp_json_cursor *json, mp_symbol_id *symbol)
{
    mp_symbol read = {.name = {0}};
    if (!mp_scan_enter(json, '{'))
        return false;
    while (mp_scan_member(json)) {
        const mp_text_buffer *name = &json->name;
        const bool ok = mp_text_buffer_is(name, "functionName") ? read_text(code, json, &read.name)
                        : mp_text_buffer_is(name, "url") ? read_text(code, json, &read.source)
                        : mp_text_buffer_is(name, "lineNumber")
                            ? read_line(code, json, &read.start_line)
                            : mp_scan_skip(json);
        if (!ok)
            return false;
    }
    if (!read.name.i)
        read.name = anonymous_name(code->stacks.model, read.source);
    *symbol = mp_stack_symbol(&code->stacks, read);
    return !json->bad;
}

void v8_tell_malformed(const v8_code *code, mp_json_cursor *json, mp_diagnostics *diagnostics,
                       const char *path)
{
    if (code->wrong)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0, "has %s at byte %" PRIu64,
                    code->wrong, mp_scan_offset(json));
    else if (mp_scan_peek(json) < 0)
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0,
                    "is truncated, so its sum is unknown");
    else
        mp_diagnose(diagnostics, MP_DIAG_NOTHING_USABLE, path, 0, "is malformed at byte %" PRIu64,
                    mp_scan_offset(json));
}
