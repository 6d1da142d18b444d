// AES-256-GCM in place, by the fastest library that this machine has. All libraries give the same results.
//
//    const AesGcm* aes = AesGcm::fastest();   // nullptr: this processor has no AES instructions
//   aes->seal(text, size, bound, nonce, key);
//
// - libsodium implements it for every processor that has AES instructions.
// - libIPSec_MB also uses the processor's wide registers, and takes a sixth of libsodium's time. It is loaded when it
//   is first needed, if it is installed in the version whose header this file was compiled with. It has no exit handler
//   and no thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wtool::pilot {

struct AesGcm {
  using Key = std::array<unsigned char, 32>;
  using Nonce = std::array<unsigned char, 12>;

  // `text` has room for a tag of 16 bytes after its `size` bytes.
  void (*seal)(unsigned char* text, std::size_t size, std::string_view bound, const Nonce& nonce, const Key& key);
  // `size` includes the tag. False: the text fails authentication, and its bytes are lost.
  bool (*open)(unsigned char* sealed, std::size_t size, std::string_view bound, const Nonce& nonce, const Key& key);

  // Any thread may call these functions. nullptr: this machine, or the named library on it, cannot do AES-256-GCM.
  static const AesGcm* fastest();
  static const AesGcm* of_sodium();
  static const AesGcm* of_ipsec_mb();
};

}  // namespace wtool::pilot
