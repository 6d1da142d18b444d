# Without SOURCE_DATE_EPOCH, packages have this date: today's date would make two packages of one build differ. This
# file is read where the changelog is written, and by cpack before it makes the packages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} 499162500)
endif()
