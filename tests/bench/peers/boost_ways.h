// Boost.Process as shipped runs a program without arguments, captures both of its streams, and waits for it.
#pragma once

#include <string>

#include "way.h"

namespace wtool::bench {

Way boost_v1(const std::string& program);
Way boost_v2(const std::string& program);

}  // namespace wtool::bench
