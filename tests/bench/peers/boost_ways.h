// Boost.Process as shipped: a program without arguments, both of its streams captured, and waited for.
#pragma once

#include <string>

#include "way.h"

namespace wtool::bench {

Way boost_v1(const std::string& program);
Way boost_v2(const std::string& program);

}  // namespace wtool::bench
