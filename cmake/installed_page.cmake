# Install a page of docs without links to files that are not installed: manual pages are named as for man, and
# of other links and of pictures only the text remains.
#
#   cmake -DSOURCE=docs/manual.md -DTARGET=.../manual.md -P installed_page.cmake
file(READ "${SOURCE}" text)
string(REGEX REPLACE "!\\[[^]]*\\]\\([^)]*\\)\n*" "" text "${text}")
string(REGEX REPLACE "\\[(memprof[a-z-]*\\([15]\\))\\]\\([^)]*\\)" "\\1" text "${text}")
string(REGEX REPLACE "\\[[a-z]+\\]\\([^)]*man/(memprof-[a-z]+)\\.([15])\\.scd[^)]*\\)" "\\1(\\2)" text "${text}")
string(REGEX REPLACE "\\[([^]]*)\\]\\([^)]*man/(memprof[a-z-]*)\\.([15])\\.scd[^)]*\\)" "\\1 (\\2(\\3))"
       text "${text}")
get_filename_component(folder "${SOURCE}" DIRECTORY)
get_filename_component(folder "${folder}" NAME)
set(elsewhere "\\.\\./|man/|grafana/|memprof-report\\.schema")
if(folder STREQUAL "formats")
  set(elsewhere "\\.\\./\\.\\./")
endif()
string(REGEX REPLACE "\\[([^]]*)\\]\\((${elsewhere})[^)]*\\)" "\\1" text "${text}")
file(WRITE "${TARGET}" "${text}")
