// Structs of sizes other than the current one: shorter structs, which end at an inaccessible page, and longer structs.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wtool::host::conformance {

// The first `size` bytes of a struct, with that struct_size; touching any byte after them crashes.
template <typename Struct>
class Guarded {
 public:
  Guarded(const Struct& model, std::uint32_t size) : size_(size) {
    void* memory = ::mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = static_cast<unsigned char*>(memory);
    ::mprotect(memory_ + page_, page_, PROT_NONE);
    std::memcpy(memory_ + page_ - size, &model, size);
    get()->struct_size = size;
  }
  ~Guarded() { ::munmap(memory_, 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Struct* get() { return reinterpret_cast<Struct*>(memory_ + page_ - size_); }
  bool differs_from(const Struct& model) {
    Struct whole = model;
    whole.struct_size = size_;
    return std::memcmp(get(), &whole, size_) != 0;
  }

 private:
  const std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::uint32_t size_;
  unsigned char* memory_ = nullptr;
};

// A struct that is followed by 64 more bytes, as that of a later version would be.
template <typename Struct>
class Enlarged {
 public:
  explicit Enlarged(const Struct& model) {
    all_.known = model;
    all_.known.struct_size = sizeof all_;
    std::memset(all_.unknown, 0xa5, sizeof all_.unknown);
  }
  Struct* get() { return &all_.known; }
  bool unknown_was_changed() const {
    for (const unsigned char byte : all_.unknown) {
      if (byte != 0xa5) return true;
    }
    return false;
  }

 private:
  struct {
    Struct known;
    unsigned char unknown[64];
  } all_{};
};

}  // namespace wtool::host::conformance
