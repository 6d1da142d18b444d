// The protocol version of a shell-warden, as a note in its ELF file: so that a plugin can recognise a warden of another
// build when the plugin is loaded, without starting the warden.
#pragma once

#include <cstdint>

namespace wtool::warden {

constexpr char note_name[8] = "wtool";  // With what pads it to a multiple of 4.
constexpr std::uint32_t note_type = 1;

// As elf(5) lays out a note with a name of 6 bytes and 4 bytes of data.
struct VersionNote {
  std::uint32_t name_size = 6;
  std::uint32_t data_size = 4;
  std::uint32_t type = note_type;
  char name[8] = {'w', 't', 'o', 'o', 'l', '\0', '\0', '\0'};
  std::uint32_t version = 0;
};

}  // namespace wtool::warden
