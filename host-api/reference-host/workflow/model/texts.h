// What single texts of a workflow file mean: templates, and times.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// What is wrong with the template goes to `diagnostics`, with its place.
TemplateText template_text(MappedText written, Diagnostics& diagnostics);

// The same for text that is made up here, and stands for what the file has at `offset`.
TemplateText template_text(const std::string& written, std::size_t offset, Diagnostics& diagnostics);

// Whether nothing in it is filled in, so that it is known before a run.
bool is_literal(const TemplateText& text);
bool is_literal(const CommandText& text);

inline constexpr std::int64_t max_wait = 86'400;            // seconds; of Wait and a backoff
inline constexpr std::int64_t max_timeout = 3'155'760'000;  // seconds, 100 years: what clocks can still add

// A timeout of a step, at least 1 ms. Nothing for any other text; `why` says why.
std::optional<std::chrono::milliseconds> timeout_value(const std::string& text, std::string& why);

// `500ms`, `2s`, `1.5m`, `1h`, or a number of seconds, from 0 to `longest`. Nothing for any other text.
std::optional<std::chrono::milliseconds> duration_value(std::string_view text, std::int64_t longest = max_wait);

// A duration as the tools take it: seconds, whole where they are.
nlohmann::json as_seconds(std::chrono::milliseconds duration);

// `1.5 s`, `2 min`, `500 ms`.
std::string duration_words(std::chrono::milliseconds duration);

}  // namespace wtool::host::workflow
