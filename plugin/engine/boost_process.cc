// The compiled part of Boost.Process v2: the library is header-only in this release but for this one inclusion, and
// process_environment links only so.
#include <boost/process/v2/src.hpp>
