// /pods/validate
#include <algorithm>
#include <string>
#include <string_view>

#include "admission/rules/go_integer.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/rules/go_quote.h"
#include "api/types/pod.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kMinAvailable = "volcano.sh/jdb-min-available";
constexpr std::string_view kMaxUnavailable = "volcano.sh/jdb-max-unavailable";

// What is wrong with a count, or a percentage, of pods; empty: nothing.
std::string CheckShare(std::string_view key, std::string_view value) {
  const auto wrong = [&](std::string_view wanted) {
    return StrCat("invalid value <", rules::GoQuote(value), "> for ", key, ", it must be a ",
                  wanted);
  };
  if (const GoInteger count = ReadGoInteger(value); count.fits_int32()) {
    return count.value > 0 ? "" : wrong("positive integer");
  }
  std::string bare(value);
  std::erase(bare, '%');
  const GoInteger percent = ReadGoInteger(bare);
  if (!percent.ok()) {
    return StrCat("invalid value ", AtoiText(bare, percent.fault), " for ", key);
  }
  if (percent.value > 0 && percent.value < 100) return "";
  return wrong("valid percentage which between 1% ~ 99%");
}

}  // namespace

Verdict ValidatePod(const Request& request, const Settings& settings, const Known&) {
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE'");
  }
  const absl::StatusOr<types::Pod> pod = ReadObject<types::Pod>(request);
  if (!pod.ok()) return RefuseUnreadable(pod.status());
  if (!settings.IsOurs(pod->spec.scheduler_name)) return Verdict::Allow();
  int given = 0;
  for (const std::string_view key : {kMinAvailable, kMaxUnavailable}) {
    const std::string* value = pod->meta.annotations.Find(key);
    if (value == nullptr) continue;
    ++given;
    std::string text = CheckShare(key, *value);
    if (!text.empty()) return Verdict::Refuse("disruption_budget", std::move(text));
  }
  if (given < 2) return Verdict::Allow();
  return Verdict::Refuse("disruption_budget",
                         StrCat("not allow configure multiple annotations <[", kMinAvailable, " ",
                                kMaxUnavailable, "]> at same time"));
}

}  // namespace bth::admission
