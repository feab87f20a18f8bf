# cpack runs this first. The first line of each package's description becomes its synopsis, instead of one
# synopsis for all. Packed files get the date of the version, so packages are reproducible.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(ENV{SOURCE_DATE_EPOCH} ${CPACK_MEMPROF_EPOCH})
