#include "cli/base.h"

#include "base/diagnose.h"
#include "cli/files.h"

bool cli_base_is_one(const cli_options *options, mp_diagnostics *diagnostics)
{
    cli_groups groups;
    cli_options how = *options;
    const char *path = options->question.base;
    mp_diagnostics *unheard = mp_diagnostics_new(1); /* of what is read, reading tells it */
    how.paths = &path;
    how.path_count = 1;
    cli_groups_find(&groups, &how, unheard);
    bool one = !groups.within || groups.count < 2;
    if (!one)
        mp_diagnose(diagnostics, MP_DIAG_IS_DIRECTORY, path, 0,
                    "is an archive of %zu recordings, expected one: name it as ARCHIVE:MEMBER",
                    groups.count);
    cli_groups_free(&groups);
    mp_diagnostics_free(unheard);
    return one;
}
