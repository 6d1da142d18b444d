#include "loader/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "approval/terminal.h"
#include "base/descriptor.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/raw_json.h"
#include "base/utf8.h"
#include "loader/services.h"
#include "tracing/tracing.h"

namespace wtool::host {

namespace {

constexpr std::uint32_t max_tools = 1000;
constexpr std::size_t max_text = 1 << 20;

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_object(const std::string& text) { return RawJson::parse(text).type() == RawJson::Type::object; }

// The size that a library's file must have; 0: the file is not a library, and dlopen will say so. If the file were
// smaller than this size, the program would die of SIGBUS at the first missing page.
std::uint64_t bytes_to_load(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr header{};
  if (!file || ::pread(file.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return 0;
  }
  std::uint64_t needed = 0;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    const auto place = static_cast<off_t>(header.e_phoff + i * sizeof part);
    if (::pread(file.get(), &part, sizeof part, place) != static_cast<ssize_t>(sizeof part)) return 0;
    if (part.p_type == PT_LOAD) needed = std::max(needed, part.p_offset + part.p_filesz);
  }
  return needed;
}

// A better message than dlopen's for the most common problems. Empty: the file has none of them.
std::string unusable_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? "there is no such file" : std::string("it cannot be examined: ") + ::strerror(errno);
  }
  if (S_ISDIR(info.st_mode)) return "it is a directory, not a library";
  if (!S_ISREG(info.st_mode)) return "it is not a regular file";
  if (::access(path.c_str(), R_OK) != 0) return std::string("it cannot be read: ") + ::strerror(errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (const std::uint64_t needed = bytes_to_load(path); size < needed) {
    return "it is cut off: it has " + std::to_string(size) + " bytes, but needs " + std::to_string(needed) +
           "; install or copy it again";
  }
  return {};
}

// The major version that a library without our entry symbol implements; 0: it implements none.
unsigned other_major(void* library) {
  for (unsigned major = 2; major < 10; ++major) {
    if (::dlsym(library, ("wtool_entry_v" + std::to_string(major)).c_str()) != nullptr) return major;
  }
  return 0;
}

// One text of a descriptor, copied and checked. Empty: it is valid.
std::string copy_text(const char* what, wtool_view from, std::string& to) {
  if (from.data == nullptr && from.size != 0) return std::string(what) + " has a size but no bytes";
  if (from.size > max_text) return std::string(what) + " is longer than 1 MiB";
  to = text(from);
  return is_utf8(to) ? std::string{} : std::string(what) + " is not valid UTF-8";
}

std::string copy_description(const wtool_descriptor& from, ToolDescription& to) {
  if (!WTOOL_HAS(&from, output_schema)) {
    return "its struct_size is " + std::to_string(from.struct_size) + ", but version 1.0 has " +
           std::to_string(sizeof(wtool_descriptor));
  }
  to.hints = from.hints;
  for (const auto& [what, view, text] :
       {std::tuple{"its id", from.id, &to.id}, std::tuple{"its title", from.title, &to.title},
        std::tuple{"its version", from.version, &to.version},
        std::tuple{"its description", from.description, &to.description},
        std::tuple{"its input schema", from.input_schema, &to.input_schema},
        std::tuple{"its output schema", from.output_schema, &to.output_schema}}) {
    if (std::string problem = copy_text(what, view, *text); !problem.empty()) return problem;
  }
  if (!is_id(to.id)) return "its id \"" + escaped(to.id) + "\" must have 1 to 100 characters, and only a-z, 0-9 and _";
  if (!is_object(to.input_schema)) return "the input schema of " + to.id + " is not a JSON object";
  if (!to.output_schema.empty() && !is_object(to.output_schema)) {
    return "the output schema of " + to.id + " is not a JSON object";
  }
  return {};
}

}  // namespace

struct Plugin::Host {
  TerminalApproval approval;
  HostServices services;
  wtool_host host{};
};

Plugin::Plugin() : host_(std::make_unique<Host>()) {}

Plugin::~Plugin() {
  joined_.clear();
  if (started_) entry_->deinit();
  if (library_ != nullptr) ::dlclose(library_);
}

bool Plugin::is_cluster() const { return text(entry_->plugin_name) == cluster_plugin_name; }

Tracing& Plugin::tracing() const { return *host_->services.tracing; }

void Plugin::ask_through(Approver* approver) {
  host_->services.approval = approver;
  for (const auto& plugin : joined_) plugin->ask_through(approver);
}

bool Plugin::join(std::unique_ptr<Plugin> other, std::string& error) {
  for (const ToolDescription& tool : other->tools_) {
    if (const Plugin* owner = owner_of(tool.id)) {
      error = "the tool " + tool.id + " is in two plugins, " + escaped(owner->path_) + " and " + escaped(other->path_) +
              "; load only one of them";
      return false;
    }
  }
  tools_.insert(tools_.end(), other->tools_.begin(), other->tools_.end());
  joined_.push_back(std::move(other));
  return true;
}

const Plugin* Plugin::owner_of(std::string_view id) const {
  const auto has = [&](const std::vector<ToolDescription>& tools, std::size_t count) {
    const auto end = tools.begin() + static_cast<std::ptrdiff_t>(count);
    return std::any_of(tools.begin(), end, [&](const ToolDescription& tool) { return tool.id == id; });
  };
  if (has(tools_, own_tools_)) return this;
  for (const auto& plugin : joined_) {
    if (has(plugin->tools_, plugin->own_tools_)) return plugin.get();
  }
  return nullptr;
}

std::unique_ptr<Plugin> Plugin::open(const std::string& path, Tracing& tracing, std::string& error) {
  std::unique_ptr<Plugin> plugin(new Plugin);
  // A name without a slash would be looked for in the system's library folders.
  std::error_code failed;
  plugin->path_ = std::filesystem::absolute(path, failed).lexically_normal();
  if (failed) plugin->path_ = path;
  plugin->host_->services.tracing = &tracing;
  plugin->host_->services.approval = &plugin->host_->approval;
  plugin->host_->host = make_host(plugin->host_->services);

  std::string problem = unusable_file(plugin->path_);
  if (problem.empty()) {
    plugin->library_ = ::dlopen(plugin->path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin->library_ == nullptr) {
      const char* why = ::dlerror();
      problem =
          std::string("it is not a library that can be loaded here: ") + (why != nullptr ? why : "no reason given");
    }
  }
  if (problem.empty() && (!plugin->read_entry(problem) || !plugin->read_tools(problem))) {
    if (problem.empty()) problem = "it is not usable";
  }
  if (!problem.empty()) {
    error = "the plugin " + escaped(plugin->path_) + " cannot be used: " + escaped(problem);
    return nullptr;
  }
  tracing.log(LogLevel::debug, "wtool::loader",
              "opened " + plugin->path_ + " with " + std::to_string(plugin->tools_.size()) + " tool(s)");
  return plugin;
}

bool Plugin::read_entry(std::string& error) {
  const auto* entry = static_cast<const wtool_entry*>(::dlsym(library_, WTOOL_ENTRY_SYMBOL));
  if (entry == nullptr) {
    const unsigned other = other_major(library_);
    error =
        std::string("it has no symbol ") + WTOOL_ENTRY_SYMBOL +
        (other == 0 ? ", so it is not a plugin of wtool"
                    : "; it has version " + std::to_string(other) + " of the interface, but this host has version 1");
    return false;
  }
  if (!WTOOL_HAS(entry, abi_major)) {
    error = "its entry's struct_size is " + std::to_string(entry->struct_size) +
            ", too small for the version of the interface";
    return false;
  }
  if (entry->abi_major != WTOOL_ABI_MAJOR) {
    error = "its entry says version " + std::to_string(entry->abi_major) +
            " of the interface, but this host has version " + std::to_string(WTOOL_ABI_MAJOR);
    return false;
  }
  if (!WTOOL_HAS(entry, tool_new)) {
    error = "its entry's struct_size is " + std::to_string(entry->struct_size) + ", but version 1.0 has " +
            std::to_string(sizeof(wtool_entry));
    return false;
  }
  if (entry->init == nullptr || entry->deinit == nullptr || entry->tool_count == nullptr || entry->tool_at == nullptr ||
      entry->tool_new == nullptr) {
    error = "its entry lacks one of init, deinit, tool_count, tool_at and tool_new";
    return false;
  }
  entry_ = entry;
  return true;
}

bool Plugin::read_tools(std::string& error) {
  const std::uint32_t count = entry_->tool_count();
  if (count > max_tools) {
    error = "its tool_count is " + std::to_string(count) + "; at most " + std::to_string(max_tools) + " are allowed";
    return false;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const wtool_descriptor* descriptor = entry_->tool_at(i);
    ToolDescription tool;
    std::string problem = descriptor == nullptr ? "it is missing" : copy_description(*descriptor, tool);
    const auto same_id = [&](const ToolDescription& other) { return other.id == tool.id; };
    if (problem.empty() && std::any_of(tools_.begin(), tools_.end(), same_id)) {
      problem = "its id \"" + tool.id + "\" occurs twice";
    }
    if (!problem.empty()) {
      error = "the descriptor of tool number " + std::to_string(i) + " is wrong: " + problem;
      return false;
    }
    tools_.push_back(std::move(tool));
  }
  own_tools_ = tools_.size();
  return true;
}

bool Plugin::start(std::string& error) {
  if (started_) {
    return std::all_of(joined_.begin(), joined_.end(), [&](const auto& plugin) { return plugin->start(error); });
  }
  Blob reason;
  const wtool_status status = entry_->init(&host_->host, reason.out());
  if (status != WTOOL_OK) {
    error = "the plugin " + escaped(path_) + " could not be initialised: " +
            (reason.text().empty() ? "status " + std::to_string(status) : escaped(reason.text()));
    return false;
  }
  started_ = true;
  for (const auto& plugin : joined_) {
    if (!plugin->start(error)) return false;
  }
  return true;
}

// ---- Where the plugin is.

namespace {

namespace fs = std::filesystem;

constexpr const char* usual_name = "shell_tools.so";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> libraries_in(const fs::path& folder, std::error_code& failed) {
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".so" && is_file(entry->path())) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> plugin_files(const std::string& path, std::string& error) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return {path};
  std::vector<std::string> files;
  for (const fs::path& library : libraries_in(path, failed)) files.push_back(library);
  if (failed) {
    error = "the folder " + escaped(path) + " of --plugin cannot be read: " + failed.message();
    return {};
  }
  if (files.empty()) error = "the folder " + escaped(path) + " of --plugin has no *.so";
  return files;
}

std::string program_path() {
  std::error_code failed;
  const fs::path path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? std::string{} : path.string();
}

std::string find_plugin(const std::string& program, const std::string& search_path, std::string& error) {
  std::string looked_at;
  if (!program.empty()) {
    const fs::path beside = (fs::path(program).parent_path() / "../lib/wtool" / usual_name).lexically_normal();
    if (is_file(beside)) return beside;
    looked_at = "\n  " + escaped(beside.string());
  }
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    if (const fs::path usual = fs::path(folder) / usual_name; is_file(usual)) return usual;
    std::error_code failed;
    const std::vector<fs::path> libraries = libraries_in(folder, failed);
    if (libraries.size() == 1) return libraries.front();
    if (libraries.size() > 1) {
      error = "the folder " + escaped(folder) + " of WTOOL_PLUGIN_PATH has several libraries and no " + usual_name +
              "; name one of them with --plugin:";
      for (const fs::path& library : libraries) error += "\n  " + escaped(library.string());
      return {};
    }
    looked_at += "\n  " + escaped(folder) + "/*.so (from WTOOL_PLUGIN_PATH" +
                 (failed ? ": " + failed.message() : std::string()) + ')';
  }
  error = "no plugin was found; name one with --plugin, or its folder in WTOOL_PLUGIN_PATH. Looked at:" + looked_at;
  return {};
}

}  // namespace wtool::host
