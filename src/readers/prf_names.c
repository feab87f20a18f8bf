/* Splitting of a module's name into program and method.
 *
 *   file.p                          a unit (CRC <> 0: the whole name, blanks included)
 *   entity file.p                   an internal procedure, function or trigger of it
 *   Class                           a unit
 *   method Class                    a method
 *   method Defining Runtime         since 12.1; the lines are those of the defining class
 *   ~Class Class                    a destructor
 *
 * Without a CRC, the first word is the entity. The rest is compared with the known units, whose
 * names may contain blanks. The first match determines the unit: the whole rest is a known
 * unit; its longest beginning is one; it ends with one, so that the part before this end is the
 * unit. Without a match, the unit is the whole rest if that is a path or one word; otherwise it is
 * the first word (the first of two classes). */
#include <string.h>

#include "base/text.h"
#include "model/build.h"
#include "readers/prf.h"

/* Maximum length of a name that is split. */
enum { LONGEST_NAME = 4096 };

static bool is_unit(const mp_key_index *units, mp_slice name)
{
    return mp_key_index_get(units, name.start, name.length);
}

static bool is_path(mp_slice text)
{
    if (text.length >= 2 && text.start[text.length - 2] == '.' &&
        (text.start[text.length - 1] == 'p' || text.start[text.length - 1] == 'w'))
        return true;
    return memchr(text.start, '/', text.length) || memchr(text.start, '\\', text.length) ||
           memchr(text.start, ':', text.length);
}

/* Return the unit in the text that follows the entity. */
static mp_slice unit_in(const mp_key_index *units, mp_slice rest)
{
    if (rest.length > LONGEST_NAME || is_unit(units, rest))
        return rest;
    for (size_t i = rest.length; i-- > 0;)
        if (rest.start[i] == ' ' && is_unit(units, (mp_slice){rest.start, i}))
            return (mp_slice){rest.start, i};
    for (size_t i = rest.length; i-- > 0;)
        if (rest.start[i] == ' ' &&
            is_unit(units, (mp_slice){rest.start + i + 1, rest.length - i - 1}))
            return (mp_slice){rest.start, i};
    const char *blank = memchr(rest.start, ' ', rest.length);
    if (!blank || is_path(rest))
        return rest;
    return (mp_slice){rest.start, (size_t)(blank - rest.start)};
}

void prf_split_names(mp_model *model, uint32_t first)
{
    mp_profile *profile = model->profile;
    mp_key_index units = {0};
    for (uint32_t i = first; i < profile->modules.count; i++) {
        const mp_slice name = mp_slice_of(mp_model_text(model, profile->modules.items[i].name));
        if (profile->modules.items[i].crc)
            *mp_key_index_put(&units, name.start, name.length) = 1;
    }
    for (uint32_t i = first; i < profile->modules.count; i++) {
        mp_module *module = &profile->modules.items[i];
        mp_slice name = mp_slice_of(mp_model_text(model, module->name));
        const char *blank = memchr(name.start, ' ', name.length);
        if (module->number == 0)
            continue;
        if (module->crc || !blank || blank + 1 == name.start + name.length) {
            module->program = module->name;
            continue;
        }
        mp_slice method = {name.start, (size_t)(blank - name.start)};
        mp_slice rest = {blank + 1, name.length - method.length - 1};
        mp_slice unit = unit_in(&units, rest);
        module->program = mp_model_intern(model, unit);
        module->method = mp_model_intern(model, method);
        if (unit.length == rest.length)
            continue;
        mp_slice runtime = {unit.start + unit.length + 1, rest.length - unit.length - 1};
        if (!mp_slice_equal(runtime, unit))
            module->runtime = mp_model_intern(model, runtime);
    }
    mp_key_index_free(&units);
}
