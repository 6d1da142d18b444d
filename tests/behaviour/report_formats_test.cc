// Reports of runs for other programs: annotations and a page for GitHub, traces and logs for OpenTelemetry. Also a
// message to a webhook, sent as docs/how-to/be-told-when-a-run-ends.md says.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "page_blocks.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(report_formats_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

struct Reported : Place {
  Finished wtool(std::vector<std::string> arguments, std::map<std::string, std::string> set = {}) const {
    arguments.insert(arguments.begin(), wtool_path);
    ProgramOptions options = here();
    options.set.merge(set);
    options.unset = {"GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"};
    for (const auto& [name, value] : options.set) std::erase(options.unset, name);
    return run(arguments, options);
  }
  // Build fails, and its output tries to pass as a GitHub command and as markup.
  std::string failing() const {
    return workflow("    [*] --> Prepare\n    Prepare --> Build\n    Build --> [*]\n",
                    "- Prepare: Log warning \"100% | <b>bold</b>\"\n"
                    "- Build: Shell \"printf 'x\\n::warning::from the output\\n</pre><script>\\n' >&2; exit 3\"\n");
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++times;
  return times;
}

const Json* attribute(const Json& of, const std::string& key) {
  for (const Json& one : of.at("attributes")) {
    if (one.at("key") == key) return &one.at("value");
  }
  return nullptr;
}

bool is_id(const Json& id, std::size_t size) {
  const std::string text = id.get<std::string>();
  return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos &&
         text.find_first_not_of('0') != std::string::npos;
}

// Accepts one HTTP request, and answers it.
class Webhook {
 public:
  Webhook() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(::listen(socket_, 4) == 0);
    BOOST_REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;
  ~Webhook() {
    end();
    ::close(socket_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hook"; }
  // Stops listening, and returns what was sent.
  std::string end() {
    ::shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    return got_;
  }

 private:
  void serve() {
    const int peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) return;
    char bytes[4096];
    while (!is_whole()) {
      const ssize_t size = ::recv(peer, bytes, sizeof bytes, 0);
      if (size <= 0) break;
      got_.append(bytes, static_cast<std::size_t>(size));
    }
    const std::string answer = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    if (::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) got_ += "(not answered)";
    ::close(peer);
  }
  bool is_whole() const {
    const std::size_t head = got_.find("\r\n\r\n");
    const std::size_t length = got_.find("Content-Length: ");
    return head != std::string::npos && length != std::string::npos &&
           got_.size() >= head + 4 + std::stoul(got_.substr(length + 16));
  }

  const int socket_;
  int port_ = 0;
  std::string got_;
  std::thread thread_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(report_formats, Reported)

BOOST_AUTO_TEST_CASE(a_failed_step_is_an_annotation_with_its_line) {
  BOOST_TEST(run_workflow(failing()).exit_code == 1);
  const Finished report =
      wtool({"report", "last", "--github"}, {{"GITHUB_WORKSPACE", fs::path(scratch.path()).parent_path()}});
  BOOST_TEST(report.exit_code == 0, report.err);
  const std::string folder = fs::path(scratch.path()).filename();
  BOOST_TEST(holds(report.out, "::error file=" + folder + "/workflow.md,line=18,title="), report.out);
  // Each line begins with a command of wtool. The run's own texts are escaped within these lines.
  BOOST_TEST(count(report.out, "\n") == 2U, report.out);
  BOOST_TEST(!holds(report.out, "\n::warning::from"), report.out);
  BOOST_TEST(holds(report.out, "%0A::warning::from the output"), report.out);
  BOOST_TEST(holds(report.out, "100%25 |"), report.out);
}

BOOST_AUTO_TEST_CASE(a_failure_that_the_workflow_handled_is_a_warning_even_if_the_run_fails_later) {
  const std::string file_ =
      workflow("    [*] --> A\n    A --> C: failure\n    A --> B\n    C --> B: failure\n    C --> B\n    B --> [*]\n",
               "- A: Shell \"echo from A; exit 3\"\n- C: Shell \"exit ${matrix.n}\" matrix={\"n\": [0, 5]}\n"
               "- B: Shell \"echo from B; exit 4\"\n");
  const Finished failed = run_workflow(file_);
  BOOST_TEST(failed.exit_code == 1);
  const std::string github = wtool({"report", "last", "--github"}).out;
  for (const char* step : {"%3A A::", "%3A C (5)::"}) {
    const std::size_t at = github.find(step);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, github);
    BOOST_TEST(github.substr(github.rfind('\n', at) + 1).starts_with("::warning "), github);
  }
  BOOST_TEST(count(github, "::error ") == 1U, github);
  BOOST_TEST(holds(github, "from B"), github);
  for (const std::string& out : {failed.out, wtool({"show", "last"}).out}) {
    BOOST_TEST(holds(out, "  Failed, and the workflow continued: A\n"), out);
    BOOST_TEST(holds(out, "  Failed, and the workflow continued: C (5)\n"), out);
    BOOST_TEST(out.find("  Failed: B\n") < out.find("  Failed, and the workflow continued: A\n"), out);
  }
}

BOOST_AUTO_TEST_CASE(the_page_of_the_step_is_added_to_its_file_without_markup_of_the_run) {
  BOOST_TEST(run_workflow(failing()).exit_code == 1);
  const std::string page = scratch.file("page.md", "before\n");
  BOOST_TEST(wtool({"report", "last", "--github"}, {{"GITHUB_STEP_SUMMARY", page}}).exit_code == 0);
  const std::string text = content_of(page);
  BOOST_TEST(text.starts_with("before\n## "), text);
  BOOST_TEST(holds(text, "| Build | failed |"), text);
  BOOST_TEST(!holds(text, "<script>"), text);
  BOOST_TEST(holds(text, "&lt;script&gt;"), text);
  BOOST_TEST(count(text, "<pre>") == count(text, "</pre>"));
  const Finished refused = wtool({"report", "last", "--github"}, {{"GITHUB_STEP_SUMMARY", "/dev/full"}});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "GITHUB_STEP_SUMMARY"), refused.err);
}

BOOST_AUTO_TEST_CASE(no_more_annotations_are_made_than_github_shows) {
  std::string diagram = "    [*] --> S0\n", actions;
  for (int i = 0; i < 14; ++i) {
    diagram += "    S" + std::to_string(i) + " --> " + (i == 13 ? "[*]" : "S" + std::to_string(i + 1)) + "\n";
    actions += "- S" + std::to_string(i) + ": Log warning \"w\"\n";
  }
  BOOST_TEST(run_workflow(workflow(diagram, actions)).exit_code == 0);
  const Finished report = wtool({"report", "last", "--github"});
  BOOST_TEST(count(report.out, "::warning ") == 10U, report.out);
  BOOST_TEST(holds(report.out, "4 more annotations"), report.out);
}

BOOST_AUTO_TEST_CASE(traces_have_a_span_for_the_run_and_for_each_step_below_it) {
  const std::string file_ = workflow(
      "    [*] --> Split\n    state Split <<fork>>\n    state Meet <<join>>\n    Split --> A\n    Split --> B\n"
      "    A --> Meet\n    B --> Meet\n    Meet --> C\n    C --> [*]\n",
      "- A: Shell \"echo from A\"\n- B: Log error \"careful\"\n- C: Shell \"test -e go\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  const Finished written = wtool({"report", "last", "--otlp", "telemetry"});
  BOOST_TEST(written.exit_code == 0, written.err);
  const Json traces = Json::parse(file("telemetry/traces.json"));
  const Json& spans = traces.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans");
  std::set<std::string> ids;
  std::map<std::string, const Json*> by_name;
  for (const Json& span : spans) {
    BOOST_TEST(is_id(span.at("traceId"), 32));
    BOOST_TEST(is_id(span.at("spanId"), 16));
    BOOST_TEST(span.at("traceId") == spans.at(0).at("traceId"));
    BOOST_TEST(ids.insert(span.at("spanId").get<std::string>()).second);
    BOOST_TEST(span.at("startTimeUnixNano").get<std::string>().size() == 19U);
    BOOST_TEST(std::stoll(span.at("endTimeUnixNano").get<std::string>()) >=
               std::stoll(span.at("startTimeUnixNano").get<std::string>()));
    by_name[span.at("name").get<std::string>()] = &span;
  }
  BOOST_TEST(!spans.at(0).contains("parentSpanId"));
  BOOST_TEST(spans.at(0).at("status").at("code") == 2);
  for (const Json& span : spans) {
    if (&span != &spans.at(0)) BOOST_TEST(ids.contains(span.at("parentSpanId").get<std::string>()));
  }
  BOOST_TEST(by_name.at("A")->at("parentSpanId") == by_name.at("Split")->at("spanId"));
  BOOST_TEST(by_name.at("C")->at("status").at("code") == 2);
  BOOST_TEST(attribute(*by_name.at("C"), "wtool.exit_code")->at("intValue") == "1");

  const Json logs = Json::parse(file("telemetry/logs.json"));
  const Json& records = logs.at("resourceLogs").at(0).at("scopeLogs").at(0).at("logRecords");
  bool has_output = false, has_log = false;
  for (const Json& record : records) {
    BOOST_TEST(ids.contains(record.at("spanId").get<std::string>()));
    BOOST_TEST(record.at("traceId") == spans.at(0).at("traceId"));
    const std::string body = record.at("body").at("stringValue").get<std::string>();
    has_output |= holds(body, "from A") && attribute(record, "log.iostream")->at("stringValue") == "stdout";
    has_log |= body == "careful" && record.at("severityNumber") == 17;
  }
  BOOST_TEST(has_output);
  BOOST_TEST(has_log);

  // The ids stay the same when the run is resumed.
  std::map<std::string, Json> before;
  for (const auto& [name, span] : by_name) before[name] = span->at("spanId");
  scratch.file("go", "");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(wtool({"report", "last", "--otlp", "telemetry"}).exit_code == 0);
  const Json later = Json::parse(file("telemetry/traces.json"));
  for (const Json& span : later.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans")) {
    BOOST_TEST(span.at("traceId") == spans.at(0).at("traceId"));
    BOOST_TEST(span.at("spanId") == before.at(span.at("name").get<std::string>()));
    if (span.contains("status")) BOOST_TEST(span.at("status").at("code") == 1);
  }
}

BOOST_AUTO_TEST_CASE(secrets_are_in_no_report) {
  const std::string file_ = scratch.file(
      "w.md",
      "---\nparameters:\n  - {name: token, secret: true}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n"
      "```\n## Actions\n- A: Shell \"echo $TOKEN; exit 1\" env={\"TOKEN\": \"${token}\"}\n");
  const std::string token = scratch.file("token", "hunter2hunter2\n");
  BOOST_TEST(run_workflow(file_, {"--var-file", "token=" + token}).exit_code == 1);
  const std::string page = scratch.file("page.md", "");
  const Finished report = wtool({"report", "last", "--github", "--otlp", "telemetry"}, {{"GITHUB_STEP_SUMMARY", page}});
  BOOST_TEST(report.exit_code == 0, report.err);
  for (const std::string& text :
       {report.out, content_of(page), file("telemetry/traces.json"), file("telemetry/logs.json")}) {
    BOOST_TEST(!text.empty());
    BOOST_TEST(!holds(text, "hunter2"), text);
  }
}

BOOST_AUTO_TEST_CASE(a_webhook_is_told_how_the_run_ended) {
  const fs::path page = fs::path(WTOOL_TEST_SOURCE_DIR) / "docs/how-to/be-told-when-a-run-ends.md";
  for (const PageBlock& block : read_blocks(content_of(page))) {
    const std::size_t blank = block.info.find(' ');
    if (blank == std::string::npos) continue;
    scratch.file(block.info.substr(blank + 1), block.text());
  }
  BOOST_REQUIRE(fs::exists(scratch.path() + "/tell.sh"));
  fs::create_directory(scratch.path() + "/bin");
  scratch.file("bin/notify-send", "#!/bin/sh\nprintf '%s|' \"$@\" > noted\n", 0755);
  for (const bool fails : {false, true}) {
    Webhook webhook;
    if (fails) scratch.file("broken", "");
    const Finished finished =
        wtool({"run", "nightly.md"},
              {{"TELL_URL", webhook.url()}, {"DISPLAY", ":0"}, {"PATH", scratch.path() + "/bin:/usr/bin:/bin"}});
    BOOST_TEST(finished.exit_code == (fails ? 1 : 0), finished.out << finished.err);
    const std::string got = webhook.end();
    BOOST_TEST(holds(got, "POST /hook"), got);
    BOOST_TEST(holds(got, fails ? "text=failed%3A" : "text=is+done"), got);
    BOOST_TEST(holds(file("noted"), fails ? "Nightly|failed: " : "Nightly|is done|"), file("noted"));
  }
  // If nobody listens at the address, the run does not fail because of that.
  fs::remove(scratch.path() + "/broken");
  std::string gone;
  {
    const Webhook webhook;
    gone = webhook.url();
  }
  BOOST_TEST(wtool({"run", "nightly.md"}, {{"TELL_URL", gone}}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_page_names_the_combinations_of_a_matrix_by_their_values) {
  workflow("    [*] --> Test\n    Test --> [*]\n",
           "- Test: Shell \"test ${matrix.size} = small\" matrix={\"size\": [\"small\", \"large\"]}\n");
  BOOST_TEST(wtool({"run", "workflow.md", "--html", "page.html"}).exit_code == 1);
  const std::string page = file("page.html");
  BOOST_TEST(holds(page, ">Test (large)</a>"), page);
  BOOST_TEST(holds(page, "<td>Test (small)"), page);
}

BOOST_AUTO_TEST_CASE(a_report_that_has_no_space_leaves_the_earlier_one_as_it_was) {
  workflow("    [*] --> A\n    A --> [*]\n", "- A: Log \"hi\"\n");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == 0);
  scratch.file("page.html", "the report of an earlier run");
  const Finished refused =
      run({"/bin/sh", "-c", "ulimit -f 1; exec '" + wtool_path + "' report last --html page.html"}, here());
  BOOST_TEST(refused.exit_code == 2, refused.out << refused.err);
  BOOST_TEST(holds(refused.err, "page.html: File too large"), refused.err);
  BOOST_TEST(file("page.html") == "the report of an earlier run");
}

// A file keeps its other names, and nothing of a longer text stays behind a shorter one.
BOOST_AUTO_TEST_CASE(a_report_replaces_the_content_of_its_file_and_not_the_file) {
  workflow("    [*] --> A\n    A --> [*]\n", "- A: Log \"hi\"\n");
  scratch.file("page.html", std::string(1000000, 'x'));
  fs::create_hard_link(fs::path(scratch.path()) / "page.html", fs::path(scratch.path()) / "other.html");
  BOOST_TEST(wtool({"run", "workflow.md", "--html", "page.html"}).exit_code == 0);
  const std::string page = file("other.html");
  BOOST_TEST(page.starts_with("<!"), page.substr(0, 100));
  BOOST_TEST(page.ends_with("</html>\n"), page.substr(page.size() - 100));
}

// In a cell of the table, a long line would push the status and the time off the page, and off the paper.
BOOST_AUTO_TEST_CASE(the_outputs_of_a_step_have_the_whole_width_of_a_page) {
  workflow("    [*] --> A\n    A --> B\n    B --> [*]\n",
           "- A: Wait 1 ms\n- B: Shell \"printf '%0900d\\n' 7 >&2; exit 1\"\n");
  BOOST_TEST(wtool({"run", "workflow.md", "--html", "page.html"}).exit_code == 1);
  const std::string page = file("page.html");
  const std::size_t row = page.find("<td>B</td>");
  BOOST_REQUIRE(row != std::string::npos);
  const std::size_t status = page.find("failed (exit code 1)</td>", row), line = page.find(std::string(300, '0'), row);
  const std::size_t outputs = page.find("<tr><td colspan=\"4\"><details", row);
  BOOST_TEST(status < outputs);
  BOOST_TEST(outputs < line);
  BOOST_TEST(line < page.find("</td></tr>", outputs));
  BOOST_TEST(!holds(page, " 1 bytes"), page);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
