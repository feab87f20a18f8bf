#include "export/protobuf.h"

#ifdef MEMPROF_PPROF
mp_protobuf mp_pb;
const char mp_pb_empty_string[] = "";

/* Defined only in the static program (src/cli/static), into which protobuf-c is linked. */
extern const mp_protobuf mp_protobuf_linked __attribute__((weak));

const char *mp_protobuf_load(void)
{
    static const char *const names[] = {MP_PROTOBUF(MP_LATE_NAME)};
    static mp_late library = MP_LATE(MEMPROF_PPROF, names, mp_pb, mp_protobuf_linked);
    return mp_late_load(&library);
}
#endif
