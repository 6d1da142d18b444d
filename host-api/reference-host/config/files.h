// The files of the configuration, layer by layer: the fleet's, the user's, and then the project's, or the file that
// --config names instead. ConfigFiles stores the state of the files when they were read, and detects changes. The
// fleet's files are read only once. With a sandbox, a file that appears after the first load is not used: a command may
// have made it, to widen its own sandbox. (Files that exist are protected from commands.)
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config/config.h"
#include "base/config/fleet.h"
#include "config/policy_preset.h"
#include "loader/toolbox.h"

namespace wtool::host {

inline constexpr const char* config_default_name = "wtool.yaml";

// $XDG_CONFIG_HOME/wtool, else $HOME/.config/wtool; empty: neither variable is an absolute path.
std::string user_config_folder();

// The JSON text of `config`, in the form that the plugin expects. Nothing: `error` says why.
std::optional<std::string> to_text(const Config& config, std::string& error);

class ConfigFiles final : public ConfigSource {
 public:
  // `named` is the file of --config; empty: the nearest wtool.yaml, from the current directory up to the folder of the
  // project, if there is one. If `user_folder` is empty, the user has no layer.
  explicit ConfigFiles(std::string named, const std::string& user_folder = user_config_folder());

  // Adds the two layers of the preset: its defaults before the user's layer, and its boundary after it. Call it at most
  // once, before the first load.
  void add_policy(const PolicyPreset& preset);

  // Adds a layer before those of the user and the project. It cannot change what the fleet's policy sets or locks.
  // `text` is YAML; messages call the layer `title`. Call this before the first load.
  void add_defaults(const std::string& title, const std::string& text);

  // Compares each file's identity, size and times, without reading it. A file that was written to just before it was
  // read counts as changed, because another write within the same tick of the clock could not be seen.
  bool changed() override;
  std::optional<std::string> load(std::string& error) override;

  std::vector<std::string> paths_in_force() const override;
  std::string take_notice() override { return std::exchange(notice_, {}); }

  // Adds the absolute paths of more files that decide what may run: commands may not write to these files, either. Call
  // this before the first load.
  void add_in_force(const std::vector<std::string>& paths);

  // Like load(), but returns the whole configuration.
  std::optional<Config> load_config(std::string& error);

  // The files that are looked for, whether they exist or not, from the first layer to the last.
  struct File {
    std::string title;
    std::string path;
    bool there = false;  // it existed when the files were last read
  };
  std::vector<File> files() const;

 private:
  struct Stamp {
    int error = 0;  // errno, if stat failed
    bool regular = false;
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t modified_ns = 0;
    std::int64_t status_changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Watched {
    std::string title;
    std::string path;
    bool must_be_there = false;
    Stamp stamp{};
    bool settled = false;
    std::optional<std::string> kept{};  // the content of a pipe, which can be read only once
    bool is_built_in = false;           // not a file: `kept` is the whole layer
    bool yields = false;                // see Layer::yields
    bool is_used = false;               // it existed when it was last looked at, and was read
  };

  struct Problem {
    std::string file;
    std::string text;
  };

  static Watched built_in(const std::string& title, const std::string& text);
  static Stamp look_at(const std::string& path);
  void read_layer(Watched& file, std::vector<Layer>& layers, ConfigDiagnostics& diagnostics);

  std::optional<FleetPolicy> fleet_;  // set once it has been read
  std::string fleet_error_;           // why the fleet's policy cannot be used
  std::vector<Problem> problems_;     // of files whose rules would not apply
  std::vector<Watched> files_;
  std::vector<std::string> more_in_force_;
  std::string approvals_;  // the default of commands.approvals
  bool is_loaded_ = false;
  bool has_sandbox_ = false;  // according to the last load
  std::string notice_;
};

// ---- Reads a whole file or stream of limited size.

// Opens `path` as open_given() does, and returns its bytes. Nothing: `error` names the path and the reason, for example
// that the file has more than `limit` bytes.
std::optional<std::string> read_file(const std::string& path, std::size_t limit, std::string& error);

// The same for a descriptor, which is read to its end and stays open. `name` is its name in errors.
std::optional<std::string> read_descriptor(int descriptor, const std::string& name, std::size_t limit,
                                           std::string& error);

}  // namespace wtool::host
