# Run at the end of an installation: records the prefix, and then the installed files, one on each line, for the target
# `uninstall`. CMake's own list has only the last installation from this build. With DESTDIR, the files become a package,
# which its package manager removes, so nothing is recorded.
if("$ENV{DESTDIR}" STREQUAL "")
  string(SHA256 name "${CMAKE_INSTALL_PREFIX}")
  string(SUBSTRING "${name}" 0 16 name)
  set(record "${record_folder}/installed_in_${name}.txt")
  set(lines "${CMAKE_INSTALL_PREFIX}")
  if(EXISTS "${record}")
    file(STRINGS "${record}" lines)
  endif()
  list(APPEND lines ${CMAKE_INSTALL_MANIFEST_FILES})
  list(REMOVE_DUPLICATES lines)
  list(JOIN lines "\n" lines)
  file(WRITE "${record}" "${lines}\n")
endif()
