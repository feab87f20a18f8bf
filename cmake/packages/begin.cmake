# Run by cpack before all else. The first line of each package's description is its synopsis, instead of
# one for all; and files are packed with the day of the version, whenever that is done.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(ENV{SOURCE_DATE_EPOCH} ${CPACK_MEMPROF_EPOCH})
