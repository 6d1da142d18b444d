#include "policy/arguments/parts.h"

#include <algorithm>

namespace wtool::policy::programs {

namespace {

struct Setting {
  std::string key;  // in lower case, as git compares all but a middle part
  std::string value = {};
  bool has_value = false;
};

Setting read_setting(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Setting setting{.key = std::string(text.substr(0, equals)), .has_value = equals < text.size()};
  std::transform(setting.key.begin(), setting.key.end(), setting.key.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (setting.has_value) setting.value = text.substr(equals + 1);
  return setting;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool names_no_pager(const Setting& setting) {
  return setting.has_value && is_one_of(setting.value, {"", "cat", "false"});
}

bool is_harmless(const Setting& setting) {
  const std::string& key = setting.key;
  if (key == "core.pager" || key.starts_with("pager.")) return names_no_pager(setting);
  if (key.starts_with("color.") || key.starts_with("column.") || key.starts_with("advice.")) return true;
  return is_one_of(key, {"core.quotepath",
                         "core.abbrev",
                         "core.precomposeunicode",
                         "log.date",
                         "log.decorate",
                         "log.follow",
                         "log.abbrevcommit",
                         "log.mailmap",
                         "diff.renames",
                         "diff.renamelimit",
                         "diff.algorithm",
                         "diff.noprefix",
                         "diff.mnemonicprefix",
                         "diff.context",
                         "diff.colormoved",
                         "diff.wordregex",
                         "grep.linenumber",
                         "grep.fullname",
                         "grep.patterntype",
                         "grep.threads",
                         "status.short",
                         "status.branch",
                         "status.relativepaths",
                         "status.showuntrackedfiles",
                         "user.name",
                         "user.email",
                         "i18n.logoutputencoding",
                         "init.defaultbranch",
                         "gc.auto",
                         "maintenance.auto"});
}

// Settings whose value is a program, a line for the shell, or a file of further settings.
bool runs_program(const Setting& setting) {
  const std::string& key = setting.key;
  if (key == "core.pager" || key.starts_with("pager.")) {
    return !names_no_pager(setting) && !is_one_of(setting.value, {"true", "less", "more"});
  }
  if (key.starts_with("alias.")) return setting.value.starts_with('!');
  if (key == "core.fsmonitor") return !is_one_of(setting.value, {"true", "false", ""});
  // protocol.ext.allow: the transport that runs a command.
  if (key.starts_with("protocol.")) return setting.value != "never";
  if (key.starts_with("submodule.")) return setting.value.starts_with('!');
  if (key.starts_with("url.")) return true;
  if (is_one_of(key, {"core.sshcommand",
                      "core.gitproxy",
                      "core.editor",
                      "core.hookspath",
                      "core.askpass",
                      "core.alternaterefscommand",
                      "core.attributesfile",
                      "core.worktree",
                      "diff.external",
                      "diff.tool",
                      "merge.tool",
                      "gpg.program",
                      "sequence.editor",
                      "uploadpack.packobjectshook",
                      "include.path",
                      "web.browser",
                      "interactive.difffilter",
                      "init.templatedir",
                      "imap.tunnel",
                      "sendemail.smtpserver",
                      "instaweb.httpd",
                      "help.browser",
                      "man.viewer",
                      "credential.helper",
                      "http.sslcert",
                      "receive.procreceiverefs",
                      "bundle.heuristic"})) {
    return true;
  }
  const std::size_t dot = key.rfind('.');
  const std::string_view last = std::string_view(key).substr(dot == key.npos ? 0 : dot + 1);
  return is_one_of(last, {"command", "textconv", "cmd", "driver", "clean", "smudge", "process", "helper", "program",
                          "uploadpack", "receivepack", "vcs", "path", "defaultkeycommand", "sendmailcmd", "tocmd",
                          "cccmd"}) &&
         !key.starts_with("user.");
}

Problem complain(std::size_t word, std::string_view setting) {
  return {word, "the setting " + std::string(setting) + " of git can name a program that runs",
          "leave the setting out"};
}

}  // namespace

std::optional<Problem> check_git_settings(const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    // Those of git itself stand in front of its command.
    if (given.word >= reading.begin && reading.begin > 0) continue;
    if (given.option->name == "-c" && given.value && !is_harmless(read_setting(*given.value))) {
      return Problem{given.value_word,
                     "the setting " + std::string(*given.value) + " of git is not one that is known to be harmless",
                     "leave -c out"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> find_git_program(const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    const std::string& option = given.option->name;
    const bool of_git = given.word < reading.begin || reading.begin == 0;
    if (!given.value) continue;
    if ((of_git && option == "-c") || (reading.name == "git clone" && (option == "-c" || option == "--config"))) {
      if (runs_program(read_setting(*given.value))) return complain(given.value_word, *given.value);
    } else if (of_git && (option == "--exec-path" || option == "--config-env")) {
      return Problem{given.word, option + " of git can name a program that runs", "leave " + option + " out"};
    }
  }
  // A third operand says which of several values is replaced.
  if (reading.name.starts_with("git config") && reading.operands.size() >= 2 &&
      runs_program(read_setting(std::string(reading.operand(0)) + '=' + std::string(reading.operand(1))))) {
    return complain(reading.operands[0], reading.operand(0));
  }
  // What harmless names hold may name programs under another.
  if (reading.name == "git config rename-section" ||
      (reading.name == "git config" && reading.has("--rename-section"))) {
    return Problem{reading.begin, "git config gives settings other names, by which they can name a program that runs",
                   "set the setting by its name"};
  }
  if (reading.tool->spec().does == Effect::runs_program) {
    return Problem{reading.begin, reading.name + ' ' + std::string(reading.tool->spec().never), {}};
  }
  for (std::size_t i = 1; i < reading.words.size(); ++i) {
    if (!reading.text[i] && reading.words[i].starts_with("ext::")) {
      return Problem{i, "an address of git that begins with ext:: is a command that it runs", "use another transport"};
    }
  }
  return std::nullopt;
}

}  // namespace wtool::policy::programs
