# Pages of the manual (man) and completions for shells, both made from the tables of the program.
# Without scdoc the pages are left out, and the build says so.
add_executable(memprof-tables tools/tables.c)
target_link_libraries(memprof-tables PRIVATE memprof-cli)
target_include_directories(memprof-tables PRIVATE src)

install(FILES docs/memprof-report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/memprof)

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
