#include "base/spaced_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bth {

std::optional<SpacedLines::Line> SpacedLines::Note(std::string_view cause, absl::Duration now) {
  auto at = std::find_if(causes_.begin(), causes_.end(),
                         [cause](const Cause& c) { return c.text == cause; });
  if (at != causes_.end() && now - at->seen_at > spacing_.pause_max) {
    causes_.erase(at);
    at = causes_.end();
  }
  if (at == causes_.end()) {
    if (causes_.size() == kCausesMax) causes_.pop_front();
    causes_.push_back({std::string(cause), absl::ZeroDuration(), now, now, 0});
    at = std::prev(causes_.end());
  }
  causes_.splice(causes_.end(), causes_, at);
  at->seen_at = now;
  ++at->times;
  if (now < at->next_at) return std::nullopt;
  at->pause = at->pause == absl::ZeroDuration() ? spacing_.pause_first
                                                : std::min(2 * at->pause, spacing_.pause_max);
  at->next_at = now + at->pause;
  return Line{std::exchange(at->times, 0), at->pause};
}

bool SpacedLines::Over(std::string_view cause) {
  return std::erase_if(causes_, [cause](const Cause& c) { return c.text == cause; }) > 0;
}

}  // namespace bth
