/* Declared in memprof/memprof.h, which includes every layer and therefore not here. */
const char *mp_version(void);

const char *mp_version(void)
{
    return MEMPROF_VERSION;
}
