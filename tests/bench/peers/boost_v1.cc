#include <boost/process.hpp>
#include <iterator>

#include "peers/boost_ways.h"

namespace wtool::bench {

Way boost_v1(const std::string& program) {
  return timed([program] {
    namespace process = boost::process;
    process::ipstream out;
    process::ipstream err;
    process::child child(process::exe = program, process::std_in<process::null, process::std_out> out,
                         process::std_err > err);
    const std::string out_text(std::istreambuf_iterator<char>(out), {});
    const std::string err_text(std::istreambuf_iterator<char>(err), {});
    child.wait();
    if (child.exit_code() != 0) throw Failure("the program failed");
  });
}

}  // namespace wtool::bench
