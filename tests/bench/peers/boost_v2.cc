#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
// clang-format off: stdio.hpp uses what last_error.hpp declares, and does not include it.
#include <boost/process/v2/detail/last_error.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/src.hpp>
#include <boost/process/v2/stdio.hpp>
// clang-format on
#include <memory>
#include <vector>

#include "peers/boost_ways.h"

namespace wtool::bench {

Way boost_v2(const std::string& program) {
  namespace asio = boost::asio;
  namespace process = boost::process::v2;
  const auto context = std::make_shared<asio::io_context>();
  return timed([program, context] {
    asio::readable_pipe out(*context);
    asio::readable_pipe err(*context);
    process::process child(*context, program, std::vector<std::string>{}, process::process_stdio{nullptr, out, err});
    boost::system::error_code ended;  // End of file is how a stream ends.
    std::string out_text;
    asio::read(out, asio::dynamic_buffer(out_text), ended);
    std::string err_text;
    asio::read(err, asio::dynamic_buffer(err_text), ended);
    if (child.wait() != 0) throw Failure("the program failed");
  });
}

}  // namespace wtool::bench
