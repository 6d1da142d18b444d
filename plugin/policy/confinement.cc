#include "policy/confinement.h"

#include <algorithm>

#include "policy/arguments.h"
#include "policy/directories.h"
#include "policy/programs/reader.h"

namespace wtool::policy {

namespace {

using programs::is_listed;

// Tools that take addresses, and fetch from them over the network.
constexpr std::string_view address_tools =
    "curl wget git ssh scp sftp rsync ftp lftp svn hg http https xh aria2c docker podman skopeo kubectl helm npm npx "
    "pnpm yarn bun deno pip pip3 pipx uv poetry cargo go gem bundle composer mvn gradle brew apt apt-get gh glab aws "
    "gcloud gsutil psql redis-cli mongosh ab wrk hey lynx w3m links";

constexpr std::string_view address_schemes =
    "http https ftp ftps ssh sftp git git+https git+ssh svn svn+ssh ws wss s3 gs oci docker postgres postgresql redis "
    "rediss mongodb mongodb+srv";

// True for an address on another machine, which is not a path even though it contains slashes. Only for tools that take
// addresses, and only with a scheme that never names a file (in curl, FILE: names one). An address that contains `..`
// is treated as a path.
bool is_address(std::string_view tool, std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || text.find("..") != text.npos) return false;
  return is_listed(address_schemes, text.substr(0, colon)) && is_listed(address_tools, tool);
}

// The largest number of parts of one word that are checked.
constexpr std::size_t most_candidates = 128;

// The parts of a word that may be a path: the word itself, what follows each of the characters `=`, `:`, `@` and `,`,
// and, in a bundle of options, what follows each letter. False: there are more such parts than are checked.
bool find_candidates(std::string_view tool, std::string_view word, bool is_bundle,
                     std::vector<std::string_view>& found) {
  found.assign(1, word);
  if (is_bundle) {
    for (std::size_t i = 2; i < word.size(); ++i) {
      if (found.size() == most_candidates) return false;
      found.push_back(word.substr(i));
    }
  }
  if (is_address(tool, word)) return true;
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] != '=' && word[i] != ':' && word[i] != '@' && word[i] != ',') continue;
    if (found.size() == most_candidates) return false;
    found.push_back(word.substr(i + 1));
    // Everything from here on belongs to the address.
    if (is_address(tool, found.back())) break;
  }
  return true;
}

// True for some options of curl that take no value.
bool is_flag_of_curl(std::string_view word) {
  return is_listed("--silent --show-error --location --fail --include --insecure --verbose --compressed", word) ||
         (word.size() > 1 && word[0] == '-' && word.find_first_not_of("sSfLiIvkNG", 1) == word.npos);
}

// True for the text that -w prints, if each of its braces belongs to the name of a variable: %{http_code}. -w writes to
// the file that %output{FILE} names.
bool is_format_of_curl(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  if (text.find('[') != text.npos) return false;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find_first_not_of(letters, at + 1);
    if (at == 0 || text[at - 1] != '%' || end == text.npos || end == at + 1 || text[end] != '}') return false;
  }
  return true;
}

// curl itself expands {a,b} and [1-9] in addresses, so a harmless address may become a path: f[i-i]le:///. Data to be
// sent (-d '{"a": 1}') is not an address, and neither is what -w prints.
bool is_glob_of_curl(const std::vector<std::string>& texts, std::size_t i) {
  if (texts[i].find_first_of("{[") == std::string::npos) return false;
  const bool is_format = i > 1 && is_listed("-w --write-out", texts[i - 1]) && is_format_of_curl(texts[i]);
  const bool is_sent =
      i > 1 && is_listed("-d --data --data-raw --data-ascii --data-binary --json -H --header", texts[i - 1]);
  // But -d may itself be the value of the option before it.
  return !(is_sent || is_format) || (i > 2 && texts[i - 2].starts_with('-') && !is_flag_of_curl(texts[i - 2]));
}

// True if texts[i] may be, or contain, a field of a form: -F 'NAME=@FILE'.
bool is_form_of_curl(const std::vector<std::string>& texts, std::size_t i) {
  const auto is_short = [](std::string_view word) { return word.starts_with('-') && !word.starts_with("--"); };
  const std::string_view before = i > 1 ? std::string_view(texts[i - 1]) : std::string_view();
  const bool is_long = before.starts_with("--f") && std::string_view("--form").starts_with(before);
  return is_long || (is_short(before) && before.ends_with('F')) || texts[i].starts_with("--form=") ||
         (is_short(texts[i]) && texts[i].find('F') != std::string::npos);
}

// Adds the files in a field of a form. They follow `=@`, `=<` or a comma. There may be blanks around a file, and quotes,
// and `;` ends it: -F 'NAME=@ "FILE", FILE;headers=<FILE'. False: they are not known.
bool find_form_files(std::string_view word, std::vector<std::string_view>& found) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (word[i] != ',' && (word[i - 1] != '=' || (word[i] != '@' && word[i] != '<'))) continue;
    const std::size_t begin = word.find_first_not_of(blanks, i + 1);
    if (begin == word.npos) break;
    const std::string_view rest = word.substr(begin);
    if (rest.starts_with('"')) {
      found.push_back(rest.substr(1, rest.find('"', 1) - 1));
      // Within quotes, a backslash may stand for the character after it.
      if (found.back().find('\\') != rest.npos) return false;
    }
    // After `<`, a comma belongs to the name.
    for (const std::string_view ends : {";", ";,"}) {
      const std::string_view file = rest.substr(0, rest.find_first_of(ends));
      found.push_back(file.substr(0, file.find_last_not_of(blanks) + 1));
    }
    if (found.size() > most_candidates) return false;
  }
  return true;
}

// Options that name the directory in which a command works.
constexpr std::string_view directory_options = "directory base-directory chdir cwd prefix wd workdir working-directory";

// Programs that may run a program in a different directory.
constexpr std::string_view elsewhere =
    "bwrap chroot daemonize fakechroot firejail git machinectl nsenter proot runuser schroot start-stop-daemon su "
    "systemd-run unshare";

// The path in a pathspec of git: ":(glob)PATH", ":!PATH". Nothing: it is not known where the path begins, or from which
// folder it leads.
std::optional<std::string_view> path_of_pathspec(std::string_view word) {
  if (!word.starts_with(":(")) {
    const std::size_t path = std::min(word.find_first_not_of("!^:", 1), word.size());
    // ":/" and ":!/" lead from the top of the work tree.
    return word.substr(path).starts_with('/') ? std::nullopt : std::optional(word.substr(path));
  }
  const std::size_t end = word.find(')');
  if (end == word.npos) return std::nullopt;
  const bool leads_elsewhere = programs::any_listed(
      word.substr(2, end - 2),
      [](std::string_view magic) {
        return !is_listed("glob icase literal exclude", magic) && !magic.starts_with("attr:");
      },
      ',');
  return leads_elsewhere ? std::nullopt : std::optional(word.substr(end + 1));
}

Escape unknown(std::size_t word, const char* why) { return {word, "", why}; }

// True for a path that begins with a tilde: the shell leaves a quoted tilde alone, but some programs expand it.
bool is_home(std::string_view text) { return text.starts_with('~') && text.find('/') != std::string_view::npos; }

}  // namespace

std::optional<std::vector<std::string>> working_directories(const std::vector<Word>& words, std::size_t count,
                                                            const std::vector<std::string>& directories) {
  constexpr std::size_t most = 16;
  std::vector<std::string> all = directories;
  const auto add = [&](std::string_view path) {
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i) {
      std::string led = resolve_folder(all[i], path);
      if (std::find(all.begin(), all.end(), led) == all.end()) all.push_back(std::move(led));
    }
  };
  for (std::size_t i = 1; i < std::min(count, words.size()); ++i) {
    const std::string_view word = words[i].text;
    if (!word.starts_with('-')) continue;
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1].text) : std::string_view();
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
      const bool leads = !name.empty() && programs::any_listed(directory_options, [&](std::string_view option) {
        return option.starts_with(name);
      });
      if (leads) add(equals == std::string_view::npos ? next : word.substr(equals + 1));
    } else if (const std::size_t letter = word.find_first_of("CD"); letter != word.npos) {
      add(letter + 1 < word.size() ? word.substr(letter + 1) : next);
    }
    if (all.size() > most) return std::nullopt;
  }
  return all;
}

bool runs_elsewhere(std::string_view tool, const std::vector<Word>& words) {
  if (is_listed(elsewhere, tool)) return true;
  return std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
    const std::string_view text = word.text;
    if (tool == "find") return text == "-execdir" || text == "-okdir";
    // With -S, one word has several of env's options, such as -C. working_directories() does not split this word.
    if (tool == "env") return text.starts_with("-") && text.find_first_of("sS") != text.npos;
    if (tool == "cmake") return text == "chdir";
    if (tool == "sudo") return text == "-i" || text == "--login" || text.starts_with("-R") || text.starts_with("--chr");
    return false;
  });
}

std::optional<std::size_t> find_list_of_sums(std::string_view tool, const std::vector<std::string>& texts) {
  if (!is_listed("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum", tool))
    return std::nullopt;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    if (text == "--") break;
    const bool is_long = text.starts_with("--");
    if (is_long ? text.starts_with("--c") : text.starts_with('-') && text.find('c') != text.npos) return i;
  }
  return std::nullopt;
}

bool moves_links(std::string_view tool, const std::vector<std::string>& texts) {
  // True if a bundle of options contains one of `letters`, or a long option begins with `begin`.
  const auto has = [&](std::string_view letters, std::string_view begin) {
    return std::any_of(texts.begin() + 1, texts.end(), [&](const std::string& text) {
      if (text.starts_with("--")) return text.size() > 2 && text.starts_with(begin);
      return text.starts_with('-') && text.find_first_of(letters) != text.npos;
    });
  };
  const std::string_view first = texts.size() > 1 ? std::string_view(texts[1]) : std::string_view();
  if (tool == "cp") return has("rRadP", "--");
  if (tool == "unzip") return judge_arguments(tool, texts).kind != ArgumentJudgement::Kind::safe;
  if (tool == "tar" || tool == "gtar" || tool == "bsdtar") {
    return first.find('x') != first.npos || has("x", "--e") || has("x", "--g");
  }
  if (tool == "git") {
    return !is_listed("status log diff show branch tag rev-parse ls-files blame grep describe", first);
  }
  return is_listed("ln mv cpio pax rsync patch svn hg 7z 7za 7zr unrar", tool);
}

bool names_paths(std::string_view tool, const std::vector<std::string>& texts) {
  const std::vector<bool> is_text = text_words(tool, texts);
  for (std::size_t i = 1; i < texts.size(); ++i) {
    if (is_text[i] || texts[i].empty() || texts[i] == "/dev/null") continue;
    // The subcommand itself is not a path.
    if (i == 1 && is_listed("git npm pnpm yarn cargo go docker kubectl", tool) && texts[i].front() != '-') continue;
    const bool is_option = texts[i].front() == '-';
    if (!is_option || texts[i].find('=') != std::string::npos || (texts[i].size() > 2 && texts[i][1] != '-'))
      return true;
  }
  return false;
}

std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots) {
  const std::vector<bool> is_text = text_words(tool, texts);
  const PathResolver paths(directory);
  std::vector<std::string_view> candidates;
  // The escape of word `i` if `path`, the word or a part of it, is used as a path. Nothing: it stays within the roots.
  const auto escape_of = [&](std::size_t i, std::string_view path) -> std::optional<Escape> {
    const std::optional<std::string> to = paths.resolve(path);
    if (is_within_any(to.value_or("/"), roots)) return std::nullopt;
    return to ? Escape{i, *to} : unknown(i, "it is not known where it leads");
  };
  for (std::size_t i = 1; i < texts.size(); ++i) {
    if (is_text[i]) continue;
    const bool is_short = texts[i].size() > 2 && texts[i][0] == '-' && texts[i][1] != '-';
    const bool is_old_bundle = i == 1 && (tool == "tar" || tool == "gtar" || tool == "bsdtar" || tool == "ar");
    if (tool == "curl" && is_glob_of_curl(texts, i)) return unknown(i, "curl may expand it to any address");
    if (!find_candidates(tool, texts[i], is_short || is_old_bundle, candidates)) {
      return unknown(i, "it may name more paths than are checked");
    }
    if (tool == "curl" && is_form_of_curl(texts, i) && !find_form_files(texts[i], candidates)) {
      return unknown(i, "it may name more paths than are checked");
    }
    if (tool == "git" && texts[i].starts_with(':')) {
      const auto path = path_of_pathspec(texts[i]);
      if (!path) return unknown(i, "it is not known from which folder this pathspec leads");
      candidates.push_back(*path);
    }
    for (const std::string_view candidate : candidates) {
      if (candidate.empty() || candidate == "/dev/null") continue;
      // Tools decode %2e in an address to a dot, so an address that is treated as a path may contain `..` in this form.
      if (candidate.find("://") != candidate.npos && candidate.find('%') != candidate.npos &&
          !is_address(tool, candidate)) {
        return unknown(i, "it is written with %");
      }
      if (is_home(candidate)) return Escape{i, std::string(candidate)};
      if (auto escape = escape_of(i, candidate)) return escape;
      // In host:path, and in lists of paths such as a:b, each part may be a path.
      const std::size_t cut = candidate.find_first_of(":,");
      if (cut == std::string_view::npos || cut == 0 || is_address(tool, candidate)) continue;
      if (auto escape = escape_of(i, candidate.substr(0, cut))) return escape;
    }
    // The target of a link is relative to the link's own folder.
    if (tool == "ln" && texts[i].find("..") != std::string::npos)
      return unknown(i, "the target of a link is relative to the link's own folder");
  }
  return std::nullopt;
}

}  // namespace wtool::policy
