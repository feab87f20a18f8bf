# Embed scripts and styles of the program's output in the program.
#
# memprof_embed(TARGET NAME FILE... [LICENCE FILE]) makes `const char mp_embedded_NAME[]` from the files: the
# licence as a comment, then the files one after the other, and a terminating 0. It also makes `const char
# mp_embedded_NAME_hash[]`, "sha256-...", by which a content security policy allows them. Sources that use
# them declare them extern. Without files, both are empty.
set(MEMPROF_EMBED ${CMAKE_CURRENT_LIST_FILE})

function(memprof_embed target name)
  cmake_parse_arguments(EMBED "" "LICENCE" "" ${ARGN})
  set(made ${CMAKE_BINARY_DIR}/embedded/${name}.c)
  set(files)
  foreach(file ${EMBED_LICENCE} ${EMBED_UNPARSED_ARGUMENTS})
    file(REAL_PATH ${file} path BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files ${path})
  endforeach()
  list(JOIN files "|" joined)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DFROM=${joined} -DLICENCE=${EMBED_LICENCE} -DTO=${made} -DNAME=${name}
            -P ${MEMPROF_EMBED}
    DEPENDS ${files} ${MEMPROF_EMBED}
    COMMENT "Embedding ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${made})
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()

# Encode the 64 digits of a hash as Base64, twelve bits at a time.
function(base64_of_hash hex variable)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text)
  foreach(at RANGE 0 63 3)
    string(SUBSTRING "${hex}00" ${at} 3 part)
    math(EXPR high "0x${part} >> 6")
    math(EXPR low "0x${part} & 63")
    string(SUBSTRING ${digits} ${high} 1 first)
    string(SUBSTRING ${digits} ${low} 1 second)
    string(APPEND text ${first}${second})
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${variable} "${text}=" PARENT_SCOPE)
endfunction()

string(REPLACE "|" ";" FROM "${FROM}")
set(all)
foreach(path ${FROM})
  file(READ ${path} text)
  if(path STREQUAL LICENCE)
    string(REPLACE "*/" "* /" text "${text}")
    set(text "/*\n${text}*/\n")
  endif()
  string(APPEND all "${text}")
endforeach()
# The first two would end the script or style on the page. A carriage return would be changed by browsers, so
# the hash would not match.
if(all MATCHES "</[sS][cCtT]|\r")
  message(FATAL_ERROR "${FROM}: has </script, </style or a carriage return in it")
endif()
file(WRITE ${TO}.part "${all}")
file(SHA256 ${TO}.part hash)
base64_of_hash(${hash} hash)
file(READ ${TO}.part bytes HEX)
file(REMOVE ${TO}.part)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "(('....',)('....',)('....',)('....',)('....',)('....',)('....',)('....',))"
       "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "/* Made by cmake/embed.cmake. */
extern const char mp_embedded_${NAME}[], mp_embedded_${NAME}_hash[];
const char mp_embedded_${NAME}_hash[] = \"sha256-${hash}\";
const char mp_embedded_${NAME}[] = {
${bytes}
0};
")
