#include "sim/world/shrink.h"

#include <algorithm>
#include <utility>

namespace bth::sim {

std::vector<bool> Shrink(size_t deeds, std::vector<bool> skip, int tries_max,
                         const std::function<bool(const std::vector<bool>& skip)>& breaks) {
  skip.resize(deeds, false);
  const auto left = [&skip] {
    std::vector<size_t> out;
    for (size_t i = 0; i < skip.size(); ++i) {
      if (!skip[i]) out.push_back(i);
    }
    return out;
  };
  // Ever smaller pieces of what is left, from the end: what comes last explains least.
  for (size_t piece = std::max<size_t>(left().size() / 2, 1); tries_max > 0;) {
    bool any = false;
    const std::vector<size_t> now = left();
    for (size_t end = now.size(); end > 0 && tries_max > 0;) {
      const size_t begin = end > piece ? end - piece : 0;
      std::vector<bool> less = skip;
      for (size_t i = begin; i < end; ++i) less[now[i]] = true;
      --tries_max;
      if (breaks(less)) {
        skip = std::move(less);
        any = true;
      }
      end = begin;
    }
    if (piece == 1 && !any) break;
    piece = std::max<size_t>(any ? std::min(piece, left().size() / 2) : piece / 2, 1);
  }
  return skip;
}

}  // namespace bth::sim
