# Run at the beginning of an installation: which folders it has to make before anything can be in its prefix.
set(made_for_prefix)
set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
while(folder AND NOT EXISTS "${folder}")
  list(APPEND made_for_prefix "${folder}")
  cmake_path(GET folder PARENT_PATH folder)
endwhile()
