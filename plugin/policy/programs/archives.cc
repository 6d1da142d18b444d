// Archives and compressed files: listing and testing them, and writing their contents to standard output.
#include "policy/arguments/parts.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

// For tar and cpio: finds an archive that is reached through another program.
std::optional<Problem> find_remote_archive(const ParsedCommand& reading, std::string_view archive_options) {
  if (reading.has("--force-local")) return std::nullopt;
  for (const Given& given : reading.given) {
    if (!given.value || !is_listed(archive_options, given.option->name)) continue;
    // A colon after a slash is part of a name.
    const std::size_t colon = given.value->find(':');
    if (colon != std::string_view::npos && colon < given.value->find('/')) {
      return Problem{given.value_word, "an archive with a colon in its name is on another host, and is reached by rsh",
                     "if it is a local file, add --force-local"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_tar(const ParsedCommand& reading) {
  if (auto problem = find_remote_archive(reading, "-f --file")) return problem;
  if (reading.has("-x --extract --get") && !reading.has("-O --to-stdout")) {
    return Problem{reading.begin + 1, "tar -x writes the files of the archive",
                   "tar -t lists them, tar -xO shows them"};
  }
  return std::nullopt;
}

// If several modes are given, a compressor uses the last; with -c it writes to standard output in any mode. --version
// and --license do not keep bzip2 from compressing its files. bzip2 reads all options of one letter first, and then those
// with a name.
std::optional<Problem> check_compressor(const ParsedCommand& reading) {
  if (reading.operands.empty()) return std::nullopt;  // from standard input to standard output
  if (reading.has("-c --stdout --to-stdout")) return std::nullopt;
  const Given* const mode = reading.in_force("-l --list -t --test -d --decompress --uncompress -z --compress");
  const Given* const named = reading.in_force("--list --test --decompress --uncompress --compress");
  const bool keeps = named == nullptr || named == reading.in_force("--list --test");
  if (keeps && mode != nullptr && mode == reading.in_force("-l --list -t --test")) return std::nullopt;
  return Problem{reading.begin, reading.name + " replaces the files that it is given",
                 "with -c it writes to its standard output"};
}

std::optional<Problem> check_cpio(const ParsedCommand& reading) { return find_remote_archive(reading, "-F --file -I"); }

constexpr ProgramSpec archive_specs[] = {
    // A date that begins with / or . is the name of a file, whose date counts.
    {.names = "tar, gtar, bsdtar",
     .options =
         "-t --list -d --diff --compare -x --extract --get -O --to-stdout -f=FILE --file=FILE --force-local -v "
         "--verbose -z "
         "--gzip --gunzip --ungzip -j --bzip2 -J --xz --lzip --lzma --lzop --zstd -Z --compress --uncompress -a "
         "--auto-compress --no-auto-compress --exclude=PATTERN -X=FILE --exclude-from=FILE "
         "--null --no-null --anchored --no-anchored --ignore-case --no-ignore-case --wildcards --no-wildcards "
         "--wildcards-match-slash --no-wildcards-match-slash --strip-components=NUM --occurrence[=NUM] -n --seek "
         "--no-seek -i --ignore-zeros -b=NUM --blocking-factor=NUM -B --read-full-records --full-time --numeric-owner "
         "-R "
         "--block-number --utc --totals[=SIGNAL] --show-transformed-names --show-omitted-dirs --quoting-style=STYLE "
         "--quote-chars=CHARS --no-quote-chars=CHARS --warning=WORD --test-label --show-defaults -k --keep-old-files "
         "-h --dereference --usage --acls --xattrs --selinux --no-recursion --recursion -S --sparse -K=NAME "
         "--starting-file=NAME -N=FILE --newer=FILE --after-date=FILE --newer-mtime=FILE -l --check-links -p "
         "--preserve-permissions --same-permissions --no-same-owner --no-same-permissions -o",
     .effects =
         "runs_program: --rsh-command=COMMAND --rmt-command=COMMAND --to-command=COMMAND -F=COMMAND "
         "--info-script=COMMAND "
         "--new-volume-script=COMMAND -I=COMMAND --use-compress-program=COMMAND --checkpoint-action=ACTION; writes "
         "(writes "
         "an archive): -c --create -r --append -u --update -A --catenate --concatenate --delete; writes: "
         "--index-file=FILE "
         "-g=FILE --listed-incremental=FILE --volno-file=FILE; writes (removes files): --remove-files "
         "--recursive-unlink -U "
         "--unlink-first; writes (sets where files are written): -C=DIR --directory=DIR --one-top-level[=DIR]; "
         "interactive "
         "(asks): -w --interactive --confirmation -M --multi-volume -L --tape-length=NUM; writes (writes outside "
         "of the "
         "folder): -P --absolute-names; other (changes the names of files with a program): --transform=EXPRESSION "
         "--xform=EXPRESSION",
     .with = "tar:lists",
     .check = check_tar,
     .unproven =
         "-C=VALUE -F=VALUE -g=VALUE -I=VALUE -T=VALUE -V=VALUE --checkpoint[=VALUE] --checkpoint-action=VALUE "
         "--directory=VALUE --info-script=VALUE --new-volume-script=VALUE --rmt-command=VALUE --rsh-command=VALUE "
         "--to-command=VALUE --use-compress-program=VALUE --files-from=VALUE --transform=VALUE",
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "I F info-script new-volume-script rmt-command rsh-command to-command use-compress-program",
     .variables = "TAR_* TAPE RSH"},
    {.names = "tar:lists", .effects = "other (reads options from a file): -T=LIST --files-from=LIST"},
    {.names = "gzip, gunzip, bzip2, bunzip2, xz, unxz, lzma, unlzma, zstd, unzstd, compress, uncompress",
     .options = "-c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -l --list -L --license -n "
                "--no-name "
                "-N --name -q --quiet -t --test -v --verbose -V -h -H --long-help --long[=NUM] -1 -2 -3 -4 -5 -6 -7 -8 "
                "-9 -0 -e --extreme "
                "--fast --best -s --small --robot --no-warn -T[=NUM] --threads=NUM",
     .effects = "writes (writes files in folders): -r --recursive; writes (gives files another name): -S=SUFFIX "
                "--suffix=SUFFIX; writes: -o=FILE --output-dir-flat=DIR --output-dir-mirror=DIR; writes (removes "
                "files): --rm; writes (writes its output files): -z --compress --train -D=FILE",
     .check = check_compressor,
     .variables = "GZIP BZIP BZIP2 XZ_* ZSTD_*"},
    {.names = "zcat, gzcat, bzcat, xzcat, lzcat",
     .options =
         "-f --force -h -l --list -L --license -t --test -v --verbose -V -q --quiet -s --small -k -c -d -T[=NUM]"},
    {.names = "zstdcat",
     .effects = "writes: -o=FILE --output-dir-flat=DIR --output-dir-mirror=DIR; writes (removes the file): --rm",
     .with = "zcat"},
    {.names = "zcmp, zdiff, xzdiff, xzcmp", .with = "diff", .manner = shell_script},
    {.names = "bzdiff, bzcmp", .with = "diff", .manner = shell_script | splits},
    // unzip takes -x PATTERN only after the archive, where it is no option here. Before the archive, -x has no value.
    {.names = "unzip",
     .options = "-l -v -t -Z -p -c -z -q -qq -C -a -b -L -j -n -h -M -1 -2 -s -m",
     .effects =
         "writes (overwrites files): -o; writes (writes to another folder): -d=DIR; writes (sets times): -D -T; writes "
         "(writes files): -f -u; other (shows a secret to other programs): -P=PASSWORD; writes (restores owners): -X",
     .style = Style::posix,
     .only_with = "-l -v -t -Z -p -c -z -h",
     .without = "writes the files of the archive",
     .instead = "unzip -l lists them, unzip -p shows them",
     .check = check_unzip,
     .variables = "UNZIP UNZIPOPT"},
    {.names = "zipinfo", .options = "-1 -2 -s -m -l -v -h -t -T -z -Z -M -C -x=PATTERN", .style = Style::posix},
    {.names = "zip",
     .options = "-sf -h -h2 -L",
     .effects = "runs_program: -TT=COMMAND --unzip-command=COMMAND; other (tests with a program): -T --test",
     .style = Style::go,
     .only_with = "-sf -h -h2 -L",
     .without = "writes an archive",
     .instead = "unzip -l lists one",
     .runs = Runs::words,
     .beginnings = "--un",
     .letters = "TT",
     .variables = "ZIP ZIPOPT"},
    {.names = "cpio",
     .options =
         "-i --extract -t --list -v --verbose -F=FILE --file=FILE -I=FILE -n --numeric-uid-gid --quiet -H=FORMAT "
         "--format=FORMAT --force-local",
     .effects = "writes (writes files): -p< --pass-through<; writes (writes an archive): -o< --create< -O=FILE; "
                "runs_program: --rsh-command=COMMAND",
     .only_with = "-t --list",
     .without = "writes files",
     .instead = "cpio -t lists them",
     .check = check_cpio,
     .runs = Runs::option_value,
     .manner = lenient | permutes,
     .script = "rsh-command"},
};

}  // namespace

// unzip does not use getopt. Before the archive, each dash inside of a word with a dash, `--` and a lone `-` negate the
// option that follows, even in the next word: `unzip -l -- -l a.zip` extracts.
std::optional<Problem> check_unzip(const ParsedCommand& reading) {
  if (reading.first_operand_behind_dashes == 0 || reading.operand(0) == "-") {
    return Problem{reading.operands.empty() ? reading.begin : reading.operands[0],
                   "for unzip, a word of dashes before the archive takes back the next option", "leave the dashes out"};
  }
  return std::nullopt;
}

std::span<const ProgramSpec> archive_programs() { return archive_specs; }

}  // namespace wtool::policy::programs
