# Messages in the format of Protocol Buffers. memprof_protobuf(TARGET FILE.proto) generates FILE.pb-c.[ch]
# with protobuf-c's compiler. Sources include "export/FILE.pb-c.h". The generated code calls protobuf-c through
# src/export/protobuf.h.
find_program(MEMPROF_PROTOC_C protoc-c REQUIRED)

function(memprof_protobuf target file)
  file(REAL_PATH ${file} from BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(folder ${from} DIRECTORY)
  get_filename_component(name ${from} NAME_WE)
  get_filename_component(part ${folder} NAME)
  set(made ${CMAKE_BINARY_DIR}/generated/${part})
  file(MAKE_DIRECTORY ${made})
  add_custom_command(OUTPUT ${made}/${name}.pb-c.c ${made}/${name}.pb-c.h
    COMMAND ${MEMPROF_PROTOC_C} --proto_path=${folder} --c_out=${made} ${from}
    DEPENDS ${from}
    COMMENT "Making C of ${file}" VERBATIM)
  # Ignore warnings in generated code.
  set_source_files_properties(${made}/${name}.pb-c.c PROPERTIES
    COMPILE_OPTIONS "-w;-include;${CMAKE_CURRENT_SOURCE_DIR}/src/export/protobuf.h"
    COMPILE_DEFINITIONS MP_PROTOBUF_GENERATED)
  target_sources(${target} PRIVATE ${made}/${name}.pb-c.c ${made}/${name}.pb-c.h)
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/generated)
endfunction()
