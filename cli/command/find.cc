#include "cli/command/find.h"

#include <utility>

namespace bth::cli {
namespace {

using Words = std::vector<std::string>;

// What a word of a command line is while it is not known yet which command, and so which flags, it
// belongs to.
enum class WordKind { kCommand, kFlag, kFlagBeforeValue, kEndOfFlags };

WordKind KindOf(const std::string& word, const FlagSet& flags) {
  if (word == "--") return WordKind::kEndOfFlags;
  if (word.empty() || word.front() != '-') return WordKind::kCommand;
  if (word.find('=') != std::string::npos) return WordKind::kFlag;
  const bool is_long = word.size() > 2 && word[1] == '-';
  if (!is_long && word.size() != 2) return WordKind::kFlag;
  const Flag* flag = is_long ? flags.Find(std::string_view(word).substr(2)) : flags.Find(word[1]);
  // A flag that is not known here may be one of the command that follows, with a value.
  return flag == nullptr || flag->takes_value ? WordKind::kFlagBeforeValue : WordKind::kFlag;
}

// Index of the first word that is neither a flag nor the value of one; `args.size()` without.
size_t FirstCommandWord(const Words& args, const FlagSet& flags) {
  for (size_t i = 0; i < args.size(); ++i) {
    const WordKind kind = KindOf(args[i], flags);
    if (kind == WordKind::kEndOfFlags) break;
    if (kind == WordKind::kCommand && !args[i].empty()) return i;
    if (kind == WordKind::kFlagBeforeValue) ++i;
  }
  return args.size();
}

}  // namespace

FoundCommand FindCommand(const Command& root, const FlagSet& global, Words args) {
  FoundCommand found{{&root}, std::move(args), ""};
  for (;;) {
    const Command& here = *found.path.back();
    FlagSet known = here.flags;  // Without --help: `vcctl --help job` asks for help on vcctl.
    known.AddAll(global);
    const size_t at = FirstCommandWord(found.args, known);
    if (at == found.args.size()) return found;
    const Command* child = here.Child(found.args[at]);
    if (child == nullptr) {
      if (found.path.size() == 1 && !here.children.empty()) found.unknown = found.args[at];
      return found;
    }
    found.path.push_back(child);
    found.args.erase(found.args.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace bth::cli
