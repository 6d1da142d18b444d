// What the results of all tools have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "call/call.h"

namespace wtool::tools {

// {"content": [the text], "is_error", "metadata"}, as JSON text.
std::string envelope(std::string_view text, bool is_error, const nlohmann::ordered_json& metadata);

// {"code", "message", "hint"}
nlohmann::ordered_json error_object(const CallError& error);

// "SIGKILL"
std::string signal_name(int number);

// True for "no such program" (which shells report as 127), as against a program that cannot be executed (126).
bool is_not_found(const engine::NotStarted& how);

// Why a command did not start. `directory_parameter` is what the caller calls its working directory.
CallError not_started(const engine::NotStarted& how, const CallResult& result,
                      const std::string& directory_parameter = "working_directory");

}  // namespace wtool::tools
