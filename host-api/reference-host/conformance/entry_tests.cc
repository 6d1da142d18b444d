// Tests of the library, its descriptors, and its life from init to deinit.
#include <dlfcn.h>
#include <stdio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <thread>

#include "base/json_reader.h"
#include "base/json_schema.h"
#include "base/utf8.h"
#include "conformance/guarded.h"
#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;

constexpr std::uint32_t max_tools = 1000;
constexpr std::size_t max_text = 1 << 20;
constexpr std::uint32_t all_hints =
    WTOOL_HINT_READ_ONLY | WTOOL_HINT_DESTRUCTIVE | WTOOL_HINT_IDEMPOTENT | WTOOL_HINT_OPEN_WORLD | WTOOL_HINT_LIMITS;

// "1.2.3", and perhaps more after a '-' or '+'.
bool is_semantic(std::string_view version) {
  const std::string_view numbers = version.substr(0, version.find_first_of("-+"));
  int dots = 0;
  char before = '.';
  for (const char c : numbers) {
    if (c == '.') {
      ++dots;
    } else if (c < '0' || c > '9') {
      return false;
    }
    if (c == '.' && before == '.') return false;
    before = c;
  }
  return dots == 2 && before != '.';
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Checks the examples and defaults of the schema and of its properties.
void check_examples(Trial& trial, const std::string& id, const json& whole, const char* which) {
  const auto check = [&](const json& schema, const std::string& place) {
    json given = schema.value("examples", json::array());
    if (schema.contains("default")) given.push_back(schema["default"]);
    json by = schema;
    if (whole.contains("$defs")) by["$defs"] = whole["$defs"];
    for (const json& value : given) {
      if (const std::string mistake = instance_mistake(value, by); !mistake.empty()) {
        trial.report.finding("schema-examples", std::string("in the ") + which + " schema of " + id + ", " + place +
                                                    " gives a value that is not valid: " + mistake);
      }
    }
  };
  check(whole, "the schema");
  const json properties = whole.value("properties", json::object());
  for (const auto& [name, schema] : properties.items()) {
    if (schema.is_object()) check(schema, '"' + name + '"');
  }
}

json read_schema(Trial& trial, const std::string& id, std::string_view content, const char* rule, const char* which) {
  const auto wrong = [&](const std::string& what) {
    trial.report.finding(rule, std::string("the ") + which + " schema of " + id + what);
    return json();
  };
  json schema = parse_json(content);
  if (schema.is_discarded()) return wrong(" is not JSON: " + in_quotes(content));
  if (std::string mistake = schema_mistake(schema); !mistake.empty()) return wrong(" is not well-formed: " + mistake);
  if (!schema.is_object()) return wrong(" is not a JSON object: " + in_quotes(content));
  if (const auto draft = schema.find("$schema"); draft != schema.end() && *draft != newest_schema) {
    return wrong(" is of another draft than 2020-12: " + draft->dump());
  }
  check_examples(trial, id, schema, which);
  return schema;
}

// The facts of one descriptor, for the parent. Null: it cannot be read.
json read_descriptor(Trial& trial, const wtool_descriptor& from, std::uint32_t number) {
  const std::string name = "the descriptor number " + std::to_string(number);
  if (!WTOOL_HAS(&from, output_schema)) {
    trial.report.finding("descriptor-whole", name + " has struct_size " + std::to_string(from.struct_size) +
                                                 "; version 1.0 has " + std::to_string(sizeof from));
    return {};
  }
  const struct {
    const char* what;
    wtool_view view;
    bool needed;
  } texts[] = {{"id", from.id, false},
               {"title", from.title, true},
               {"version", from.version, true},
               {"description", from.description, true},
               {"input_schema", from.input_schema, false},
               {"output_schema", from.output_schema, false}};
  for (const auto& row : texts) {
    if (is_hollow(row.view) || row.view.size > max_text) {
      trial.report.finding("descriptor-whole", name + " has a text " + row.what + " of " +
                                                   std::to_string(row.view.size) + " bytes, " +
                                                   (is_hollow(row.view) ? "but no data" : "which is more than 1 MiB"));
      return {};
    }
    if (!is_utf8(text(row.view)) || (row.needed && text(row.view).empty())) {
      trial.report.finding("descriptor-text", "the " + std::string(row.what) + " of " + name + " is " +
                                                  in_quotes(text(row.view)) +
                                                  (row.view.size == 0 ? "" : ", which is not UTF-8"));
    }
  }
  const std::string id(text(from.id));
  if (!is_id(id)) trial.report.finding("descriptor-id", "the id of " + name + " is " + in_quotes(id));
  if (!is_semantic(text(from.version))) {
    trial.report.finding("descriptor-text", "the version of " + id + " is " + in_quotes(text(from.version)));
  }
  if ((from.hints & ~all_hints) != 0) {
    trial.report.finding("descriptor-hints", "the hints of " + id + " are " + std::to_string(from.hints) +
                                                 ", which has unknown bits: all known hints together are " +
                                                 std::to_string(all_hints));
  }
  const json input = read_schema(trial, id, text(from.input_schema), "input-schema", "input");
  if (input.is_object() && input.value("type", json()) != "object") {
    trial.report.finding("input-schema", "the input schema of " + id + " has the type " +
                                             input.value("type", json()).dump() + ", not \"object\"");
  }
  const json output = from.output_schema.size == 0
                          ? json()
                          : read_schema(trial, id, text(from.output_schema), "output-schema", "output");
  return {{"id", id}, {"hints", from.hints}, {"input", input}, {"output", output}};
}

// What a test puts into *out, to see whether the plugin changes it.
const auto* const poison = reinterpret_cast<const wtool_tool*>(std::uintptr_t{0x5a5a5a58});

// Calls tool_new, which must fail with the status `wanted`. If `wanted` is WTOOL_OK, any failure will do.
void refused(Trial& trial, const wtool_entry& entry, std::string_view id, std::string_view config, const char* rule,
             const std::string& doing, wtool_status wanted) {
  trial.report.step(rule, "in tool_new " + doing);
  const wtool_tool* tool = poison;
  TestBlob error;
  const wtool_status status = entry.tool_new(view(id), view(config), &tool, error.out());
  const std::string why = read_error(trial.report, *error.out(), "tool_new " + doing);
  if (status == WTOOL_OK || (wanted != WTOOL_OK && status != wanted)) {
    trial.report.finding(rule, "tool_new " + doing + " returned " + status_name(status) +
                                   (wanted == WTOOL_OK ? std::string{} : ", not " + status_name(wanted)));
  }
  if (status != WTOOL_OK && tool != poison) {
    trial.report.finding("outputs", "tool_new " + doing + " failed, but changed *out");
  }
  if (status == WTOOL_OK) return;
  trial.report.step("error", "in tool_new " + doing + " with error NULL");
  entry.tool_new(view(id), view(config), &tool, nullptr);
}

}  // namespace

void test_load(Trial& trial) {
  const PluginLibrary library(trial);
  if (library.handle() == nullptr) {
    const char* why = ::dlerror();
    trial.report.finding("loads", std::string("dlopen says ") + in_quotes(why == nullptr ? "nothing" : why));
    return;
  }
  trial.report.fact("loaded", true);
  const wtool_entry* entry = library.entry();
  if (entry == nullptr) {
    trial.report.finding("symbol", "there is no symbol " WTOOL_ENTRY_SYMBOL);
    return;
  }
  trial.report.step("entry", "reading the entry");
  if (!WTOOL_HAS(entry, abi_major) || entry->abi_major != WTOOL_ABI_MAJOR) {
    trial.report.finding("version", "the entry of struct_size " + std::to_string(entry->struct_size) +
                                        " says version " + std::to_string(entry->abi_major));
    return;
  }
  if (!WTOOL_HAS(entry, tool_new)) {
    trial.report.finding("entry", "the entry's struct_size is " + std::to_string(entry->struct_size) +
                                      "; version 1.0 has " + std::to_string(sizeof(wtool_entry)));
    return;
  }
  if (entry->init == nullptr || entry->deinit == nullptr || entry->tool_count == nullptr || entry->tool_at == nullptr ||
      entry->tool_new == nullptr) {
    trial.report.finding("entry", "one of init, deinit, tool_count, tool_at and tool_new is NULL");
    return;
  }
  if (entry->flags != 0) trial.report.finding("entry", "the entry's flags are " + std::to_string(entry->flags));
  if (text(entry->plugin_name).empty() || !is_utf8(text(entry->plugin_name)) ||
      !is_semantic(text(entry->plugin_version))) {
    trial.report.finding("entry", "the plugin's name is " + in_quotes(text(entry->plugin_name)) + " and its version " +
                                      in_quotes(text(entry->plugin_version)));
  }
  trial.report.fact("plugin", {{"name", text(entry->plugin_name)}, {"version", text(entry->plugin_version)}});
}

void test_describe(Trial& trial) {
  const PluginLibrary library(trial);
  const wtool_entry& entry = *library.entry();
  trial.report.step("descriptor-list", "in tool_count");
  const std::uint32_t count = entry.tool_count();
  if (count == 0 || count > max_tools) {
    trial.report.finding("descriptor-list", "tool_count is " + std::to_string(count) + "; 1 to " +
                                                std::to_string(max_tools) + " are allowed");
    return;
  }
  json facts = json::array();
  std::vector<std::string> ids;
  bool readable = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    trial.report.step("descriptor-list", "in tool_at of " + std::to_string(i));
    const wtool_descriptor* descriptor = entry.tool_at(i);
    if (descriptor == nullptr || entry.tool_at(i) != descriptor) {
      trial.report.finding("descriptor-list", "tool_at of " + std::to_string(i) +
                                                  (descriptor == nullptr ? " is NULL" : " gave two addresses"));
      readable = readable && descriptor != nullptr;
      if (descriptor == nullptr) continue;
    }
    trial.report.step("descriptor-whole", "reading the descriptor number " + std::to_string(i));
    json fact = read_descriptor(trial, *descriptor, i);
    if (fact.is_null()) {
      readable = false;
      continue;
    }
    const std::string id = fact["id"];
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      trial.report.finding("descriptor-id", "the id " + in_quotes(id) + " occurs twice");
    }
    ids.push_back(id);
    if (fact["input"].is_object()) facts.push_back(std::move(fact));
  }
  for (const std::uint32_t beyond : {count, 0xffffffffU}) {
    trial.report.step("descriptor-list", "in tool_at of " + std::to_string(beyond));
    if (entry.tool_at(beyond) != nullptr) {
      trial.report.finding("descriptor-list", "tool_at of " + std::to_string(beyond) +
                                                  " is not NULL, but tool_count is " + std::to_string(count));
    }
  }
  if (readable) trial.report.fact("tools", facts);
}

void test_start(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  std::vector<MadeTool> made;
  for (const std::string& id : trial.ids) {
    made.emplace_back(trial, plugin, id);
    if (!made.back().good()) return;
  }
  for (MadeTool& tool : made) tool.end();
  plugin.end();
  trial.report.fact("works", true);
}

void test_order(Trial& trial) {
  const PluginLibrary library(trial);
  const wtool_entry& entry = *library.entry();
  const std::string& id = trial.ids.front();
  const wtool_host host = plain_host();
  refused(trial, entry, id, trial.configuration, "tool-between", "before init", WTOOL_OK);
  for (int i = 0; i < 3; ++i) {
    const char* rule = i == 0 ? "init" : "init-again";
    trial.report.step(rule, "in init");
    TestBlob reason;
    if (const wtool_status status = entry.init(&host, reason.out()); status != WTOOL_OK) {
      trial.report.finding(rule, "init number " + std::to_string(i + 1) +
                                     " (each but the first follows a deinit) returned " + status_name(status));
      return;
    }
    TestBlob error;
    trial.report.step("init-once", "in a second init");
    if (const wtool_status status = entry.init(&host, error.out()); status == WTOOL_OK) {
      trial.report.finding("init-once", "a second init returned WTOOL_OK");
      return;
    }
    read_error(trial.report, *error.out(), "a second init");
    trial.report.step(rule, "in tool_new after init");
    MadeTool tool(trial, library, id);
    tool.end();
    trial.report.step("deinit", "in deinit");
    entry.deinit();
    refused(trial, entry, id, trial.configuration, "tool-between", "after deinit", WTOOL_OK);
  }
}

void test_hosts(Trial& trial) {
  const PluginLibrary library(trial);
  const wtool_entry& entry = *library.entry();
  const auto must_refuse = [&](const wtool_host* host, const char* rule, const std::string& doing) {
    trial.report.step(rule, "in init " + doing);
    TestBlob error;
    const wtool_status status = entry.init(host, error.out());
    read_error(trial.report, *error.out(), "init " + doing);
    if (status == WTOOL_E_INVALID_ARGUMENT) return;
    trial.report.finding(rule, "init " + doing + " returned " + status_name(status) + ", not WTOOL_E_INVALID_ARGUMENT");
    if (status == WTOOL_OK) entry.deinit();
  };
  must_refuse(nullptr, "null", "without a host");
  const wtool_host whole = plain_host();
  for (const std::uint32_t size : {8U, 16U, 48U}) {
    Guarded<wtool_host> small(whole, size);
    must_refuse(small.get(), "size-small", "with a host of struct_size " + std::to_string(size));
  }
  Enlarged<wtool_host> large(whole);
  trial.report.step("size-large", "in init with a larger host");
  const wtool_status status = entry.init(large.get(), nullptr);
  if (status != WTOOL_OK) {
    trial.report.finding("size-large", "init with a larger host returned " + status_name(status));
  } else {
    trial.report.step("deinit", "in deinit");
    entry.deinit();
  }
}

void test_unknown_tool(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  for (const std::string& id : {std::string("no_such_tool_is_here"), std::string(), trial.ids.front() + "_2",
                                std::string(100'000, 'a'), std::string("\xff\0", 2)}) {
    refused(trial, *plugin.entry(), id, "", "tool-unknown", "of " + in_quotes(id), WTOOL_E_UNSUPPORTED);
  }
  trial.report.step("null", "in tool_new without an out");
  TestBlob error;
  const wtool_status status = plugin.entry()->tool_new(view(trial.ids.front()), view(""), nullptr, error.out());
  if (status != WTOOL_E_INVALID_ARGUMENT) {
    trial.report.finding("null", "tool_new without an out returned " + status_name(status));
  }
  plugin.end();
}

void test_configuration(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  const std::string& id = trial.ids.front();
  for (const std::string& config : {std::string("nonsense"), std::string("[]"), std::string("5"), std::string("{"),
                                    std::string("\xff"), std::string(100'000, '[')}) {
    refused(trial, *plugin.entry(), id, config, "configuration", "with the configuration " + in_quotes(config),
            WTOOL_E_INVALID_ARGUMENT);
  }
  trial.report.step("configuration", "in tool_new with the configuration {}");
  const wtool_tool* tool = nullptr;
  const wtool_status status = plugin.entry()->tool_new(view(id), view("{}"), &tool, nullptr);
  if (status != WTOOL_OK) {
    trial.report.finding("configuration", "tool_new with the configuration {} returned " + status_name(status));
  } else {
    tool->destroy(tool);
  }
  plugin.end();
}

void test_control_threads(Trial& trial) {
  const PluginLibrary library(trial);
  const wtool_entry& entry = *library.entry();
  const wtool_host host = plain_host();
  const auto on_a_thread = [&](const char* what, const std::function<void()>& act) {
    trial.report.step("threads-control", std::string("in ") + what + " on a thread of its own");
    std::thread(act).join();
  };
  const auto judge = [&](const char* what, wtool_status status) {
    if (status == WTOOL_OK) return true;
    trial.report.finding("threads-control",
                         std::string(what) + ", called on a different thread from the function before it, returned " +
                             status_name(status));
    return false;
  };
  wtool_status status = WTOOL_OK;
  const wtool_tool* tool = nullptr;
  on_a_thread("init", [&] { status = entry.init(&host, nullptr); });
  if (!judge("init", status)) return;
  on_a_thread("tool_new",
              [&] { status = entry.tool_new(view(trial.ids.front()), view(trial.configuration), &tool, nullptr); });
  if (judge("tool_new", status)) on_a_thread("destroy", [&] { tool->destroy(tool); });
  on_a_thread("deinit", [&] { entry.deinit(); });
}

}  // namespace wtool::host::conformance
