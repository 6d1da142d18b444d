#include "cli/report_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/new_file.h"
#include "cli/output.h"
#include "report/formats.h"

namespace wtool::host {

bool write_report(const std::string& file, std::string_view text) {
  if (file == "-") return print(text);
  std::string why;
  Descriptor opened = open_without_links(file, O_WRONLY | O_CREAT | O_TRUNC, 0666, why);
  int failed = opened ? write_all(opened.get(), text).error : 0;
  // Some file systems tell only here that there was no space.
  if (opened && ::close(opened.release()) != 0 && failed == 0) failed = errno;
  if (failed != 0) why = ::strerror(failed);
  if (!why.empty()) complain("cannot write " + file + ": " + why);
  return why.empty();
}

bool write_reports(const journal::RunRecord& run, const workflow::Workflow* workflow, const std::string& junit,
                   const std::string& html) {
  const bool junit_done = junit.empty() || write_report(junit, report::junit_xml(run));
  const bool html_done = html.empty() || write_report(html, report::html_report(run, workflow));
  return junit_done && html_done;
}

}  // namespace wtool::host
