// Environment variables that many programs use, or that no other file covers.
#include "policy/programs/spec.h"

namespace wtool::policy::programs {

namespace {

constexpr ProgramSpec variable_specs[] = {
    // They tell the loader and the C library which files to load into every program.
    {.names = "variables:loader",
     .variables = "LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH MALLOC_TRACE TERMINFO TERMINFO_DIRS TERMCAP "
                  "HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_* GETCONF_DIR TZDIR ASAN_OPTIONS LSAN_OPTIONS "
                  "TSAN_OPTIONS UBSAN_OPTIONS MSAN_OPTIONS QT_*PATH* GTK_*MODULES GTK_PATH GIO_* GST_* LIBGL_* "
                  "OPENSSL_* SSLKEYLOGFILE XLOCALEDIR NSS_* KRB5* SASL_*"},
    // For shells.
    {.names = "variables:shells",
     .variables =
         "PATH BASH* ENV IFS CDPATH OLDPWD PWD SHELL SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND GLOBIGNORE "
         "EXECIGNORE FIGNORE HISTFILE INPUTRC ZDOTDIR FPATH fpath POSIXLY_CORRECT POSIX_ME_HARDER KSH_* FCEDIT "
         "fish_*"},
    // They say where programs find their configuration, and where programs keep what they trust.
    {.names = "variables:places", .variables = "HOME XDG_* TMPDIR TMP TEMP TMPPREFIX"},
    // They name programs that other programs start: pagers, editors, browsers, helpers.
    {.names = "variables:started",
     .variables = "PAGER *_PAGER MORE MOST_* EDITOR VISUAL *_EDITOR BROWSER *_BROWSER *ASKPASS* *_SHELL *_COMMAND "
                  "*_WRAPPER *_LAUNCHER *_PRELOAD CVS* SVN_* GPG* GNUPG* DBUS_* LYNX_* WWW_* W3M*"},
    // They say what a language loads before the program, or in addition to it.
    {.names = "variables:languages",
     .variables = "OCAML* CAML* OPAM* DOTNET_* COMPLUS_* CORECLR_* NUGET_* MSBUILD* MONO_* POWERSHELL_* PSModulePath"},
    // For build tools.
    {.names = "variables:building",
     .variables =
         "CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY FC F77 LEX YACC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS "
         "LIBS CPATH *_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH CCACHE_* SCCACHE_* DISTCC_* PKG_CONFIG* "
         "ACLOCAL* AUTOCONF AUTOMAKE AUTOM4TE AUTOHEADER AUTORECONF AUTOPOINT CONFIG_SITE M4PATH SWIFT_* ZIG_* "
         "ASDF_* MISE_* DIRENV_* PRE_COMMIT_* HUSKY* TEXMF* TEXINPUTS TEXFORMATS TEXEDIT TEXPOOL BIBINPUTS "
         "BSTINPUTS openout_any shell_escape"},
    // They say where commands are sent, and as which user.
    {.names = "variables:network",
     .variables = "*_proxy *_PROXY SSL_CERT_* VAULT_* CONSUL_* NOMAD_* ANSIBLE_* VAGRANT_* PACKER_* PULUMI_* AZURE_*"},
    // Variables that name the programs of scripts and build files, or other files that tools load or write.
    {.names = "variables:names",
     .variables = "GREP EGREP FGREP DIFF CMP RM CP MV M4 LIBTOOLIZE TEX GET MAGIC LANGUAGE TEXTDOMAINDIR ASAN_* "
                  "LLVM_PROFILE_FILE GCOV_* GMON_* *_BINARY *_BINARY_PATH *_EXECUTABLE_PATH CHROME_BIN DART_* "
                  "GDK_PIXBUF_* QML*_IMPORT_PATH VK_* DEBUGINFOD_*"},
    // The locale, the terminal, the time zone, and facts about the run. LANGUAGE is not harmless: it may be a path to
    // messages.
    {.names = "variables:harmless",
     .harmless_variables =
         "LANG LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES CI "
         "TRACEPARENT TRACESTATE USER LOGNAME SOURCE_DATE_EPOCH WTOOL_STEER WTOOL_USAGE WTOOL_SCHEMA"},
};

}  // namespace

std::span<const ProgramSpec> variable_programs() { return variable_specs; }

}  // namespace wtool::policy::programs
