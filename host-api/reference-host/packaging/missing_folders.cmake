# Run at the beginning of an installation: lists the prefix and the folders above it that do not exist yet.
set(made_for_prefix)
set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
while(folder AND NOT EXISTS "${folder}")
  list(APPEND made_for_prefix "${folder}")
  cmake_path(GET folder PARENT_PATH folder)
endwhile()
