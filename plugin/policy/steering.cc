// The names of environment variables that change what programs do, and those that do not: policy/environment.h,
// is_steering_name and is_harmless_name.
//
// Whole families are steering, because programs add members to them (GIT_*, LD_*, NPM_CONFIG_*); harmless members are
// listed one by one. A name that is on no list is neither: a program may heed it.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "policy/environment.h"

namespace wtool::policy {

namespace {

// Names that are harmless, some of them in families that are not.
constexpr std::string_view harmless =
    // The locale, the terminal, the time zone, and where the command runs. LANGUAGE may be a path to messages.
    "LANG LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES CI TRACEPARENT "
    "TRACESTATE USER LOGNAME SOURCE_DATE_EPOCH "
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL "
    "GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_VERBOSITY GIT_REFLOG_ACTION "
    "GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_ADVICE "
    // python
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONFAULTHANDLER "
    "PYTHONOPTIMIZE PYTHONVERBOSE PYTHONNOUSERSITE PYTHONSAFEPATH PYTHONASYNCIODEBUG PYTHONDEVMODE "
    "PYTHONTRACEMALLOC PYTHONCOERCECLOCALE PYTHON_COLORS "
    // node
    "NODE_ENV NODE_NO_WARNINGS NODE_DISABLE_COLORS NODE_NO_READLINE "
    // rust, go
    "CARGO_TERM_* CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_BUILD_JOBS CARGO_PROFILE_* RUST_LOG "
    "RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_TEST_THREADS RUST_MIN_STACK GOMAXPROCS GOOS GOARCH GOGC "
    "GOMEMLIMIT GOTRACEBACK "
    // others
    "LESSCHARSET MAN_KEEP_FORMATTING MANWIDTH JAVA_VERSION PERL_UNICODE PERL_HASH_SEED MAKELEVEL "
    "DOCKER_CLI_HINTS DOCKER_BUILDKIT AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT TF_LOG "
    "TF_IN_AUTOMATION TF_INPUT DEBIAN_FRONTEND HOMEBREW_NO_* GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN MIX_ENV "
    "RAILS_ENV FLASK_ENV ";

// Names that steer.
constexpr std::string_view steering =
    // The loader and the C library: which files are loaded into every program.
    "LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH MALLOC_TRACE TERMINFO TERMINFO_DIRS TERMCAP "
    "HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_* GETCONF_DIR TZDIR ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS "
    "UBSAN_OPTIONS MSAN_OPTIONS QT_*PATH* GTK_*MODULES GTK_PATH GIO_* GST_* LIBGL_* OPENSSL_* SSLKEYLOGFILE "
    "XLOCALEDIR NSS_* KRB5* SASL_* "
    // Shells.
    "PATH BASH* ENV IFS CDPATH OLDPWD PWD SHELL SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND GLOBIGNORE "
    "EXECIGNORE FIGNORE HISTFILE INPUTRC ZDOTDIR FPATH fpath POSIXLY_CORRECT POSIX_ME_HARDER KSH_* FCEDIT "
    "fish_* "
    // Where programs find their configuration and keep what they trust.
    "HOME XDG_* TMPDIR TMP TEMP TMPPREFIX "
    // Programs that are started: pagers, editors, browsers, helpers.
    "PAGER *_PAGER MANPAGER LESS LESSOPEN LESSCLOSE LESSKEY* LESSHISTFILE LESSEDIT LESSECHO LESSSECURE* "
    "LESS_* MORE MOST_* EDITOR VISUAL *_EDITOR BROWSER *_BROWSER *ASKPASS* *_SHELL *_COMMAND *_WRAPPER "
    "*_LAUNCHER *_PRELOAD MANPATH MANOPT MANROFF* MANLESS MANSECT GROFF* GIT_* SSH_* RSYNC_* CVS* SVN_* HG "
    "HGRCPATH HGEDITOR HGMERGE HGPLAIN* GPG* GNUPG* SUDO_* SYSTEMD_* DBUS_* TMUX* SCREENRC SCREENDIR VIM* "
    "NVIM* EX_* EXINIT LYNX_* WWW_* W3M* FZF_* BAT_* DELTA_* RIPGREP_CONFIG_PATH ACK_* ACKRC AG_* GREP_* "
    "LS_OPTIONS TAR_* TAPE RSH GZIP BZIP BZIP2 XZ_* ZSTD_* ZIP ZIPOPT UNZIP UNZIPOPT AWKPATH AWKLIBPATH "
    "GAWK_* PARALLEL* CURL_* WGETRC SYSTEM_WGETRC NETRC JQ_* SQLITE_* PSQL* PGSERVICE* PGSYSCONFDIR "
    "PGPASSFILE MYSQL_* "
    // Languages: what they load before, or besides, the program.
    "PYTHON* PY_* PIP_* PIPENV_* POETRY_* UV_* VIRTUAL_ENV CONDA_* JUPYTER_* IPYTHON* PYTEST_* TOX_* "
    "COVERAGE_* DJANGO_SETTINGS_MODULE FLASK_* NODE_* NPM_* npm_* PNPM_* YARN_* BUN_* DENO_* COREPACK_* "
    "TS_NODE_* BABEL_* ELECTRON_* NVM_* VOLTA_* PERL* RUBY* GEM_* BUNDLE_* RAILS_* RAKE* RBENV_* RVM_* JAVA_* "
    "_JAVA_* JDK_* JRE_* CLASSPATH MAVEN_* M2_* GRADLE_* ANT_* SBT_* JVM_* KOTLIN_* SCALA_* LUA_* LUAROCKS_* "
    "PHP* COMPOSER* R_* RSTUDIO_* JULIA_* ERL_* ELIXIR_* MIX_* HEX_* OCAML* CAML* OPAM* GHC* CABAL_* "
    "STACK_ROOT STACK_YAML GUILE_* TCL* TK_* DOTNET_* COMPLUS_* CORECLR_* NUGET_* MSBUILD* MONO_* "
    "POWERSHELL_* PSModulePath "
    // Building.
    "CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY FC F77 LEX YACC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS LIBS "
    "CPATH *_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_* CLANG_* CCC_* CCACHE_* SCCACHE_* DISTCC_* MAKE* "
    "GNUMAKEFLAGS MFLAGS CMAKE_* CTEST_* CPACK_* NINJA_* MESON_* PKG_CONFIG* ACLOCAL* AUTOCONF AUTOMAKE "
    "AUTOM4TE AUTOHEADER AUTORECONF AUTOPOINT CONFIG_SITE M4PATH BAZEL* CARGO_* CARGO RUSTC* RUSTFLAGS "
    "RUSTDOC* RUSTUP_* RUST_* GOFLAGS GOPATH GOROOT* GOBIN GOPROXY GONOPROXY GONOSUM* GOSUMDB GOPRIVATE "
    "GOINSECURE GOTOOL* GOENV GOCACHE* GOMODCACHE GOEXPERIMENT GODEBUG GOVCS GOTMPDIR GOAUTH GOWORK GO_* "
    "CGO_* GCCGO* SWIFT_* ZIG_* NIX_* NIXPKGS_* GUIX_* DEB_* DEBIAN_* DPKG_* APT_* RPM_* HOMEBREW_* ASDF_* "
    "MISE_* DIRENV_* PRE_COMMIT_* HUSKY* TEXMF* TEXINPUTS TEXFORMATS TEXEDIT TEXPOOL BIBINPUTS BSTINPUTS "
    "openout_any shell_escape "
    // Where commands are sent, and as whom.
    "*_proxy *_PROXY SSL_CERT_* REQUESTS_CA_BUNDLE KUBE* DOCKER_* BUILDKIT_* BUILDX_* COMPOSE_* CONTAINER_* "
    "CONTAINERS_* CONTAINERD_* PODMAN_* HELM_* TF_* VAULT_* CONSUL_* NOMAD_* ANSIBLE_* VAGRANT_* PACKER_* "
    "PULUMI_* AWS_* AZURE_* GOOGLE_* CLOUDSDK_* BOTO_* GH_* GITHUB_* GLAB_* GITLAB_* "
    // Programs by the names that scripts and build files have for them, and what tools load or write besides.
    "GREP EGREP FGREP DIFF CMP RM CP MV M4 LIBTOOLIZE TEX GET JAVA DOCKER NODE NPM GO MAGIC LANGUAGE TEXTDOMAINDIR "
    "ASAN_* LLVM_PROFILE_FILE GCOV_* GMON_* *_BINARY *_BINARY_PATH *_EXECUTABLE_PATH CHROME_BIN GOPACKAGESDRIVER "
    "PYLINTRC MPLBACKEND MAGICK_* GUNICORN_* DART_* GDK_PIXBUF_* QML*_IMPORT_PATH VK_* DEBUGINFOD_* ";

// Steering names that programs take in any case: npm and its like for their settings, many for a proxy. In capitals.
constexpr std::string_view steering_in_any_case = "NPM_* PNPM_* YARN_* *_PROXY ";

// Splits a list at its spaces: exact names, and patterns.
class Names {
 public:
  explicit Names(std::string_view list) {
    while (!list.empty()) {
      const std::string_view name = list.substr(0, list.find(' '));
      if (name.find('*') != std::string_view::npos) {
        patterns_.push_back(name);
      } else if (!name.empty()) {
        exact_.insert(name);
      }
      list.remove_prefix(std::min(list.size(), name.size() + 1));
    }
  }

  bool has(std::string_view name) const {
    return exact_.contains(name) || std::any_of(patterns_.begin(), patterns_.end(), [&](std::string_view pattern) {
             return matches_pattern(pattern, name);
           });
  }

 private:
  std::unordered_set<std::string_view> exact_;
  std::vector<std::string_view> patterns_;
};

}  // namespace

bool is_harmless_name(std::string_view name) {
  static const Names names(harmless);
  return names.has(name);
}

bool is_steering_name(std::string_view name) {
  static const Names names(steering), in_any_case(steering_in_any_case);
  if (is_harmless_name(name)) return false;
  std::string capitals(name);
  for (char& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return names.has(name) || in_any_case.has(capitals);
}

}  // namespace wtool::policy
