// The flat messages that the plugin and its warden exchange over SOCK_SEQPACKET sockets of one machine.
//
// - The plugin talks to the warden on the control socket: hello (answered by welcome), spawn_custodian, kill_tree
//   (answered by tree_killed, on a socket that comes with it).
// - The plugin also sends spawn_custodian to a scope keeper (warden/scope_keeper.h), on that keeper's socket.
// - The plugin talks to each custodian on that custodian's socket, which the plugin makes and sends along with
//   spawn_custodian. So a call costs one message each way: start, and report. Other messages, such as leader_exited
//   and end, may come between the two.
// - Both sides come from one build, and structs are sent as they are. The version is checked twice: when the plugin is
//   loaded, in the warden's file, so that an error message can name the file; and at hello, because the file may have
//   been replaced since.
//
// This is the only header of the warden that the engine may include.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "system/process_files.h"

namespace wtool::warden {

// The name of a call's cgroup directory, below the base directory of the hello message: the custodian's process number
// and the call's number.
constexpr const char* cgroup_name_format = "wtool-%d-%llu";

// Raised with every change of a struct or of its meaning.
constexpr std::uint32_t protocol_version = 12;

// The ELF file of a shell-warden contains the protocol version in a note, so that a plugin recognises a warden of
// another build when the plugin is loaded, without starting the warden.
constexpr char note_name[8] = "wtool";  // Padded to a multiple of 4.
constexpr std::uint32_t note_type = 1;

// A note with a name of 6 bytes and 4 bytes of data, laid out as elf(5) says.
struct VersionNote {
  std::uint32_t name_size = 6;
  std::uint32_t data_size = 4;
  std::uint32_t type = note_type;
  char name[8] = {'w', 't', 'o', 'o', 'l', '\0', '\0', '\0'};
  std::uint32_t version = 0;
};

enum class Kind : std::uint32_t {
  // plugin -> warden
  hello = 1,            // Hello, with a pidfd of the host and, if there is one, the directory to make cgroups in
  spawn_custodian = 2,  // SpawnCustodian, with the custodian's socket; for a scope keeper, also a Landlock ruleset
  kill_tree = 3,        // KillTree, with the socket for the answer, and the custodian's pidfd if the plugin has one
  // warden -> plugin
  welcome = 10,            // Welcome
  tree_killed = 11,        // TreeKilled
  custodian_spawned = 12,  // CustodianSpawned, on the custodian's socket, with a pidfd of the custodian
  // plugin -> custodian
  start = 20,    // Start, with the command's stdout, stderr and directory; Landlock ruleset and stdin if there are any
  more = 21,     // the rest of a start's text
  end = 22,      // End
  retire = 23,   // Header only: exit when idle
  inspect = 25,  // Header only, before a start: exit if a command has changed the custodian (own_state.h)
  keep = 24,     // Header only, with the reading ends of the command's output that are still open
  // custodian -> plugin
  leader_exited = 30,  // Header only: the command is over, but other processes of its tree live
  report = 31,         // Report
  kept = 32,           // Report, the answer to keep: the state so far; the final report follows when nothing is left
  running = 33,        // Running, if the start asks for it: the command's program now runs
};

struct Header {
  Kind kind;
  std::uint32_t reserved;
  std::uint64_t call;  // The plugin's number for the call. It shows to which call a late message belongs.
};

struct Hello {
  Header header;
  std::uint32_t version;
  std::uint32_t reserved;
};

// Why a warden cannot supervise processes, and therefore serves no call.
enum class WardenProblem : std::uint32_t {
  none = 0,
  proc = 1,         // /proc is not mounted, or shows another pid namespace
  subreaper = 2,    // prctl(PR_SET_CHILD_SUBREAPER)
  privacy = 3,      // prctl(PR_SET_DUMPABLE)
  descriptors = 4,  // the host's descriptors cannot be closed, or the warden's cannot be opened
};

struct Welcome {
  Header header;
  std::uint32_t version;
  std::int32_t pid;
  WardenProblem problem;
  std::int32_t error;  // errno, or 0
};

struct SpawnCustodian {
  Header header;
  std::uint64_t custodian;  // The plugin's number for it.
};

// The custodian's process number. This message may come before or after other messages on the custodian's socket.
struct CustodianSpawned {
  Header header;
  std::int32_t pid;
  std::uint32_t reserved;
};

// Kills custodian `custodian` if it lives, and everything below it. The warden does not know the numbers of custodians
// that a scope keeper has made, so a pidfd of the custodian is sent along.
struct KillTree {
  Header header;
  std::uint64_t custodian;
};

// All processes of the custodian that was killed are dead, except for those named.
struct TreeKilled {
  Header header;
  std::uint32_t unkillable_count;  // May be higher than the number of names.
  std::uint32_t reserved;
  NamedProcess unkillable[max_named];
};

constexpr std::size_t max_processors = 1024;

// What the command may use; engine/limits.h says what each means. 0: no limit.
struct ProtocolLimits {
  std::uint64_t cpu_seconds;
  std::uint64_t memory_bytes;
  std::uint64_t file_bytes;
  std::uint32_t processes;
  std::uint32_t open_files;
  std::uint64_t processors[max_processors / 64];  // A bit set, laid out like the kernel's; empty: all.
};

enum class Limit : std::uint32_t { none = 0, cpu_seconds, memory_bytes, processes, file_bytes };

// A command. The text is `paths` + `arguments` + `variables` NUL-terminated strings, and the shell's path last. It
// begins in this message and continues in `more` messages until text_bytes have come. For a command in a sandbox, the
// last sandbox_bytes of the text are a SandboxPart.
struct Start {
  Header header;
  std::uint32_t text_bytes;
  std::uint32_t paths;      // Files to try to execute, in order, at least one.
  std::uint32_t arguments;  // argv, at least argv[0].
  std::uint32_t variables;  // "NAME=value".
  std::uint32_t sandbox_bytes = 0;
  std::uint32_t in_scope = 0;      // 1: the custodian must be in a scope, because the ruleset does not limit signals.
  std::uint32_t has_input = 0;     // 1: the last descriptor is the command's standard input; 0: the input is empty.
  std::uint32_t has_terminal = 0;  // 1: standard input is a terminal, which becomes the controlling terminal.
  std::uint32_t tells_start = 0;   // 1: Running is wanted.
  std::uint32_t grace_ms = 0;      // of the end at `deadline_ms`
  // 1: after the call, the custodian exits if a command has changed it, as with `inspect`. 0: the plugin will ask.
  std::uint32_t inspects_itself = 0;
  std::uint32_t reserved = 0;
  // When the custodian itself ends the call, as an End does (clock.h); 0: never. The plugin is a little earlier, unless
  // it is held up: it may be stopped, or the receiver of the output may not return.
  std::int64_t deadline_ms = 0;
  ProtocolLimits limits{};
};

// A sandbox, without its Landlock ruleset, which is sent as a descriptor. After this struct come `filter` instructions
// (struct sock_filter), then `binds` texts, then the path of the working directory. Each of the `binds` texts is a
// bind_as_is or bind_read_only, followed by a path; folders come before what is below them. Texts are NUL-terminated;
// paths are absolute and without symbolic links.
//
// Installing a filter takes the kernel up to a third of the time that a small program takes from its start to its end.
// So a custodian enters the filter itself once, and its commands inherit it. If the filter refuses what starting or
// watching the command needs (binds, a cgroup, a limit on memory), the command's own process enters the filter.
struct SandboxPart {
  std::uint32_t filter;  // 0: no system call is refused.
  std::uint32_t binds;   // 0: no mount namespace is made.
};

constexpr char bind_as_is = 'k';
constexpr char bind_read_only = 'r';

constexpr std::size_t max_message = 32 * 1024;
constexpr std::uint32_t max_text = 64U * 1024 * 1024;

struct Running {
  Header header;
  std::int32_t pid;  // The command's main process.
  std::uint32_t reserved;
};

// Ends the call: SIGTERM and SIGCONT to its tree, and grace_ms later SIGKILL until nothing is left. A later End can
// only shorten the time.
struct End {
  Header header;
  std::uint32_t grace_ms;
  std::uint32_t reserved;
};

// Where starting a command failed. namespaces: they are not available; binds: one of the SandboxPart's paths has
// changed; sandbox: the kernel refused the ruleset or the filter.
enum class Stage : std::uint32_t {
  none = 0,
  fork = 1,
  setup = 2,
  directory = 3,
  exec = 4,
  namespaces = 5,
  binds = 6,
  sandbox = 7,
};

enum class EndedBy : std::uint32_t { itself = 0, end = 1, deadline = 2 };

struct Report {
  Header header;
  Stage failed_stage;        // none: the command ran.
  std::int32_t error;        // errno of that stage.
  std::int32_t wait_status;  // The command's status, as wait(2) gives it.
  std::uint32_t abandoned;   // 1: this custodian serves no other call: the warden died, or the call could not begin.
  std::uint64_t user_us;     // CPU time of all reaped processes, in microseconds.
  std::uint64_t system_us;
  std::uint64_t max_rss_kib;  // The largest of any reaped process.
  std::uint64_t tree_kib;     // The most memory that all processes together had in a sample.
  std::uint32_t reaped;       // How many processes the custodian itself reaped.
  std::uint32_t processes;    // The most that were alive at one sample.
  Limit exceeded;             // The limit that made the custodian end the tree, or the kernel end a process.
  // 1: the kernel enforced the limits on memory and processes; 0: the monitor did.
  std::uint32_t in_cgroup;
  std::uint64_t used;                  // How much was used of what `exceeded` limits; CPU time in microseconds.
  std::uint32_t background_count;      // How many processes were still alive when the command was over.
  NamedProcess background[max_named];  // The first of these processes.
  std::uint32_t unkillable_count;      // How many processes the kernel would not let us kill.
  // 1: this custodian has entered the filter of the command's sandbox. It serves only commands that can share it.
  std::uint32_t in_filter;
  NamedProcess unkillable[max_named];  // The first of the unkillable processes.
  EndedBy ended_by;                    // What ended the tree, if the plugin or the deadline did.
  std::uint32_t reserved;
};

// Kind::keep is sent when the command is over and other processes of its tree live. They may then live on until an End
// comes for the call. The custodian reads and discards their output, so that writing neither blocks nor kills them. If
// no process is left when the message arrives, the only answer is the report.

// The most descriptors in one message.
constexpr std::size_t max_descriptors = 5;

// Sends `size` bytes as one message, with `count` descriptors. False, with errno, on failure. Never waits: EAGAIN when
// the peer's queue is full.
bool send_message(int socket, const void* bytes, std::size_t size, const int* descriptors = nullptr,
                  std::size_t count = 0) noexcept;

// Like send_message, but the message continues with `rest_size` bytes from `rest`.
bool send_parts(int socket, const void* bytes, std::size_t size, const void* rest, std::size_t rest_size,
                const int* descriptors = nullptr, std::size_t count = 0) noexcept;

// If SIGSTOP has stopped this process, each message that arrives at `socket` continues it, and so does the closing of
// the other end. Any process of the same user can send SIGSTOP, and nothing can prevent that.
void continue_on_message(int socket) noexcept;

// What receive_message got.
struct Received {
  ssize_t size = -1;  // Bytes; 0: the peer is gone; -1: failed, with errno.
  std::size_t descriptor_count = 0;
  int descriptors[max_descriptors] = {-1, -1, -1, -1, -1};  // The caller closes them; close-on-exec.
  bool descriptors_lost = false;                            // This process had no room for all of them, so it got none.
};

// Receives one message into `buffer`. If it does not fit, the size is -1 with EMSGSIZE. `flags` are those
// of recvmsg.
Received receive_message(int socket, void* buffer, std::size_t size, int flags = 0) noexcept;

}  // namespace wtool::warden
