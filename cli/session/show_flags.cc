#include "cli/session/show_flags.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/suggest.h"
#include "cli/command/offer.h"

namespace bth::cli {
namespace {

constexpr std::array<std::pair<std::string_view, ColourMode>, 3> kColourWords = {
    {{"auto", ColourMode::kAuto}, {"always", ColourMode::kAlways}, {"never", ColourMode::kNever}}};
constexpr std::array<std::pair<std::string_view, TimeForm>, 3> kTimeWords = {
    {{"relative", TimeForm::kRelative},
     {"absolute", TimeForm::kAbsolute},
     {"rfc3339", TimeForm::kRfc3339}}};

// Sets `target` to what one of the words means.
template <typename Words, typename Value>
auto ChooseWord(const Words& words, Value* target) {
  return [&words, target](std::string_view text) {
    std::vector<std::string_view> known;
    for (const auto& [word, meant] : words) {
      if (word == text) {
        *target = meant;
        return absl::OkStatus();
      }
      known.push_back(word);
    }
    return absl::InvalidArgumentError(
        StrCat("there is no such word", DidYouMean(text, known), "; it is one of ", ListOf(known)));
  };
}

}  // namespace

void AddColourFlag(ShowFlags* target, FlagSet* flags) {
  flags->Add({"color", 0, "string", "colours: auto (on a terminal), always or never", "\"auto\"",
              true, ChooseWord(kColourWords, &target->colour)});
  flags->OfferFor("color", OfferWords({{"always", ""}, {"auto", ""}, {"never", ""}}));
}

void AddTimeFlag(ShowFlags* target, FlagSet* flags) {
  flags->Add({"time", 0, "string",
              "how times are shown: relative (5m), absolute (2026-01-02 03:04:05) or rfc3339", "",
              true, ChooseWord(kTimeWords, &target->time)});
  flags->OfferFor("time", OfferWords({{"absolute", ""}, {"relative", ""}, {"rfc3339", ""}}));
}

}  // namespace bth::cli
