# `cpack` makes the Debian packages memprof, libmemprofN and libmemprof-dev from the installed files. Each is
# a component (install.cmake). Here are their names and texts; packages/finish.cmake changes the files before
# they are packed.
set(MEMPROF_MAINTAINER "memprof authors <maintainers@memprof.invalid>" CACHE STRING
    "Maintainer of the packages: a name, and an address in angle brackets")
set(LIBRARY_PACKAGE libmemprof${MEMPROF_SOVERSION})

# Texts that every package contains about itself. Only packages install them.
file(READ LICENSE LICENSE_TEXT)
string(REGEX MATCH "Copyright [^\n]*" COPYRIGHT "${LICENSE_TEXT}")
string(REGEX REPLACE ".*Copyright [^\n]*\n\n" "" LICENSE_TEXT "${LICENSE_TEXT}")
string(STRIP "${LICENSE_TEXT}" LICENSE_TEXT)
string(REPLACE "\n\n" "\n.\n" LICENSE_TEXT "${LICENSE_TEXT}")
string(REPLACE "\n" "\n " LICENSE_TEXT "${LICENSE_TEXT}")
string(REPLACE "Copyright (c) " "" COPYRIGHT "${COPYRIGHT}")
set(ENV{SOURCE_DATE_EPOCH} ${MEMPROF_EPOCH})
string(TIMESTAMP MEMPROF_DAY "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/packages/copyright.in package/copyright @ONLY)
configure_file(cmake/packages/changelog.in package/changelog @ONLY)
configure_file(cmake/packages/shlibs.in package/shlibs @ONLY)
configure_file(cmake/packages/triggers package/triggers COPYONLY)
function(install_texts component package)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/copyright
                ${CMAKE_CURRENT_BINARY_DIR}/package/changelog
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES docs/changelog.md RENAME NEWS
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()
install_texts(memprof memprof)
install_texts(libmemprof ${LIBRARY_PACKAGE})
install_texts(libmemprof-dev libmemprof-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# dpkg-shlibdeps finds only what is linked.
set(CPACK_LIBMEMPROF_LOADED libsqlite3-0)
if(MEMPROF_ARCHIVE)
  list(APPEND CPACK_LIBMEMPROF_LOADED libarchive13)
endif()
if(MEMPROF_PPROF)
  list(APPEND CPACK_LIBMEMPROF_LOADED libprotobuf-c1)
endif()
if(MEMPROF_ARCHIVE OR MEMPROF_PPROF)
  list(APPEND CPACK_LIBMEMPROF_LOADED zlib1g)
endif()
set(CPACK_MEMPROF_LOADED ${CPACK_LIBMEMPROF_LOADED})
if(MEMPROF_BROWSE)
  list(APPEND CPACK_MEMPROF_LOADED libncursesw6)
endif()
if(MEMPROF_EDIT)
  list(APPEND CPACK_MEMPROF_LOADED libedit2)
endif()
set(CPACK_MEMPROF_EPOCH ${MEMPROF_EPOCH})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/packages/begin.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/packages/finish.cmake)

set(CPACK_COMPONENTS_ALL memprof libmemprof libmemprof-dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${MEMPROF_MAINTAINER})
set(CPACK_PACKAGE_CONTACT ${MEMPROF_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_MEMPROF_PACKAGE_NAME memprof)
set(CPACK_DEBIAN_MEMPROF_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_MEMPROF_PACKAGE_RECOMMENDS less)
set(CPACK_COMPONENT_MEMPROF_DESCRIPTION "analyzer of memory and execution profiles
It reads memory recordings and execution profiles of OpenEdge (ABL)
applications, heap logs and heap profiles of C, C++, Rust and Go programs,
leak reports of valgrind and LeakSanitizer, AQTime databases, and heap dumps
of Java, V8 and the .NET Compact Framework. It reports what leaks, what is
largest, what grows, and which code is responsible. It compares recordings,
and fails a build if memory use gets worse.")

set(CPACK_DEBIAN_LIBMEMPROF_PACKAGE_NAME ${LIBRARY_PACKAGE})
set(CPACK_DEBIAN_LIBMEMPROF_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBMEMPROF_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_BINARY_DIR}/package/shlibs;${CMAKE_CURRENT_BINARY_DIR}/package/triggers")
set(CPACK_COMPONENT_LIBMEMPROF_DESCRIPTION "analyzer of memory and execution profiles (library)
Programs use this library to read memory and execution profiles, and to get
the same answers as from the command line of memprof.")

set(CPACK_DEBIAN_LIBMEMPROF-DEV_PACKAGE_NAME libmemprof-dev)
set(CPACK_DEBIAN_LIBMEMPROF-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBMEMPROF-DEV_PACKAGE_DEPENDS "${LIBRARY_PACKAGE} (= ${PROJECT_VERSION}), \
libjansson-dev, libutf8proc-dev, uuid-dev")
set(CPACK_COMPONENT_LIBMEMPROF-DEV_DESCRIPTION "analyzer of memory and execution profiles (headers)
Headers, the static library, and files of pkg-config and CMake, to build
programs that read memory and execution profiles with libmemprof.")

include(CPack)
