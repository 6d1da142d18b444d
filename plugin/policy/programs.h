// Where the programs of an allow list are found: in folders to which the author of the command cannot write.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy {

// Looks at the file system in its constructor and at each query. Any thread may call any member.
class Programs {
 public:
  // `configured` are the folders of commands.path. Without them, the folders are those of `search_path` (the host's
  // PATH) that are absolute, not writable by everybody, and neither in `roots` nor below one of them.
  Programs(const std::optional<std::vector<std::string>>& configured, std::string_view search_path,
           const std::vector<std::string>& roots);

  // The folders, as a value for the command's PATH.
  const std::string& search_path() const { return search_path_; }

  // The file that a shell would execute for `name`, a word without a slash. Nothing: it is not installed.
  std::optional<std::string> find(std::string_view name) const;

  // True if find() returns the file at this absolute path for the path's last component. The rest of the path must be a
  // folder of search_path() or of the system (/bin, /usr/bin, ...), because a path through any other folder could lead
  // to a different file later.
  bool is_found(std::string_view path) const;

 private:
  std::vector<std::string> folders_;
  std::string search_path_;
};

// The part after the last slash.
inline std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace wtool::policy
