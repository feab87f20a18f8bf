#include "base/text.h"
#include "render/renderer.h"

#define MP_RENDERER(name) extern const mp_renderer mp_renderer_##name;
#include "render/renderers.def"
#undef MP_RENDERER

static const mp_renderer *const table[] = {
#define MP_RENDERER(name) &mp_renderer_##name,
#include "render/renderers.def"
#undef MP_RENDERER
};

const mp_renderer *const *mp_renderers(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

const mp_renderer *mp_renderer_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (mp_text_is(table[i]->name, name))
            return table[i];
    return NULL;
}
