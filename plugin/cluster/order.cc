#include "cluster/order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "cluster/cbor.h"

namespace wtool::cluster {

namespace {

using nlohmann::json;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::chrono::years longest{100};

std::string to_cbor(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

json names_json(const std::vector<engine::ProcessName>& names) {
  json list = json::array();
  for (const engine::ProcessName& name : names) list.push_back({name.pid, name.name});
  return list;
}

[[noreturn]] void throw_no_such_value() { throw json::other_error::create(501, "no such value", nullptr); }

// Reads a whole number that fits its type; the library's own conversion would silently truncate it.
template <typename Number>
Number whole(const json& from) {
  const bool fits = from.is_number_unsigned()  ? std::in_range<Number>(from.get<std::uint64_t>())
                    : from.is_number_integer() ? std::in_range<Number>(from.get<std::int64_t>())
                                               : false;
  if (!fits) throw_no_such_value();
  return from.get<Number>();
}

// Reads a time that is short enough to be added to a time of the clock.
template <typename Duration>
Duration duration(const json& from) {
  const Duration value(whole<std::int64_t>(from));
  if (value < Duration::zero() || value > longest) throw_no_such_value();
  return value;
}

double amount(const json& from) {
  const auto value = from.get<double>();
  if (!std::isfinite(value)) throw_no_such_value();
  return value;
}

// Reads a value of an enumeration, whose last value is `last`.
template <typename Enumeration>
Enumeration checked(const json& number, Enumeration last) {
  const int value = whole<int>(number);
  if (value < 0 || value > static_cast<int>(last)) throw_no_such_value();
  return static_cast<Enumeration>(value);
}

std::vector<engine::ProcessName> names_of(const json& list) {
  std::vector<engine::ProcessName> names;
  for (const json& entry : list) names.push_back({whole<int>(entry.at(0)), entry.at(1).get<std::string>()});
  return names;
}

// Writes each alternative by name, since a number would change its meaning when alternatives are added.
struct TerminationWriter {
  json operator()(const engine::Exited& how) const { return {{"how", "exited"}, {"status", how.status}}; }
  json operator()(const engine::Signalled& how) const { return {{"how", "signalled"}, {"signal", how.signal}}; }
  json operator()(const engine::TimedOut& how) const { return {{"how", "timed_out"}, {"begun", how.begun}}; }
  json operator()(const engine::Cancelled& how) const {
    return {{"how", "cancelled"}, {"detail", how.reason}, {"begun", how.begun}};
  }
  json operator()(const engine::Exhausted& how) const {
    json out{{"how", "exhausted"}, {"limit", static_cast<int>(how.limit)}, {"used", how.used}};
    if (how.status) out["status"] = *how.status;
    return out;
  }
  json operator()(const engine::NotStarted& how) const {
    return {
        {"how", "not_started"}, {"stage", static_cast<int>(how.stage)}, {"error", how.error}, {"detail", how.detail}};
  }
  json operator()(const engine::Lost& how) const {
    return {{"how", "lost"}, {"detail", how.detail}, {"hint", how.hint}};
  }
  // A command on a node never takes another node, so these two alternatives do not occur.
  json operator()(const engine::NodeLost& how) const { return (*this)(engine::Lost{how.detail}); }
  json operator()(const engine::NoNode& how) const { return (*this)(engine::Lost{how.detail}); }
};

engine::Termination termination_of(const json& from) {
  const auto how = from.at("how").get<std::string>();
  const auto text = [&](const char* key) { return from.at(key).get<std::string>(); };
  if (how == "exited") return engine::Exited{whole<int>(from.at("status"))};
  if (how == "signalled") return engine::Signalled{whole<int>(from.at("signal"))};
  if (how == "timed_out") return engine::TimedOut{from.at("begun").get<bool>()};
  if (how == "cancelled") return engine::Cancelled{text("detail"), from.at("begun").get<bool>()};
  if (how == "exhausted") {
    engine::Exhausted exhausted{checked(from.at("limit"), engine::LimitName::file_bytes), amount(from.at("used")), {}};
    if (from.contains("status")) exhausted.status = whole<int>(from.at("status"));
    return exhausted;
  }
  if (how == "not_started") {
    using Stage = engine::NotStarted::Stage;
    return engine::NotStarted{checked(from.at("stage"), Stage::sandbox), whole<int>(from.at("error")), text("detail")};
  }
  return engine::Lost{text("detail"), text("hint")};
}

json outcome_json(const engine::CommandOutcome& outcome) {
  json out = std::visit(TerminationWriter{}, outcome.termination);
  out["duration_ms"] = outcome.duration.count();
  out["background_count"] = outcome.background_count;
  out["background"] = names_json(outcome.background_names);
  out["unkillable_count"] = outcome.unkillable.count;
  out["unkillable"] = names_json(outcome.unkillable.names);
  out["in_cgroup"] = outcome.in_cgroup;
  if (outcome.resources) {
    const engine::Resources& used = *outcome.resources;
    out["resources"] = {used.user.count(), used.system.count(), used.peak_memory_kib, used.processes};
  }
  return out;
}

engine::CommandOutcome outcome_of(const json& from) {
  engine::CommandOutcome outcome;
  outcome.termination = termination_of(from);
  outcome.duration = duration<milliseconds>(from.at("duration_ms"));
  outcome.background_count = whole<std::uint32_t>(from.at("background_count"));
  outcome.background_names = names_of(from.at("background"));
  outcome.unkillable.count = whole<std::uint32_t>(from.at("unkillable_count"));
  outcome.unkillable.names = names_of(from.at("unkillable"));
  outcome.in_cgroup = from.at("in_cgroup").get<bool>();
  if (from.contains("resources")) {
    const json& used = from.at("resources");
    outcome.resources = engine::Resources{duration<microseconds>(used.at(0)), duration<microseconds>(used.at(1)),
                                          whole<std::uint64_t>(used.at(2)), whole<std::uint32_t>(used.at(3))};
  }
  return outcome;
}

json report_json(const engine::SandboxReport& report) {
  json aside = json::array();
  for (const engine::PutAside& one : report.put_aside) aside.push_back({one.path, one.to, one.error});
  return {{"enforced", report.enforced},
          {"lifted", report.lifted},
          {"not_enforced", report.not_enforced},
          {"refused", report.refused},
          {"protected_changed", report.protected_changed},
          {"put_aside", std::move(aside)}};
}

engine::SandboxReport report_of(const json& from) {
  const auto texts = [&](const char* key) { return from.at(key).get<std::vector<std::string>>(); };
  engine::SandboxReport report;
  report.enforced = texts("enforced");
  report.lifted = texts("lifted");
  report.not_enforced = texts("not_enforced");
  report.refused = texts("refused");
  report.protected_changed = texts("protected_changed");
  for (const json& one : from.at("put_aside")) {
    report.put_aside.push_back(
        {one.at(0).get<std::string>(), one.at(1).get<std::string>(), one.at(2).get<std::string>()});
  }
  return report;
}

// How deeply arrays and objects may be nested; orders and answers need less. There is a limit because the reader
// recurses.
constexpr int deepest = 8;

template <typename Value>
std::optional<Value> read(std::string_view bytes, Value (*from)(json&)) {
  try {
    std::optional<json> all = read_cbor(bytes, deepest);
    if (!all || !all->is_object()) return std::nullopt;
    return from(*all);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// Moves the texts out of `from`.
Order order_of(json& from) {
  const auto text = [](json& value) { return std::move(value.get_ref<std::string&>()); };
  const auto texts = [&](const char* key) {
    auto& list = from.at(key).get_ref<json::array_t&>();
    std::vector<std::string> all(list.size());
    std::transform(list.begin(), list.end(), all.begin(), text);
    return all;
  };
  const auto flag = [&](const char* key) { return from.at(key).get<bool>(); };
  Order order;
  order.paths = texts("paths");
  order.arguments = texts("arguments");
  order.variables = texts("variables");
  order.shell = from.at("shell").get<std::string>();
  order.directory = from.at("directory").get<std::string>();
  if (from.contains("standard_input")) order.standard_input = from.at("standard_input").get<std::string>();
  order.grace = duration<milliseconds>(from.at("grace_ms"));
  order.time_limit = duration<milliseconds>(from.at("time_limit_ms"));
  order.capture_bytes = whole<std::size_t>(from.at("capture_bytes"));
  order.merged = flag("merged");
  order.keep = flag("keep");
  order.lifts_network = flag("lifts_network");
  order.tells_start = flag("tells_start");
  order.in_session = flag("in_session");
  order.session = from.at("session").get<std::string>();
  order.ends_session = flag("ends_session");
  if (from.contains("limits")) order.limits = from.at("limits").get<std::string>();
  return order;
}

OrderAnswer answer_of(json& from) {
  OrderAnswer answer;
  if (from.contains("refusal")) {
    const json& refusal = from.at("refusal");
    answer.result = engine::SandboxRefusal{refusal.at(0).get<std::string>(), refusal.at(1).get<std::string>(),
                                           refusal.at(2).get<std::string>()};
  } else {
    answer.result = outcome_of(from.at("outcome"));
  }
  if (from.contains("report")) answer.report = report_of(from.at("report"));
  answer.kept = from.at("kept").get<bool>();
  answer.session = from.at("session").get<std::string>();
  return answer;
}

}  // namespace

std::string to_bytes(const Order& order) {
  CborObject out;
  out.add("paths", order.paths);
  out.add("arguments", order.arguments);
  out.add("variables", order.variables);
  out.add("shell", order.shell);
  out.add("directory", order.directory);
  out.add("grace_ms", order.grace.count());
  out.add("time_limit_ms", order.time_limit.count());
  out.add("capture_bytes", order.capture_bytes);
  out.add("merged", order.merged);
  out.add("keep", order.keep);
  out.add("lifts_network", order.lifts_network);
  out.add("tells_start", order.tells_start);
  out.add("in_session", order.in_session);
  out.add("session", order.session);
  out.add("ends_session", order.ends_session);
  if (!order.limits.empty()) out.add("limits", order.limits);
  if (order.standard_input) out.add("standard_input", *order.standard_input);
  return out.bytes();
}

std::string to_bytes(const OrderAnswer& answer) {
  json out{{"kept", answer.kept}, {"session", answer.session}};
  if (const auto* refusal = std::get_if<engine::SandboxRefusal>(&answer.result)) {
    out["refusal"] = {refusal->code, refusal->message, refusal->hint};
  } else {
    out["outcome"] = outcome_json(std::get<engine::CommandOutcome>(answer.result));
  }
  if (answer.report) out["report"] = report_json(*answer.report);
  return to_cbor(out);
}

std::optional<Order> read_order(std::string_view bytes) {
  std::optional<Order> order = read(bytes, order_of);
  const bool runs = order && !order->paths.empty() && !order->arguments.empty();
  return runs || (order && order->ends_session) ? std::move(order) : std::nullopt;
}

std::optional<OrderAnswer> read_answer(std::string_view bytes) { return read(bytes, answer_of); }

bool is_of_node(std::string_view name) {
  constexpr std::array<std::string_view, 6> devices{"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                                    "HIP_VISIBLE_DEVICES",  "ROCR_VISIBLE_DEVICES",
                                                    "ZE_AFFINITY_MASK",     "NVIDIA_VISIBLE_DEVICES"};
  return name.starts_with("SLURM") || std::find(devices.begin(), devices.end(), name) != devices.end();
}

}  // namespace wtool::cluster
