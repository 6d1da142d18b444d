# Run at the end of an installation: lets everybody read and enter the folders that the installation has made. CMake
# sets the permissions of installed files, but leaves the permissions of folders to the umask: a package that root made
# under 077 would work only for root.
#
# A folder was made by the installation if it contains nothing but installed files. For the prefix and the folders above
# it, `made_for_prefix` says which of them did not exist before. With DESTDIR, whose content becomes a package, the
# prefix is treated like any folder below it.
set(root "$ENV{DESTDIR}")
if(root)
  cmake_path(ABSOLUTE_PATH root NORMALIZE)
  string(REGEX REPLACE "/$" "" root "${root}")
endif()
set(ours)
set(above)
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  list(APPEND ours "${root}${file}")
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${folder}" is_below)
  while(is_below AND NOT folder STREQUAL CMAKE_INSTALL_PREFIX AND NOT folder STREQUAL "/")
    list(APPEND above "${root}${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
if(root)
  list(APPEND above "${root}${CMAKE_INSTALL_PREFIX}")
endif()
list(REMOVE_DUPLICATES above)
list(SORT above ORDER DESCENDING)  # a folder comes after the folders in it
set(made ${made_for_prefix})
foreach(folder IN LISTS above)
  file(GLOB inside LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
  list(REMOVE_ITEM inside ${ours})
  if(NOT inside)
    list(APPEND ours "${folder}")
    list(APPEND made "${folder}")
  endif()
endforeach()
foreach(folder IN LISTS made)
  if(IS_DIRECTORY "${folder}")
    file(CHMOD "${folder}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
