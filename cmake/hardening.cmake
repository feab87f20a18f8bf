# Inputs may come from anyone. These options of compiler, linker and C library limit what an undetected fault
# can do. tests/hardening.py checks that the built files have them.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported(LANGUAGES C)

# Detect overrun stack frames, stacks that grow into other memory, and jumps to invalid targets.
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
             -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "HAS${flag}" has)
  check_c_compiler_flag(-Werror\ ${flag} ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()

# Check the bounds of copies. The compiler knows the bounds only when it optimises, and the checks would
# interfere with sanitizers. Level 3 also knows the bounds of allocated memory.
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT MEMPROF_SANITIZE)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=$<IF:$<BOOL:${HAS_FORTIFY_3}>,3,2>>)
endif()

# Make address tables read-only before the program starts, and only code executable, never the stack.
foreach(flag relro now noexecstack separate-code)
  string(MAKE_C_IDENTIFIER "HAS_z_${flag}" has)
  check_linker_flag(C LINKER:-z,${flag} ${has})
  if(${has})
    add_link_options(LINKER:-z,${flag})
  endif()
endforeach()
