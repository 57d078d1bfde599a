#include "framework/reasons.h"

#include <limits>

#include "base/check.h"

namespace bth::framework {

ReasonId ReasonTable::Register(FitCode code, std::string_view text) {
  for (size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].code == code && entries_[i].text == text) return static_cast<ReasonId>(i);
  }
  BTH_CHECK(entries_.size() < std::numeric_limits<ReasonId>::max());
  entries_.push_back({code, std::string(text)});
  return static_cast<ReasonId>(entries_.size() - 1);
}

}  // namespace bth::framework
