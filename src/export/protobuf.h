/* protobuf-c, for the export to pprof. It is loaded when it is first needed (base/late.h). The code
 * that protobuf-c generates is compiled with this header before it, and so calls the functions of
 * the table. */
#pragma once

#ifdef MEMPROF_PPROF
#include <protobuf-c/protobuf-c.h>

#include "base/late.h"

#define MP_PROTOBUF(SYMBOL)                                                                        \
    SYMBOL(protobuf_c_message_free_unpacked)                                                       \
    SYMBOL(protobuf_c_message_get_packed_size)                                                     \
    SYMBOL(protobuf_c_message_pack)                                                                \
    SYMBOL(protobuf_c_message_pack_to_buffer)                                                      \
    SYMBOL(protobuf_c_message_unpack)

typedef struct mp_protobuf {
    MP_PROTOBUF(MP_LATE_MEMBER)
} mp_protobuf;

/* Only valid after mp_protobuf_load has returned NULL. */
extern mp_protobuf mp_pb;
extern const char mp_pb_empty_string[];

/* Load protobuf-c, unless it is loaded already. Return NULL, or a static text with the reason why
 * it cannot be loaded. Thread-safe. */
const char *mp_protobuf_load(void);

#ifdef MP_PROTOBUF_GENERATED
#define protobuf_c_message_free_unpacked (*mp_pb.protobuf_c_message_free_unpacked)
#define protobuf_c_message_get_packed_size (*mp_pb.protobuf_c_message_get_packed_size)
#define protobuf_c_message_pack (*mp_pb.protobuf_c_message_pack)
#define protobuf_c_message_pack_to_buffer (*mp_pb.protobuf_c_message_pack_to_buffer)
#define protobuf_c_message_unpack (*mp_pb.protobuf_c_message_unpack)
#define protobuf_c_empty_string mp_pb_empty_string
#endif
#endif
