#include "sim/world/story.h"

#include "absl/strings/str_format.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

constexpr std::string_view kProfileNames[] = {"calm", "rough", "hell"};
constexpr std::string_view kVerbNames[kVerbs] = {"send", "pick",  "kill",  "pause",
                                                 "cut",  "front", "clock", "policy"};

}  // namespace

absl::StatusOr<Profile> ParseProfile(std::string_view text) {
  for (size_t i = 0; i < std::size(kProfileNames); ++i) {
    if (text == kProfileNames[i]) return static_cast<Profile>(i);
  }
  return absl::InvalidArgumentError(StrCat("\"", text, "\" is none of calm, rough, hell"));
}

std::string_view NameOf(Profile profile) {
  return kProfileNames[static_cast<size_t>(profile)];
}

std::string_view NameOf(Verb verb) {
  return kVerbNames[static_cast<size_t>(verb)];
}

bool HasFront(const Story& story, Fault fault) {
  for (const Round& round : story.rounds) {
    for (const Deed& deed : round.deeds) {
      if (deed.verb == Verb::kFront && deed.front.fault == fault) return true;
    }
  }
  return false;
}

std::string Describe(const Deed& deed) {
  std::string out = absl::StrFormat("%9.3fs %s", absl::ToDoubleSeconds(deed.at), deed.meaning);
  switch (deed.verb) {
    case Verb::kPick:
    case Verb::kSend:
      StrAppend(&out, ": ", deed.method, " ", deed.target);
      if (deed.verb == Verb::kPick) StrAppend(&out, " (one of them: ", deed.pick % 1000, ")");
      if (!deed.body.empty()) StrAppend(&out, " ", deed.body);
      break;
    case Verb::kKill:
    case Verb::kPause:
      StrAppend(&out, ": ", deed.process, " for ", absl::FormatDuration(deed.lasts));
      break;
    case Verb::kClock:
      StrAppend(&out, ": ", deed.process, " by ", absl::FormatDuration(deed.ahead));
      break;
    case Verb::kPolicy:
      StrAppend(&out, ": ", deed.body);
      break;
    case Verb::kCut:
      StrAppend(&out, ": ", deed.process);
      break;
    case Verb::kFront:
      StrAppend(&out, ": ", NameOf(deed.front.fault), " for ", absl::FormatDuration(deed.lasts),
                ", one in ", absl::StrFormat("%.1f", 1 / deed.front.rate), ", of ",
                deed.front.process.empty() ? "all" : deed.front.process, ", at most ",
                absl::FormatDuration(deed.front.most));
      break;
  }
  return out;
}

}  // namespace bth::sim
