# What is read may come from anywhere: what compiler, linker and C library can do against a fault that is
# still there. tests/hardening.py looks for it in what was built.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(LANGUAGES C)

# Frames that are overrun, stacks that grow into something else, jumps to where nothing is called.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
             -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "HAS${flag}" has)
  check_c_compiler_flag(-Werror\ ${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()

# Copies that are checked against the room: only where the compiler optimises does it know that, and with
# sanitizers it would be in their way. The third level knows room that was allocated too.
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT MEMPROF_SANITIZE)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=$<IF:$<BOOL:${HAS_FORTIFY_3}>,3,2>>)
endif()

# Tables of addresses are read-only before the program starts, no stack is code, nothing else is either.
foreach(flag relro now noexecstack separate-code)
  string(MAKE_C_IDENTIFIER "HAS_z_${flag}" has)
  check_linker_flag(C LINKER:-z,${flag} ${has})
  if(${has})
    add_link_options(LINKER:-z,${flag})
  endif()
endforeach()
