#include "base/suggest.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth {

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(a[i - 1])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(b[j - 1]));
      const int replace = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr size_t kNameBytesMax = 64;
  if (name.size() > kNameBytesMax) return {};
  const int limit = std::max(2, static_cast<int>(name.size()) / 3);
  std::string_view best;
  int best_distance = limit + 1;
  for (std::string_view candidate : known) {
    const int distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string ListOf(const std::vector<std::string_view>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) out.append(i == 0 ? "" : ", ").append(names[i]);
  return out;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(name, known);
  if (nearest.empty()) return "";
  return StrCat(" (did you mean \"", absl::string_view(nearest.data(), nearest.size()), "\"?)");
}

}  // namespace bth
