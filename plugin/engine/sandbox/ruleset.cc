#include "engine/sandbox/ruleset.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "engine/sandbox/landlock.h"

namespace wtool::engine {

namespace {

using namespace landlock;

// Rights that apply to a file. The kernel rejects a rule that grants other rights on a file.
constexpr std::uint64_t of_files = execute | write_file | read_file | truncate | ioctl_device;

constexpr std::uint64_t reading = execute | read_file | read_dir;
// make_char and make_block are not included: with them, a command of the user root could make a device file, and read
// and write the disk outside of all sandbox roots.
constexpr std::uint64_t writing = reading | write_file | remove_dir | remove_file | make_dir | make_reg | make_sock |
                                  make_fifo | make_sym | refer | truncate | ioctl_device;
constexpr std::uint64_t using_device = read_file | write_file | truncate | ioctl_device;

// Nearly every program needs these devices, and they store no data.
constexpr const char* devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};

std::uint64_t handled_by(int abi) {
  std::uint64_t rights = (1ULL << 13) - 1;  // execute to make_sym
  if (abi >= 2) rights |= refer;
  if (abi >= abi_with_truncate) rights |= truncate;
  if (abi >= abi_with_ioctl) rights |= ioctl_device;
  return rights;
}

bool allow(int ruleset, const Root& root, std::uint64_t rights, std::string& error) {
  const Descriptor place = open_root(root);
  if (place && add_beneath_rule(ruleset, {root.folder ? rights : rights & of_files, place.get()})) return true;
  error = "the sandbox's root " + root.path + " cannot be used: " + std::strerror(errno);
  return false;
}

Descriptor create(const RulesetAttributes& attributes, std::size_t size, std::string& error) {
  Descriptor ruleset(create_ruleset(attributes, size));
  if (!ruleset) error = std::string("no Landlock ruleset can be made for the sandbox: ") + std::strerror(errno);
  return ruleset;
}

}  // namespace

Descriptor make_scope(std::string& error) {
  RulesetAttributes attributes{};
  attributes.scopes = abstract_sockets | signals;
  return create(attributes, sizeof attributes, error);
}

Descriptor make_ruleset(const Roots& roots, bool network, int abi, std::string& error, Scopes scopes) {
  RulesetAttributes attributes{};
  std::size_t size = sizeof attributes.files;  // Older kernels have only the rights on files.
  attributes.files = handled_by(abi);
  if (abi >= abi_with_tcp) {
    size = offsetof(RulesetAttributes, scopes);
    if (!network) attributes.network = bind_tcp | connect_tcp;
  }
  if (abi >= abi_with_scopes) {
    size = sizeof attributes;
    if (scopes == Scopes::own) attributes.scopes = abstract_sockets | signals;
  }
  Descriptor ruleset = create(attributes, size, error);
  if (!ruleset) return {};
  for (const Root& root : roots.read) {
    if (!allow(ruleset.get(), root, reading & attributes.files, error)) return {};
  }
  for (const Root& root : roots.list) {
    // A file has no names in it, and the kernel accepts no rule without a right.
    if (root.folder && !allow(ruleset.get(), root, read_dir & attributes.files, error)) return {};
  }
  for (const Root& root : roots.write) {
    if (!allow(ruleset.get(), root, writing & attributes.files, error)) return {};
  }
  for (const char* device : devices) {
    const Descriptor place(::open(device, O_PATH | O_CLOEXEC));
    // A device that does not exist cannot be used anyway.
    if (place) add_beneath_rule(ruleset.get(), {using_device & attributes.files, place.get()});
  }
  return ruleset;
}

}  // namespace wtool::engine
