# Installation by `cmake --install`: the command, and the library, which other programs find by pkg-config or
# by CMake's find_package. Each component is a package (packages.cmake).
include(CMakePackageConfigHelpers)

install(TARGETS memprof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(TARGETS libmemprof-shared EXPORT memprof
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libmemprof
                NAMELINK_COMPONENT libmemprof-dev)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME libmemprof-dev)
install(TARGETS libmemprof EXPORT memprof ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/memprof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Both files use paths relative to themselves, so the tree may be installed anywhere and moved.
set(PC_FOLDER ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PC_INCLUDE ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REPLACE ";" " " PC_REQUIRES "${MEMPROF_MODULES}")
set(PC_LIBRARIES "-pthread -lm")
configure_file(cmake/memprof.pc.in memprof.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/memprof.pc DESTINATION ${PC_FOLDER})

set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/memprof)
configure_file(cmake/memprof-config.cmake.in memprof-config.cmake @ONLY)
write_basic_package_version_file(memprof-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT memprof NAMESPACE memprof:: FILE memprof-targets.cmake DESTINATION ${PACKAGE_FOLDER})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/memprof-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/memprof-config-version.cmake
        DESTINATION ${PACKAGE_FOLDER})
