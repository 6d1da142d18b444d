// Hands a pool's key to its pilots through munge, the service that authenticates users between the machines of a
// cluster.
//
// - The pilot sends `introduction_size` bytes: a mark and a fresh nonce. The host answers with two bytes of length,
//   most significant first, and a credential that contains that nonce and the key. munge encrypts the credential,
//   proves which user made it, and lets only this user open it.
// - So the pilot can be sure that a process of its own user has just sent the key, and only this user's pilots get the
//   key. The handshake of noise.h then uses the key on the same connection. Later connections begin with the handshake.
// - libmunge is opened when it is first needed. If it is not installed, or its daemon, munged, does not answer, the
//   ticket contains the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/pilot/noise.h"

namespace wtool::pilot {

inline constexpr std::size_t introduction_size = handshake_size;
inline constexpr std::size_t max_credential = 4096;

// The introduction that a pilot sends, and whether received bytes are such an introduction.
std::string introduction(const Key& nonce);
bool is_introduction(std::string_view begun);

// The payload of the credential for the pilot that has sent this introduction.
std::string introduced(std::string_view introduction, const Key& key);
// The key in a payload. Nothing: the payload does not answer the introduction with this nonce.
std::optional<Key> key_of(std::string_view payload, const Key& nonce);

// A credential as the host sends it, after the two bytes of its length.
std::string framed(const std::string& credential);

class Munge {
 public:
  // `socket` is the path of munged's socket; empty: libmunge's default. Nothing: `error` says why.
  static std::optional<Munge> open(const std::string& socket, std::string& error);

  // A credential that only this user can open. Waits for munged. Nothing: `error` says why.
  std::optional<std::string> encode(std::string_view payload, std::string& error) const;
  // The payload of a credential of this user. Each machine opens a credential only once.
  std::optional<std::string> decode(const std::string& credential, std::string& error) const;

 private:
  struct Library;
  Munge(const Library& library, std::string socket) : library_(&library), socket_(std::move(socket)) {}

  const Library* library_;
  std::string socket_;
};

}  // namespace wtool::pilot
