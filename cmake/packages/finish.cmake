# cpack runs this when the files of all packages are staged. It makes them conform to Debian's rules.
cmake_policy(VERSION 3.25)
set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Everybody can read folders, whatever the umask is.
run(find ${stage} -type d -exec chmod 755 {} +)

# Compress texts, without time and name.
file(GLOB_RECURSE pages ${stage}/*/usr/share/man/*)
file(GLOB_RECURSE news ${stage}/*/usr/share/doc/*/NEWS ${stage}/*/usr/share/doc/*/changelog)
foreach(text ${pages} ${news})
  run(gzip -9 --no-name --force ${text})
endforeach()

# Remove sections that no program reads.
set(sections --remove-section=.comment --remove-section=.note)
file(GLOB_RECURSE archives ${stage}/*/usr/lib/*.a)
foreach(archive ${archives})
  run(strip --strip-debug --enable-deterministic-archives ${sections} ${archive})
endforeach()

# Do the same for programs and shared libraries, and find the packages of the libraries that they are linked
# with. CPack would run dpkg-shlibdeps too, but would then call ldconfig in scripts, where Debian uses
# triggers.
file(WRITE ${stage}/debian/control "Source: memprof\n\nPackage: memprof\nArchitecture: any\n")
foreach(component memprof libmemprof)
  file(GLOB_RECURSE binaries ${stage}/${component}/usr/bin/* ${stage}/${component}/usr/lib/*.so.*.*)
  run(strip ${sections} ${binaries})
  execute_process(COMMAND dpkg-shlibdeps --warnings=0 -O ${binaries} WORKING_DIRECTORY ${stage}
                  OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^shlibs:Depends=" "" depends "${depends}")
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS ${depends} ${CPACK_${component}_LOADED})
  list(JOIN CPACK_DEBIAN_${component}_PACKAGE_DEPENDS ", " CPACK_DEBIAN_${component}_PACKAGE_DEPENDS)
endforeach()
file(REMOVE_RECURSE ${stage}/debian)
