#include "cli/command/dispatch.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "api/rules/go_quote.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "cli/command/help.h"
#include "cli/session/session.h"

namespace bth::cli {
namespace {

constexpr int kSuggestionDistanceMax = 2;

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

constexpr std::string_view kHelp = "help";

// It is looked at by its name: what it shows depends on the whole tree.
Command HelpCommand(const std::string& program) {
  Command command;
  command.name = kHelp;
  command.operands = "[command]";
  command.short_text = "Help about any command";
  command.long_text = StrCat("Help provides help for any command in the application.\nSimply type ",
                             program, " help [path to command] for full details.");
  command.run = [](Session&) { return absl::OkStatus(); };
  return command;
}

struct Found {
  CommandPath path;
  Words args;           // Without the names of commands.
  std::string unknown;  // A word that is no command of the program.
};

class Dispatcher final {
 public:
  Dispatcher(Command root, const FlagSet& global, Session& session)
      : root_(std::move(root)), global_(global), session_(session) {
    if (!root_.children.empty()) root_.children.push_back(HelpCommand(root_.name));
  }

  int Run(const Words& args) {
    const Found found = Find(args);
    if (!found.unknown.empty()) {
      return Mistake(StrCat("unknown command ", rules::GoQuote(found.unknown), " for ",
                            rules::GoQuote(root_.name), Suggestions(root_, found.unknown)));
    }
    const CommandPath& path = found.path;
    bool wants_help = false;
    HelpFlags flags = FlagsOf(path, &wants_help);
    FlagSet all = flags.own;
    all.AddAll(flags.global);
    const absl::StatusOr<Words> words = all.Parse(found.args);
    if (!words.ok()) {
      if (path.size() == 1) session_.err() << UsageText(path, flags) << "\n";
      return Mistake(ToStd(words.status().message()));
    }
    if (!wants_help && path.size() == 2 && path.back()->name == kHelp) return Help(*words);
    // A group that does something by itself has no other words.
    const bool is_lost = !path.back()->children.empty() && !words->empty();
    if (wants_help || is_lost || !path.back()->run) {
      session_.out() << HelpText(path, flags);
      if (!wants_help && !words->empty()) TellUnknownLeaf(path, words->front());
      return kExitDone;
    }
    if (path.back()->take_words) {
      const absl::Status taken = path.back()->take_words(*words);
      if (!taken.ok()) return Mistake(ToStd(taken.message()));
    }
    return Ended(path, path.back()->run(session_));
  }

 private:
  // Follows the names of commands as far as there are any.
  Found Find(Words args) const {
    Found found{{&root_}, std::move(args), ""};
    for (;;) {
      const Command& here = *found.path.back();
      FlagSet known = here.flags;  // Without --help: `vcctl --help job` asks for help on vcctl.
      known.AddAll(global_);
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

  HelpFlags FlagsOf(const CommandPath& path, bool* wants_help) const {
    HelpFlags flags{path.back()->flags, {}};
    flags.own.Bool(wants_help, {"help", 'h'}, StrCat("help for ", path.back()->name));
    (path.size() == 1 ? flags.own : flags.global).AddAll(global_);
    return flags;
  }

  // Volcano's programs show the group's help in silence; stdout stays theirs.
  void TellUnknownLeaf(const CommandPath& path, std::string_view typed) const {
    const std::string near = Suggestions(*path.back(), typed);
    if (near.empty()) return;
    session_.err() << "unknown command " << rules::GoQuote(typed) << " for "
                   << rules::GoQuote(PathText(path)) << near;
  }

  static std::string Suggestions(const Command& group, std::string_view typed) {
    std::string out;
    for (const Command& child : group.children) {
      if (child.name == kHelp) continue;
      const bool near = EditDistance(typed, child.name) <= kSuggestionDistanceMax;
      if (near || StartsWithIgnoreCase(child.name, typed)) StrAppend(&out, "\t", child.name, "\n");
    }
    return out.empty() ? out : StrCat("\n\nDid you mean this?\n", out);
  }

  int Mistake(std::string_view what) const {
    session_.err() << "Error: " << what << "\n";
    return kExitUsage;
  }

  // `vcctl help job list`.
  int Help(const Words& topic) const {
    const Found found = Find(topic);
    bool ignored = false;
    if (found.unknown.empty()) {
      session_.out() << HelpText(found.path, FlagsOf(found.path, &ignored));
      return kExitDone;
    }
    std::string words;
    for (const std::string& word : topic) StrAppend(&words, words.empty() ? "`" : " `", word, "`");
    session_.err() << "Unknown help topic [" << words << "]\n"
                   << UsageText({&root_}, FlagsOf({&root_}, &ignored));
    return kExitDone;
  }

  int Ended(const CommandPath& path, const absl::Status& status) const {
    if (status.ok()) return kExitDone;
    if (status.message().empty()) return kExitFailed;
    std::string doing = "Failed to";
    for (size_t i = path.size() - 1; i > 0; --i) StrAppend(&doing, " ", path[i]->name);
    session_.out() << doing << ": " << ToStd(status.message()) << "\n";
    return kExitFailed;
  }

  Command root_;
  const FlagSet& global_;
  Session& session_;
};

}  // namespace

int Dispatch(Command root, const FlagSet& global, const std::vector<std::string>& args,
             Session& session) {
  return Dispatcher(std::move(root), global, session).Run(args);
}

}  // namespace bth::cli
