#include "base/pilot/munge.h"

#include <dlfcn.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/lasting.h"

namespace wtool::pilot {

namespace {

constexpr std::string_view mark{"wtool munge 1\0\0\0", introduction_size - key_size};

// The numbers, in libmunge's interface, of the context options that are used here.
constexpr int option_socket = 8;
constexpr int option_uid_restriction = 9;

std::string_view bytes_in(const Key& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

}  // namespace

std::string introduction(const Key& nonce) { return std::string(mark).append(bytes_in(nonce)); }

bool is_introduction(std::string_view begun) { return begun.size() == introduction_size && begun.starts_with(mark); }

std::string introduced(std::string_view introduction, const Key& key) {
  return std::string(introduction).append(bytes_in(key));
}

std::optional<Key> key_of(std::string_view payload, const Key& nonce) {
  if (payload.size() != introduction_size + key_size || !payload.starts_with(introduction(nonce))) return std::nullopt;
  Key key;
  std::copy_n(payload.begin() + introduction_size, key_size, reinterpret_cast<char*>(key.data()));
  return key;
}

std::string framed(const std::string& credential) {
  return std::string{static_cast<char>(credential.size() >> 8), static_cast<char>(credential.size() & 0xff)} +
         credential;
}

struct Munge::Library {
  int (*encode)(char** credential, void* context, const void* bytes, int size) = nullptr;
  int (*decode)(const char* credential, void* context, void** bytes, int* size, uid_t* uid, gid_t* gid) = nullptr;
  const char* (*strerror)(int error) = nullptr;
  void* (*context_create)() = nullptr;
  int (*context_set)(void* context, int option, ...) = nullptr;
  void (*context_destroy)(void* context) = nullptr;

  // A context of munge for one use.
  struct Context {
    Context(const Library& of, const std::string& socket) : library(of), context(of.context_create()) {
      if (context != nullptr && !socket.empty() && library.context_set(context, option_socket, socket.c_str()) != 0) {
        library.context_destroy(context);
        context = nullptr;
      }
    }
    ~Context() {
      if (context != nullptr) library.context_destroy(context);
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    const Library& library;
    void* context;
  };

  std::string problem;  // empty: it is loaded
};

std::optional<Munge> Munge::open(const std::string& socket, std::string& error) {
  // The library is never closed, since a plugin stays in memory anyway.
  static const auto& library = lasting<Library>([] {
    Library found;
    void* opened = ::dlopen("libmunge.so.2", RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      const char* reason = ::dlerror();
      found.problem = reason == nullptr ? "libmunge.so.2 cannot be opened" : reason;
      return found;
    }
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(opened, name));
      if (function == nullptr) found.problem = std::string("libmunge.so.2 has no function ") + name;
    };
    take(found.encode, "munge_encode");
    take(found.decode, "munge_decode");
    take(found.strerror, "munge_strerror");
    take(found.context_create, "munge_ctx_create");
    take(found.context_set, "munge_ctx_set");
    take(found.context_destroy, "munge_ctx_destroy");
    return found;
  }());
  if (!library.problem.empty()) {
    error = "munge cannot be used: " + library.problem;
    return std::nullopt;
  }
  return Munge(library, socket);
}

std::optional<std::string> Munge::encode(std::string_view payload, std::string& error) const {
  const Library::Context context(*library_, socket_);
  char* credential = nullptr;
  int failed = context.context == nullptr
                   ? 1
                   : library_->context_set(context.context, option_uid_restriction, static_cast<int>(::geteuid()));
  if (failed == 0)
    failed = library_->encode(&credential, context.context, payload.data(), static_cast<int>(payload.size()));
  std::string text = credential == nullptr ? "" : credential;
  std::free(credential);
  if (failed == 0 && !text.empty() && text.size() <= max_credential) return text;
  error = std::string("munge made no credential: ") + library_->strerror(failed);
  return std::nullopt;
}

std::optional<std::string> Munge::decode(const std::string& credential, std::string& error) const {
  const Library::Context context(*library_, socket_);
  void* bytes = nullptr;
  int size = 0;
  uid_t user = static_cast<uid_t>(-1);
  gid_t group = static_cast<gid_t>(-1);
  const int failed = context.context == nullptr
                         ? 1
                         : library_->decode(credential.c_str(), context.context, &bytes, &size, &user, &group);
  std::string text;
  if (bytes != nullptr) {
    if (size > 0) text.assign(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
    if (size > 0) sodium_memzero(bytes, static_cast<std::size_t>(size));
    std::free(bytes);
  }
  // For errors such as an expired credential, munge still returns the payload.
  if (failed != 0) {
    error = std::string("the credential cannot be decoded: ") + library_->strerror(failed);
    return std::nullopt;
  }
  if (user != ::geteuid()) {
    error = "the credential belongs to user " + std::to_string(user) + ", not to this user";
    return std::nullopt;
  }
  return text;
}

}  // namespace wtool::pilot
