#include "engine/warden_file.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/descriptor.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

constexpr const char* remedy =
    "; it must come from the same build as the plugin, and be installed in libexec/wtool beside the plugin's lib/wtool";

// False: the file has no such record, and errno is 0; or the file cannot be read, and errno says why.
template <typename Record>
bool read_at(int file, std::uint64_t offset, Record& record) {
  errno = 0;
  return ::pread(file, &record, sizeof record, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof record);
}

// The version in the program's note, if it has one. Other notes may come before and after it. Nothing: it has none, and
// errno is 0; or the file cannot be read, and errno says why.
std::optional<std::uint32_t> read_version(int file) {
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return std::nullopt;
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(file, header.e_phoff + std::uint64_t{i} * header.e_phentsize, segment)) return std::nullopt;
    if (segment.p_type != PT_NOTE) continue;
    const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
    for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.p_filesz;) {
      warden::VersionNote note{};
      if (!read_at(file, segment.p_offset + at, note)) {
        if (errno != 0) return std::nullopt;
        break;
      }
      if (note.name_size == 6 && note.data_size == 4 && note.type == warden::note_type &&
          std::memcmp(note.name, warden::note_name, sizeof note.name) == 0) {
        return note.version;
      }
      at += sizeof(Elf64_Nhdr) + padded(note.name_size) + padded(note.data_size);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string check_warden_file(const std::string& path) {
  const std::string subject = "the helper program " + path;
  if (::access(path.c_str(), X_OK) != 0) return subject + " cannot be executed: " + std::strerror(errno) + remedy;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return subject + " cannot be read: " + std::strerror(errno) + remedy;
  const std::optional<std::uint32_t> version = read_version(file.get());
  if (!version && errno != 0) return subject + " cannot be read: " + std::strerror(errno) + remedy;
  if (!version) return subject + " is not a shell-warden" + remedy;
  if (*version == warden::protocol_version) return {};
  return subject + " has protocol version " + std::to_string(*version) + ", but this plugin needs version " +
         std::to_string(warden::protocol_version) + remedy;
}

}  // namespace wtool::engine
