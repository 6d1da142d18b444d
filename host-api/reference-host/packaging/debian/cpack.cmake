# The date that packages have without SOURCE_DATE_EPOCH. Read where the changelog is written, and by cpack before it makes the
# packages: the date of the day would make two packages of one build differ.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(ENV{SOURCE_DATE_EPOCH} 499162500)
endif()
