// The keys of a connection between a host and a pilot: Noise_NNpsk0_25519_ChaChaPoly_SHA256 or
// Noise_NNpsk0_25519_AESGCM_SHA256 of the Noise Protocol Framework (revision 34), with the primitives of libsodium and
// of aes_gcm.h.
//
// - AESGCM is used if both processors have instructions for it, because it takes a tenth to two thirds of ChaChaPoly's
//   time. The host's ticket says whether the host can use AESGCM, the pilot chooses, and the host tries which of the
//   two opens the first message. The handshake authenticates the choice.
// - Both sides prove that they have the same key of 32 bytes. Nobody without the key gets past the handshake, and the
//   key itself is never sent.
// - Each side contributes a fresh X25519 key, so that recorded traffic stays secret even if the shared key becomes
//   known later. The first message of a handshake can be replayed, but a whole connection cannot: the host trusts a
//   connection only once its first record has been opened.
// - Each record is encrypted and numbered. If somebody changes, repeats, drops or reorders records, the next record
//   that arrives does not open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::pilot {

inline constexpr std::size_t key_size = 32;
inline constexpr std::size_t tag_size = 16;
inline constexpr std::size_t handshake_size = 48;  // of either message: a public key and a tag

using Key = std::array<unsigned char, key_size>;

enum class Suite { chacha, aes };

// True if this machine can use AESGCM. That needs a processor with AES instructions: without them, an implementation
// would not be safe.
bool has_aes();

Key random_key();

// One direction of a connection.
class Cipher {
 public:
  explicit Cipher(const Key& key, Suite suite = Suite::chacha) : key_(key), suite_(suite) {}
  ~Cipher();
  Cipher(const Cipher&) = default;
  Cipher& operator=(const Cipher&) = default;
  std::string seal(std::string_view text, std::string_view bound = {});
  // Nothing: the record was changed, or is out of order.
  std::optional<std::string> open(std::string_view sealed, std::string_view bound = {});
  // Seals a text in place: `text` has room for a tag after its `size` bytes.
  void seal_in_place(char* text, std::size_t size, std::string_view bound = {});
  // Opens a record in place; `size` includes the tag. False: the record fails authentication, and its bytes are lost.
  bool open_in_place(char* sealed, std::size_t size, std::string_view bound = {});

 private:
  Key key_;
  Suite suite_;
  std::uint64_t number_ = 0;
};

struct Ciphers {
  Cipher send;
  Cipher receive;
};

// One side of a handshake: the pilot begins it, the host answers.
class Handshake {
 public:
  // `own` is only for tests with known results; without it, a fresh key is made.
  explicit Handshake(const Key& shared, std::string_view prologue = "wtool pilot 1", std::optional<Key> own = {});
  ~Handshake();

  // The pilot sends what begin() returns, and passes the answer to finish(). AESGCM needs has_aes().
  std::string begin(Suite suite = Suite::chacha);
  std::optional<Ciphers> finish(std::string_view answer);

  // The host passes what it has received; `to_send` becomes the host's answer.
  std::optional<Ciphers> answer(std::string_view begun, std::string& to_send);

 private:
  void start(Suite suite);
  bool open_begun(Suite suite, std::string_view begun);
  void mix_hash(std::string_view bytes);
  void mix_key(std::string_view bytes);
  void mix_shared_key();
  std::string seal_nothing();
  bool open_nothing(std::string_view tag);
  bool mix_exchange(std::string_view theirs);

  Key shared_;
  std::string prologue_;
  Suite suite_ = Suite::chacha;
  Key secret_{};  // X25519
  Key public_{};
  Key hash_{};
  Key chain_{};
  std::optional<Cipher> cipher_;
};

}  // namespace wtool::pilot
