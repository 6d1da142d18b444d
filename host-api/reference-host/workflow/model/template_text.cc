#include "workflow/model/template_text.h"

#include <utility>

namespace wtool::host::workflow {

TemplateText template_text(MappedText written, Diagnostics& diagnostics) {
  TemplateText made;
  made.written = std::move(written);
  auto parsed = expressions::parse_template(made.written.text());
  if (const auto* errors = std::get_if<std::vector<expressions::ExpressionError>>(&parsed)) {
    for (const auto& error : *errors) diagnostics.add(made.written.locate(error.offset), error.message);
  } else {
    made.parsed = std::get<expressions::Template>(std::move(parsed));
  }
  return made;
}

TemplateText template_text(const std::string& written, std::size_t offset, Diagnostics& diagnostics) {
  MappedText text;
  text.append(written, offset);
  return template_text(std::move(text), diagnostics);
}

namespace {

bool is_literal(const expressions::Template& parsed, const std::string& written) {
  return parsed.placeholders.empty() && written.find("{%") == std::string::npos;
}

}  // namespace

bool is_literal(const TemplateText& text) { return is_literal(text.parsed, text.written.text()); }

bool is_literal(const CommandText& text) { return is_literal(text.parsed, text.written.text()); }

}  // namespace wtool::host::workflow
