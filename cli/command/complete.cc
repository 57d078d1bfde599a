#include "cli/command/complete.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "cli/command/find.h"
#include "cli/session/session.h"

namespace bth::cli {
namespace {

constexpr int kNoBlankFollows = 2;
constexpr int kNoFiles = 4;

// Where the word is that is being typed.
struct TypingPlace {
  const Flag* awaiting = nullptr;  // It is the value of this one.
  bool flags_are_over = false;     // It stands behind "--".
  std::vector<std::string> operands;
  std::vector<std::string> given;  // Names of flags.
};

// Notes the flags of a word; returns the one whose value the next word is, or null.
const Flag* TakeFlagWord(std::string_view word, const FlagSet& flags, TypingPlace* place) {
  if (word[1] == '-') {
    const size_t equals = word.find('=');
    const Flag* flag = flags.Find(word.substr(2, equals == word.npos ? equals : equals - 2));
    if (flag == nullptr) return nullptr;
    place->given.push_back(flag->name);
    return equals == word.npos && flag->takes_value ? flag : nullptr;
  }
  for (size_t i = 1; i < word.size(); ++i) {
    const Flag* flag = flags.Find(word[i]);
    if (flag == nullptr) return nullptr;
    place->given.push_back(flag->name);
    if (flag->takes_value) return i + 1 == word.size() ? flag : nullptr;
  }
  return nullptr;
}

TypingPlace PlaceBehind(const std::vector<std::string>& words, const FlagSet& flags) {
  TypingPlace place;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.flags_are_over || word.size() < 2 || word.front() != '-') {
      place.operands.push_back(word);
    } else if (word == "--") {
      place.flags_are_over = true;
    } else if (const Flag* flag = TakeFlagWord(word, flags, &place)) {
      if (i + 1 == words.size()) place.awaiting = flag;
      ++i;
    }
  }
  return place;
}

Candidates ValuesOf(const Flag& flag, Session& session, std::string_view typed) {
  if (flag.offer) return flag.offer(session, typed);
  if (!flag.takes_value) return {{{"true", ""}, {"false", ""}}};
  return {};
}

// Those that are not given yet; their letters where the word may become one.
Candidates FlagNames(const FlagSet& flags, const TypingPlace& place, std::string_view typed) {
  Candidates out;
  for (const Flag& flag : flags.flags()) {
    const auto given = std::find(place.given.begin(), place.given.end(), flag.name);
    if (given != place.given.end()) continue;
    out.words.push_back({StrCat("--", flag.name), flag.help});
    if (flag.letter != 0 && typed == "-") {
      out.words.push_back({StrCat("-", std::string(1, flag.letter)), flag.help});
    }
  }
  return out;
}

Candidates ChildNames(const Command& command) {
  Candidates out;
  for (const Command& child : command.children) out.words.push_back({child.name, child.short_text});
  return out;
}

// "--output=js", "-o=js": the value, which is all that is completed.
Candidates ValuesBehindEquals(const FlagSet& flags, Session& session, std::string_view* typed) {
  const size_t equals = typed->find('=');
  const std::string_view name = typed->substr(0, equals);
  typed->remove_prefix(equals + 1);
  const Flag* flag = nullptr;
  if (name.starts_with("--")) flag = flags.Find(name.substr(2));
  if (name.size() == 2 && name != "--") flag = flags.Find(name[1]);
  return flag == nullptr ? Candidates{} : ValuesOf(*flag, session, *typed);
}

// `typed` becomes the part of it that the candidates take the place of.
Candidates CandidatesFor(const Command& root, const FlagSet& global, const FoundCommand& found,
                         Session& session, std::string_view* typed) {
  const Command& here = *found.path.back();
  FlagSet flags = here.flags;
  bool wants_help = false;
  flags.Bool(&wants_help, {"help", 'h'}, StrCat("help for ", here.name));
  const FlagSet own = flags;
  flags.AddAll(global);
  const TypingPlace place = PlaceBehind(found.args, flags);
  // What stands before a mistake counts, as when the line is run.
  flags.Parse(found.args).IgnoreError();
  if (place.awaiting != nullptr) return ValuesOf(*place.awaiting, session, *typed);
  if (!place.flags_are_over && typed->starts_with("-")) {
    if (typed->find('=') == std::string_view::npos) return FlagNames(flags, place, *typed);
    return ValuesBehindEquals(flags, session, typed);
  }
  if (here.name == kHelpCommand && found.path.size() == 2) {
    const FoundCommand topic = FindCommand(root, global, place.operands);
    if (topic.unknown.empty() && topic.args.empty()) return ChildNames(*topic.path.back());
    return {};
  }
  if (!here.children.empty()) return place.operands.empty() ? ChildNames(here) : Candidates{};
  // Such a command takes nothing but flags.
  return typed->empty() && !place.flags_are_over ? FlagNames(own, place, "") : Candidates{};
}

// What a line cannot hold would break the convention, and what a shell reads as its own the line.
bool CanBeShown(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  return text;
}

}  // namespace

std::string CompletionText(const Command& root, const FlagSet& global,
                           const std::vector<std::string>& line, Session& session) {
  std::vector<std::string> before = line;
  const std::string last = before.empty() ? "" : before.back();
  if (!before.empty()) before.pop_back();
  const FoundCommand found = FindCommand(root, global, std::move(before));
  std::string_view typed = last;
  Candidates candidates;
  if (found.unknown.empty()) {
    candidates = CandidatesFor(root, global, found, session, &typed);
  }
  std::string out;
  std::set<std::string_view> seen;
  bool goes_on = false;
  bool ends = false;
  for (const Candidate& candidate : candidates.words) {
    if (!candidate.word.starts_with(typed) || !CanBeShown(candidate.word)) continue;
    if (!seen.insert(candidate.word).second) continue;
    StrAppend(&out, candidate.word, candidate.about.empty() ? "" : "\t", OneLine(candidate.about),
              "\n");
    (candidate.word.back() == '=' ? goes_on : ends) = true;
  }
  const int directive =
      (candidates.files ? 0 : kNoFiles) + (goes_on && !ends ? kNoBlankFollows : 0);
  return StrCat(out, ":", directive, "\n");
}

}  // namespace bth::cli
