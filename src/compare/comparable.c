/* Check whether two digests can be compared: both must be complete, and profiles must have all
 * lines. Also find out which digest is later. */
#include "base/memory.h"
#include "compare/digest.h"

const char *mp_incomparable(mp_arena *arena, const mp_digest *base, const mp_digest *now,
                            bool cut_too)
{
    const mp_digest *cut = base->complete ? now : base, *part = base->partial ? base : now;
    bool lives = now->holds & MP_HOLDS_BIRTHS;
    if (base->complete != now->complete && !cut->of_moment && !cut_too)
        return mp_arena_format(arena, "%s is not complete: %s", cut->path,
                               lives ? "objects in use where it ends count as alive"
                                     : "missing parts count as nothing");
    if (base->partial != now->partial && !base->tells_no_part)
        return mp_arena_format(arena, "%s has only the hottest lines; others count as nothing",
                               part->path);
    return NULL;
}

bool mp_is_later(const mp_digest *first, const mp_digest *second)
{
    uint32_t later = first->stamp_ms -
                     second->stamp_ms; /* the 32-bit clock may have restarted at 0 in between */
    if (first->has_stamp && second->has_stamp)
        return later && later <= INT32_MAX;
    return first->start_us && second->start_us && first->start_us > second->start_us;
}
