// The compiled part of Boost.Process v2. This release is header-only except for this one file, without which
// process_environment does not link.
#include <boost/process/v2/src.hpp>
