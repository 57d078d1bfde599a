#include "framework/report/reasons.h"

#include <limits>

#include "base/check.h"
#include "base/strings.h"

namespace bth::framework {

ReasonId ReasonTable::Register(FitCode code, std::string_view text) {
  for (size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].code == code && entries_[i].text == text) return static_cast<ReasonId>(i);
  }
  BTH_CHECK(entries_.size() < std::numeric_limits<ReasonId>::max());
  BTH_CHECK(described_.empty());  // Lasting ids come first.
  entries_.push_back({code, std::string(text)});
  lasting_ = entries_.size();
  return static_cast<ReasonId>(entries_.size() - 1);
}

ReasonId ReasonTable::RegisterLack(size_t dimension, std::string_view text) {
  if (dimension < lacks_.size()) {
    entries_[lacks_[dimension]].text = text;
    return lacks_[dimension];
  }
  BTH_CHECK(dimension == lacks_.size());
  BTH_CHECK(described_.empty());  // Lasting ids come first.
  entries_.push_back({FitCode::kUnschedulable, std::string(text)});
  lasting_ = entries_.size();
  lacks_.push_back(static_cast<ReasonId>(entries_.size() - 1));
  return lacks_.back();
}

ReasonId ReasonTable::Describe(FitCode code, std::string_view text, ReasonId general) {
  constexpr size_t kDescribedMax = 4096;
  const auto key = StrCat(static_cast<int>(code), ":", text);
  if (const auto known = described_.find(key); known != described_.end()) return known->second;
  if (described_.size() >= kDescribedMax) return general;
  entries_.push_back({code, std::string(text)});
  const auto id = static_cast<ReasonId>(entries_.size() - 1);
  described_.emplace(key, id);
  return id;
}

void ReasonTable::BeginSession() {
  entries_.resize(lasting_);
  described_.clear();
}

}  // namespace bth::framework
