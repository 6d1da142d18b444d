#include "cache/step_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "base/paths.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "cache/patterns.h"

namespace wtool::host::cache {
namespace {

namespace fs = std::filesystem;

// Raised when keys are computed differently, so that old entries no longer match.
constexpr std::string_view key_version = "wtool step 4";
// After the name of a result or an output: why it is not kept.
constexpr const char* has_secret = "contains a secret";
constexpr std::string_view input_part = "file ";  // in `parts`, the beginning of an input file's name

// Appends the text with its size, so that different lists of texts never become the same bytes.
void append(std::string& to, std::string_view text) {
  to.append(std::to_string(text.size())).append(1, ':').append(text);
}

std::string serialized(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) append(all, text);
  return all;
}

// What the store keeps of the parts: hashes, because a value may be long, or private.
std::map<std::string, std::string> hashes_of(const std::map<std::string, std::string>& parts) {
  std::map<std::string, std::string> hashes;
  for (const auto& [name, value] : parts) hashes.emplace_hint(hashes.end(), name, sha256(value));
  return hashes;
}

std::string step_hash(const Work& work) {
  return sha256(serialized({work.directory, work.file, work.step, work.combination}));
}

std::string record_file(const StepCache::Options& options) {
  if (options.folder.empty()) return {};
  return options.folder + "/files/" + sha256(options.directory);
}

// Whether the entry has a name that is refused: the name of a file, or the target of a link.
bool refuses_name(const CacheEntry& entry, const std::function<StepCache::Refuses()>& refuses) {
  const auto refused = [&](const std::string& text) { return refuses()(text, true); };
  return std::any_of(entry.parts.begin(), entry.parts.end(), [&](const auto& part) { return refused(part.first); }) ||
         std::any_of(entry.outputs.begin(), entry.outputs.end(),
                     [&](const CachedOutput& output) { return refused(output.path) || refused(output.link); });
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string below_link(const std::string& output, const std::string& link) {
  return "the output " + quoted(output) + " is below a link: " + quoted(link);
}

bool is_output(const Work& work, const std::string& path) {
  return std::any_of(work.outputs.begin(), work.outputs.end(),
                     [&](const std::string& output) { return matches(output, path); });
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Whether the file or folder that a link leads to is among the outputs, with everything in it. It is then kept and
// checked itself.
bool leads_to_outputs(const Work& work, const std::string& link) {
  std::error_code failed;
  const std::string directory = fs::canonical(work.directory, failed).string();
  const std::string target = failed ? "" : fs::canonical(link, failed).string();
  if (failed || !is_within(target, directory)) return false;
  const std::string path = fs::path(target).lexically_relative(directory).string();
  return is_output(work, path);
}

// Where a link at `path` leads, or would lead.
std::string target_of(const std::string& path, const std::string& link) {
  return (fs::path(path).parent_path() / link).string();
}

// Whether another folder or link had one of the names for a while. A folder whose entries change gets a new time of
// modification, too, and may have any time of change then.
bool have_moved(const std::map<std::string, FileIdentity>& before, const std::map<std::string, FileIdentity>& now) {
  return std::any_of(before.begin(), before.end(), [&](const auto& folder) {
    const auto found = now.find(folder.first);
    if (found == now.end()) return true;
    const FileIdentity &then = folder.second, &here = found->second;
    return then.device != here.device || then.inode != here.inode ||
           (then.changed != here.changed && then.modified == here.modified);
  });
}

void remove_unfinished(const Work& work, const std::vector<CachedOutput>& outputs) {
  std::set<std::string> folders;
  for (const CachedOutput& output : outputs) folders.insert(fs::path(output.path).parent_path().string());
  for (const std::string& folder : folders) Store::remove_unfinished(work.directory, folder);
}

}  // namespace

StepCache::StepCache(Options options)
    : options_(std::move(options)), store_(options_.folder, options_.max_bytes), hashes_(record_file(options_)) {
  // A configuration may be long, and is the same for all steps.
  common_parts_ = hashes_of(options_.parts);
}

StepCache::~StepCache() {
  if (options_.looks_only) return;
  hashes_.save();
  if (!kept_.empty()) store_.trim();
}

std::string StepCache::absolute(const Work& work, const std::string& path) const {
  return path.starts_with('/') ? path : work.directory + "/" + path;
}

Look StepCache::look(const Work& work, const TakesTime& takes_time) {
  std::uint64_t read = 0;
  const FileHashes::Reads reads = [&](std::uint64_t bytes) {
    const bool was_long = std::exchange(read, read + bytes) > long_bytes;
    if (takes_time && !was_long && read > long_bytes) takes_time();
  };
  Look look;
  if (look.why = store_.problem(); !look.why.empty()) return look;
  for (const std::string& output : work.outputs) {
    if (const std::string problem = output_problem(output); !problem.empty()) {
      look.why = "the output " + quoted(output) + " " + problem;
    } else if (std::find(work.inputs.begin(), work.inputs.end(), output) != work.inputs.end()) {
      look.why = quoted(output) + " is both an input and an output";
    } else {
      continue;
    }
    look.is_doubt = true;
    return look;
  }
  look.parts = common_parts_;
  look.parts.insert(work.parts.begin(), work.parts.end());
  look.parts.emplace("the names of its inputs", serialized(work.inputs));
  look.parts.emplace("the names of its outputs", serialized(work.outputs));
  add_inputs(work, look, reads);
  if (!look.why.empty()) return look;
  std::string all = serialized({std::string(key_version), work.directory});
  for (const auto& [name, value] : look.parts) {
    append(all, name);
    append(all, value);
  }
  look.key = sha256(all);
  if (options_.force) {
    look.why = "--force";
    return look;
  }
  look.entry = store_.find(look.key);
  if (!look.entry) {
    look.why = why_not(work, look);
    return look;
  }
  if (work.outputs.empty()) {
    // What the work does is not known. If it has been done in another way since, as an installation of another version,
    // the earlier result no longer shows that it is done. Another step may have done it for this one.
    const std::string step = step_hash(work);
    const std::string& last = store_.latest_key(step).empty() ? look.entry->maker : step;
    if (!store_.is_newest(last, look.key)) look.why = why_not(work, look);
  } else {
    check_outputs(work, look, reads);
  }
  if (!look.why.empty()) look.entry.reset();
  return look;
}

void StepCache::add_inputs(const Work& work, Look& look, const FileHashes::Reads& reads) {
  const FoundFiles found = find_files(work.directory, work.inputs, work.outputs);
  if (look.why = found.problem; !look.why.empty()) return;
  if (!found.unmatched.empty()) {
    look.is_doubt = true;
    look.why = "no file matches the input " + quoted(found.unmatched.front());
    return;
  }
  PathsBelow below(work.directory);
  for (const std::string& path : found.paths) {
    const FileState state = hashes_.look(absolute(work, path), reads);
    std::string problem = state.problem;
    if (problem.empty() && !state.exists) problem = "is gone";
    if (problem.empty() && is_output(work, below(path))) {
      problem = "is both an input and an output";
      look.is_doubt = true;
    }
    if (!problem.empty()) {
      look.why = quoted(path) + " " + problem;
      return;
    }
    look.parts.emplace(std::string(input_part) + path,
                       serialized({state.hash, state.executable ? "x" : "", state.link}));
    look.inputs.emplace(path, std::pair(state.name, state.file));
  }
}

bool StepCache::is_own(const std::optional<CacheEntry>& newest, const std::string& path, const FileState& state) const {
  if (!newest || !state.problem.empty()) return false;
  const auto output = std::find_if(newest->outputs.begin(), newest->outputs.end(),
                                   [&](const CachedOutput& one) { return one.path == plain_path(path); });
  if (output == newest->outputs.end() || !output->own || output->link != state.link) return false;
  return !state.link.empty() || output->hash == state.hash;
}

// An existing output is overwritten only if the step itself has made it, so that a hit loses neither a person's changes
// nor what another step has made meanwhile.
void StepCache::check_outputs(const Work& work, Look& look, const FileHashes::Reads& reads) {
  // An output that exists but is not in the entry was made from an earlier state of the inputs. The work would not make
  // it now.
  const FoundFiles now = find_files(work.directory, work.outputs, {}, PatternLinks::not_followed);
  if (look.why = now.problem; !look.why.empty()) return;
  std::set<std::string_view> kept;
  for (const CachedOutput& output : look.entry->outputs) kept.insert(output.path);
  for (const std::string& path : now.paths) {
    if (!kept.contains(plain_path(path))) {
      look.why = "the output " + quoted(path) + " is not among the kept outputs";
      return;
    }
  }
  std::optional<std::optional<CacheEntry>> newest;  // read only if it is needed
  const auto may_be_replaced = [&](const std::string& path, const FileState& state) {
    if (!newest) newest = store_.latest(step_hash(work));
    return is_own(*newest, path, state) && store_.has_content(state.hash);
  };
  for (const CachedOutput& output : look.entry->outputs) {
    const std::string file = absolute(work, output.path);
    const FileState state = hashes_.look(file, reads);
    const auto is_as_before = [&](const std::string& hash) { return output.behind.empty() || hash == output.behind; };
    const bool same = output.hash.empty()
                          ? state.link == output.link && !state.link.empty() && is_as_before(state.hash)
                          : state.link.empty() && state.hash == output.hash && state.mode == output.mode;
    if (state.exists && same) continue;
    if (state.exists && (!output.own || !state.link.empty() || !state.problem.empty() ||
                         (state.hash != output.hash && !may_be_replaced(output.path, state)))) {
      look.why = "the output " + quoted(output.path) + " was changed by something else, or is no longer kept";
      return;
    }
    if (!output.own) {
      look.why =
          "the output " + quoted(output.path) + " is gone, and was kept from a file that something else had begun";
      return;
    }
    if (!output.hash.empty() && !store_.has_content(output.hash)) {
      look.why = "the output " + quoted(output.path) + " is no longer kept";
      return;
    }
    if (!output.behind.empty() && !is_as_before(hashes_.look(target_of(file, output.link)).hash)) {
      look.why = "the file behind the output " + quoted(output.path) + " was changed by something else";
      return;
    }
    look.missing.push_back(output);
  }
}

std::string StepCache::why_not(const Work& work, const Look& look) const {
  const auto latest = store_.latest(step_hash(work));
  if (!latest) return "no result of this step is kept";
  constexpr std::size_t most_named = 3;
  std::string named;
  std::size_t differences = 0;
  const auto differs = [&](const std::string& name, const std::string& how) {
    if (differences++ >= most_named) return;
    if (!named.empty()) named += ", ";
    named += (name.starts_with(input_part) ? quoted(name.substr(input_part.size())) : name) + " " + how;
  };
  for (const auto& [name, hash] : hashes_of(look.parts)) {
    const auto before = latest->parts.find(name);
    if (before == latest->parts.end()) {
      differs(name, "is new");
    } else if (before->second != hash) {
      differs(name, "changed");
    }
  }
  for (const auto& [name, hash] : latest->parts) {
    if (!look.parts.contains(name)) differs(name, "is gone");
  }
  if (differences == 0 && latest->key == look.key) return "it has begun again since, and that result was not kept";
  // The entry was not there when look() searched for it, or has another key_version.
  if (differences == 0) return "its kept result is of another version of wtool, or has only just been kept";
  if (differences <= most_named) return named;
  return named + ", and " + std::to_string(differences - most_named) + " more";
}

bool StepCache::restore(const Work& work, Look& look, const TakesTime& takes_time) {
  std::uint64_t bytes = 0;
  for (const CachedOutput& output : look.missing) bytes += output.bytes;
  if (takes_time && bytes > long_bytes) takes_time();
  remove_unfinished(work, look.missing);
  for (const CachedOutput& output : look.missing) {
    std::string problem;
    if (store_.restore(work.directory, output, problem)) continue;
    look.why = "the output " + quoted(output.path) + " cannot be put back: " + problem;
    look.entry.reset();
    return false;
  }
  store_.used(*look.entry, step_hash(work));
  return true;
}

void StepCache::begin(const Work& work, Look& look) {
  if (options_.looks_only) return;
  if (work.outputs.empty()) store_.begin(step_hash(work));
  if (look.key.empty()) return;
  look.above = folders_above(work, look);
  const FoundFiles now = find_files(work.directory, work.outputs, {}, PatternLinks::not_followed);
  if (!now.problem.empty()) return;
  const auto newest = now.paths.empty() ? std::nullopt : store_.latest(step_hash(work));
  for (const std::string& path : now.paths) {
    if (!is_own(newest, path, hashes_.look(absolute(work, path)))) look.made_by_others.insert(plain_path(path));
  }
  look.has_begun = true;
}

void StepCache::claim(SharedClaim& claim, const SharedClaim::Contents& contents) const {
  if (options_.looks_only || options_.folder.empty() || claim.is_taken()) return;
  std::string problem;
  if (const std::string folder = store_.claims_folder(problem); !folder.empty()) claim.take(folder, contents);
}

std::string StepCache::collect_outputs(const Work& work, const std::vector<std::string>& paths,
                                       std::set<std::string>& checked_folders, std::vector<CachedOutput>& outputs) {
  for (const std::string& path : paths) {
    if (const std::string link = link_above(work.directory, plain_path(path), checked_folders); !link.empty()) {
      return below_link(path, link);
    }
    const std::string file = absolute(work, path);
    const FileState state = hashes_.look(file);
    CachedOutput output{.path = plain_path(path), .hash = state.hash, .link = state.link};
    output.mode = state.mode;
    output.bytes = state.bytes;
    if (!state.problem.empty() || !state.exists) {
      return "the output " + quoted(path) + " " + (state.exists ? state.problem : "is gone");
    }
    if (!is_utf8(output.path)) return "the name of the output " + quoted(path) + " is not UTF-8";
    if (!is_utf8(output.link)) return "the output " + quoted(path) + " is a link to a name that is not UTF-8";
    if (!state.link.empty()) {
      // Nothing would notice that something behind the link changes.
      const bool is_kept = leads_to_outputs(work, file);
      if (!is_kept && is_folder(file)) {
        return "the output " + quoted(path) + " is a link to a folder that its outputs do not name";
      }
      if (!is_kept) output.behind = state.hash;
      output.hash.clear();
      output.mode = 0;
      output.bytes = 0;
    }
    outputs.push_back(std::move(output));
  }
  return {};
}

std::map<std::string, FileIdentity> StepCache::folders_above(const Work& work, const Look& look) const {
  std::map<std::string, FileIdentity> above;
  for (const auto& [path, identities] : look.inputs) {
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1)) {
      const std::string folder = path.substr(0, slash);
      struct stat status {};
      const bool exists = ::lstat(absolute(work, folder).c_str(), &status) == 0;
      if (!above.emplace(folder, exists ? identity_of(status) : FileIdentity()).second) break;
    }
  }
  return above;
}

std::string StepCache::changed_since(const Work& work, const Look& look) {
  Look again;
  again.parts = look.parts;
  std::erase_if(again.parts, [](const auto& part) { return part.first.starts_with(input_part); });
  add_inputs(work, again);
  if (!again.why.empty()) return again.why;
  // Even if an input now has its old content again, the work may have read different content in between: the file was
  // written twice, or another file had its name for a while.
  for (const auto& [input, before] : look.inputs) {
    const auto now = again.inputs.find(input);
    if (now == again.inputs.end() || now->second != before) {
      return "its inputs changed while it ran: " + quoted(input) + " was written, or got another mode or hard link";
    }
  }
  if (again.parts != look.parts || again.inputs != look.inputs || have_moved(look.above, folders_above(work, look)))
    return "its inputs changed while it ran";
  return {};
}

std::string StepCache::copy_outputs(const Work& work, const CacheEntry& entry, Store::Keeping& keeping,
                                    const std::function<Refuses()>& refuses) const {
  for (const CachedOutput& output : entry.outputs) {
    if (!output.link.empty()) continue;
    const Refuses refused = refuses();
    std::string problem;
    const std::string hash = keeping.add(
        absolute(work, output.path),
        [&](std::string_view bytes, bool last) { return refused(bytes, last) ? has_secret : std::string(); }, problem);
    if (!problem.empty()) return "the output " + quoted(output.path) + ": " + problem;
    if (hash != output.hash) return "the output " + quoted(output.path) + " changed while it was read";
  }
  return {};
}

std::string StepCache::keep(const Work& work, const Look& look, const std::string& result, const std::string& run,
                            const std::function<Refuses()>& refuses, const SharedClaim& claim,
                            std::vector<CachedOutput>* kept_outputs) {
  if (look.key.empty() || options_.looks_only) return look.why;
  if (refuses()(result, true)) return std::string("its result ") + has_secret;
  if (std::string why = changed_since(work, look); !why.empty()) return why;
  const FoundFiles found = find_files(work.directory, work.outputs, {}, PatternLinks::not_followed);
  if (!found.problem.empty()) return found.problem;
  // A command in a sandbox could make a link to a folder that it may not read. The next run would then put copies of
  // that folder's files into the project.
  std::set<std::string> checked_folders;
  if (!found.unmatched.empty()) {
    const std::string& output = found.unmatched.front();
    const std::string link = link_above(work.directory, plain_path(output), checked_folders);
    return link.empty() ? "no file is in its output " + quoted(output) : below_link(output, link);
  }

  std::string problem;
  Store::Keeping keeping(store_, problem);
  if (!problem.empty()) return problem;
  CacheEntry entry{.key = look.key,
                   .step = work.step,
                   .maker = step_hash(work),
                   .file = work.file,
                   .run = run,
                   .made = static_cast<std::int64_t>(std::time(nullptr)),
                   .parts = hashes_of(look.parts),
                   .result = result};
  if (std::string why = collect_outputs(work, found.paths, checked_folders, entry.outputs); !why.empty()) return why;
  for (CachedOutput& output : entry.outputs) {
    output.own = look.has_begun && !look.made_by_others.contains(output.path);
  }
  // All names are checked before any content is copied: if one is refused, a copy would stay in the store without an
  // entry.
  if (refuses_name(entry, refuses)) return std::string("the name of a file ") + has_secret;
  if (std::string why = copy_outputs(work, entry, keeping, refuses); !why.empty()) return why;
  if (std::string conflict = claim.conflict(); !conflict.empty()) return conflict;
  if (!keeping.finish(entry, step_hash(work), problem)) return problem;
  remove_unfinished(work, entry.outputs);
  if (kept_outputs != nullptr) *kept_outputs = entry.outputs;
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(entry));
  return {};
}

std::vector<CachedOutput> StepCache::outputs_of(const Outputs& outputs, std::size_t most) {
  std::vector<CachedOutput> made;
  for (const std::string& path :
       find_files(outputs.directory, outputs.patterns, {}, PatternLinks::not_followed).paths) {
    if (made.size() == most) break;
    const FileState state = hashes_.look((fs::path(outputs.directory) / path).string());
    if (!state.exists || !state.problem.empty()) continue;
    made.push_back({.path = plain_path(path), .hash = state.hash, .link = state.link});
  }
  return made;
}

std::vector<std::string> StepCache::recheck(const std::function<Refuses()>& refuses) {
  std::vector<std::string> steps;
  hashes_.forget([&](const std::string& path) { return refuses()(path, true); });
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const CacheEntry& entry) {
    bool refused = refuses()(entry.result, true) || refuses_name(entry, refuses);
    for (const CachedOutput& output : entry.outputs) {
      if (refused || output.hash.empty()) continue;
      const Refuses look = refuses();
      refused = !store_
                     .look_at(output, [&](std::string_view bytes,
                                          bool last) { return std::string(look(bytes, last) ? "refused" : ""); })
                     .empty();
    }
    if (!refused) return false;
    store_.remove_with_contents(entry);
    if (std::find(steps.begin(), steps.end(), entry.step) == steps.end()) steps.push_back(entry.step);
    return true;
  });
  return steps;
}

}  // namespace wtool::host::cache
