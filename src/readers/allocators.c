#include "readers/allocators.h"
#include "base/glob.h"

static const char *const usual_skips[] = {
    "operator new*",
    "::operator new*",
    "operator delete*",
    "::operator delete*",
    "__builtin_new*",
    "__builtin_vec_new*",
    "malloc",
    "malloc(*",
    "calloc",
    "calloc(*",
    "realloc",
    "realloc(*",
    "std::allocator<*>::allocate*",
    "__gnu_cxx::new_allocator<*>::allocate*",
};

bool mp_is_allocator(const mp_load_options *options, const char *frame)
{
    bool usual = !options->skip_count && !options->no_skips;
    const char *const *globs = usual ? usual_skips : options->skips;
    size_t count = usual ? sizeof usual_skips / sizeof *usual_skips : options->skip_count;
    for (size_t i = 0; i < count; i++)
        if (mp_glob_fits(globs[i], frame, 0))
            return true;
    return false;
}
