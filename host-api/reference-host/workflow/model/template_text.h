// Makes templates of the texts of a workflow file.
#pragma once

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

}  // namespace wtool::host::workflow
