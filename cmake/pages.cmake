# Manual pages and completions for shells, generated from the program's tables. Without scdoc, the build
# prints a message and makes no pages.
add_executable(memprof-tables tools/tables.c)
target_link_libraries(memprof-tables PRIVATE memprof-cli)
target_include_directories(memprof-tables PRIVATE src)

install(FILES docs/memprof-report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/memprof)

# Pages for users; manual pages refer to them.
install(FILES docs/memprof-spool.service DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/memprof)
file(GLOB FORMAT_PAGES RELATIVE ${CMAKE_SOURCE_DIR}/docs CONFIGURE_DEPENDS docs/formats/*.md)
set(DOCS)
foreach(page exports.md fleet.md library.md manual.md scale.md security.md sql.md verdict.md ${FORMAT_PAGES})
  set(file ${CMAKE_BINARY_DIR}/docs/${page})
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR}/docs/${page} -DTARGET=${file}
            -P ${CMAKE_SOURCE_DIR}/cmake/installed_page.cmake
    DEPENDS docs/${page} cmake/installed_page.cmake VERBATIM)
  list(APPEND DOCS ${file})
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/memprof/${folder})
endforeach()
add_custom_target(docs ALL DEPENDS ${DOCS})

set(COMPLETIONS)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completions)
foreach(completion bash:memprof zsh:_memprof fish:memprof.fish)
  string(REGEX MATCH "^[a-z]+" shell ${completion})
  string(REGEX REPLACE "^[a-z]+:" "" name ${completion})
  set(file ${CMAKE_BINARY_DIR}/completions/${name})
  add_custom_command(OUTPUT ${file} COMMAND memprof-tables complete ${shell} > ${file}
    DEPENDS memprof-tables VERBATIM)
  list(APPEND COMPLETIONS ${file})
endforeach()
add_custom_target(completions ALL DEPENDS ${COMPLETIONS})
install(FILES ${CMAKE_BINARY_DIR}/completions/memprof
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completions/memprof.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Debian's zsh looks for completions of packages in another folder.
install(CODE "
  set(folder site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX MATCHES \"/usr/?$\")
    set(folder vendor-completions)
  endif()
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\"
       TYPE FILE FILES \"${CMAKE_BINARY_DIR}/completions/_memprof\")" COMPONENT memprof)

find_program(SCDOC scdoc)
mark_as_advanced(SCDOC)
if(NOT SCDOC)
  message(STATUS "scdoc was not found: the pages of the manual are not built (Debian: scdoc)")
  return()
endif()

file(GLOB PAGE_SOURCES CONFIGURE_DEPENDS docs/man/*.scd)
set(PAGES)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
foreach(source ${PAGE_SOURCES})
  get_filename_component(name ${source} NAME_WLE)
  set(page ${CMAKE_BINARY_DIR}/man/${name})
  add_custom_command(OUTPUT ${page}
    COMMAND memprof-tables page ${source} > ${page}.scd
    COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${MEMPROF_EPOCH} ${SCDOC} < ${page}.scd > ${page}
    DEPENDS memprof-tables ${source} VERBATIM)
  list(APPEND PAGES ${page})
  string(REGEX MATCH "[0-9]$" section ${name})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
add_custom_target(pages ALL DEPENDS ${PAGES})
