#include "cli/command/dispatch.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "api/rules/go_quote.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "cli/command/complete.h"
#include "cli/command/find.h"
#include "cli/command/help.h"
#include "cli/command/suggestions.h"
#include "cli/session/session.h"

namespace bth::cli {
namespace {

constexpr int kSuggestionDistanceMax = 2;

using Words = std::vector<std::string>;

// It is looked at by its name: what it shows depends on the whole tree.
Command HelpCommand(const std::string& program) {
  Command command;
  command.name = kHelpCommand;
  command.operands = "[command]";
  command.short_text = "Help about any command";
  command.long_text = StrCat("Help provides help for any command in the application.\nSimply type ",
                             program, " help [path to command] for full details.");
  command.run = [](Session&) { return absl::OkStatus(); };
  return command;
}

class Dispatcher final {
 public:
  Dispatcher(Command root, const FlagSet& global, Session& session)
      : root_(std::move(root)), global_(global), session_(session) {
    if (!root_.children.empty()) root_.children.push_back(HelpCommand(root_.name));
  }

  int Run(const Words& args) {
    if (!args.empty() && args[0] == kCompleteCommand) {
      session_.out() << CompletionText(root_, global_, Words(args.begin() + 1, args.end()),
                                       session_);
      return kExitDone;
    }
    const FoundCommand found = FindCommand(root_, global_, args);
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
      const int code = Mistake(ToStd(words.status().message()));
      if (path.size() > 1) Hint(StrCat("See '", PathText(path), " --help' for its flags."));
      return code;
    }
    if (!wants_help && path.size() == 2 && path.back()->name == kHelpCommand) return Help(*words);
    // A group that does something by itself has no other words.
    const bool is_lost = !path.back()->children.empty() && !words->empty();
    if (!wants_help && path.back()->needs_child) {
      return Mistake(StrCat(
          words->empty() ? "a command is missing behind "
                         : StrCat("unknown command ", rules::GoQuote(words->front()), " for "),
          rules::GoQuote(PathText(path)), ": there are ", ChildrenOf(path)));
    }
    if (wants_help || is_lost || !path.back()->run) {
      session_.out() << HelpOf(path, flags);
      if (!wants_help && !words->empty()) TellUnknownLeaf(path, words->front());
      return kExitDone;
    }
    if (path.back()->take_words) {
      const absl::Status taken = path.back()->take_words(*words);
      if (!taken.ok()) return Mistake(ToStd(taken.message()));
    }
    const absl::Status status = path.back()->run(session_);
    const int code = Ended(path, status);
    if (absl::IsInvalidArgument(status) && !words->empty()) TellOfName(path, words->front());
    return code;
  }

 private:
  HelpFlags FlagsOf(const CommandPath& path, bool* wants_help) const {
    HelpFlags flags{path.back()->flags, {}};
    flags.own.Bool(wants_help, {"help", 'h'}, StrCat("help for ", path.back()->name));
    (path.size() == 1 ? flags.own : flags.global).AddAll(global_);
    return flags;
  }

  // On a terminal the program's own help is one screen; elsewhere it is Volcano's.
  std::string HelpOf(const CommandPath& path, const HelpFlags& flags) const {
    const bool is_screen = path.size() == 1 && !root_.screen_example.empty();
    return is_screen && session_.terminal().width > 0 ? ScreenText(root_) : HelpText(path, flags);
  }

  // Volcano's programs show the group's help in silence; stdout stays theirs.
  void TellUnknownLeaf(const CommandPath& path, std::string_view typed) const {
    const std::string near = Suggestions(*path.back(), typed);
    if (near.empty()) return;
    session_.err() << "unknown command " << rules::GoQuote(typed) << " for "
                   << rules::GoQuote(PathText(path)) << near;
  }

  static std::string ChildrenOf(const CommandPath& path) {
    std::string names;
    for (const Command& child : path.back()->children) {
      StrAppend(&names, names.empty() ? "" : ", ", child.name);
    }
    return names;
  }

  // As cobra chooses them.
  static std::string Suggestions(const Command& group, std::string_view typed) {
    Words near;
    for (const Command& child : group.children) {
      if (child.name == kHelpCommand) continue;
      const bool is_slip = EditDistance(typed, child.name) <= kSuggestionDistanceMax;
      if (is_slip || StartsWithIgnoreCase(child.name, typed)) near.push_back(child.name);
    }
    return DidYouMeanThis(near);
  }

  // Words behind a leaf are nothing, as with Volcano's, where other programs take names.
  void TellOfName(const CommandPath& path, const std::string& word) const {
    const Flag* name = path.back()->flags.Find("name");
    if (name == nullptr || name->letter == 0) return;
    Hint(StrCat("Names are given with a flag: ", PathText(path), " -", std::string(1, name->letter),
                " ", word));
  }

  // Only for people: programs get what they get from Volcano's.
  void Hint(const std::string& words) const {
    if (session_.is_watched()) session_.err() << words << "\n";
  }

  int Mistake(std::string_view what) const {
    session_.err() << "Error: " << what << "\n";
    return kExitUsage;
  }

  // `vcctl help job list`.
  int Help(const Words& topic) const {
    const FoundCommand found = FindCommand(root_, global_, topic);
    bool ignored = false;
    if (found.unknown.empty()) {
      session_.out() << HelpOf(found.path, FlagsOf(found.path, &ignored));
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
    session_.out() << doing << ": " << ToStd(status.message()) << "\n" << std::flush;
    const std::string near = DidYouMeanThis(NearNamesOf(status));
    if (!near.empty()) session_.err() << std::string_view(near).substr(1);
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
