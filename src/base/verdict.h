/* What comes of holding a recording to a rule or a limit. */
#ifndef MP_BASE_VERDICT_H
#define MP_BASE_VERDICT_H

typedef enum mp_verdict {
    MP_VERDICT_PASS,
    MP_VERDICT_FAIL,
    MP_VERDICT_ERROR, /* could not be judged */
    MP_VERDICTS,
} mp_verdict;

/* "pass", "fail", "error". */
static inline const char *mp_verdict_name(mp_verdict verdict)
{
    static const char *const names[MP_VERDICTS] = {"pass", "fail", "error"};
    return names[verdict];
}

#endif
