#include "cli/command/suggestions.h"

#include <algorithm>

#include "base/strings.h"
#include "base/suggest.h"

namespace bth::cli {
namespace {

constexpr size_t kSuggestionsMax = 5;
constexpr size_t kTypedBytesMax = 253;  // As long as a name can be.
constexpr size_t kLettersPerSlip = 3;

// Of equal length, and two neighbours are the other way round.
bool IsSwap(std::string_view typed, std::string_view word) {
  if (typed.size() != word.size()) return false;
  const auto [at, in_word] = std::mismatch(typed.begin(), typed.end(), word.begin());
  if (typed.end() - at < 2) return false;
  return at[0] == in_word[1] && at[1] == in_word[0] && std::equal(at + 2, typed.end(), in_word + 2);
}

}  // namespace

std::vector<std::string> NearWords(std::string_view typed, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  if (typed.empty() || typed.size() > kTypedBytesMax) return near;
  const int slips = static_cast<int>(std::max(size_t{1}, typed.size() / kLettersPerSlip));
  for (const std::string& word : known) {
    if (near.size() == kSuggestionsMax) break;
    // Of a word of one letter nothing is left after a slip.
    const bool is_slip =
        typed.size() > 1 && (EditDistance(typed, word) <= slips || IsSwap(typed, word));
    if (is_slip || StartsWithIgnoreCase(word, typed)) near.push_back(word);
  }
  return near;
}

std::string DidYouMeanThis(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) StrAppend(&out, "\t", word, "\n");
  return out.empty() ? out : StrCat("\n\nDid you mean this?\n", out);
}

}  // namespace bth::cli
