#include "conf/refusals.h"

#include "base/strings.h"

namespace bth::conf {

void Refusals::Note(const absl::Status& status) {
  if (status.ok()) return;
  ++count_;
  if (told_.size() < kToldMax) told_.emplace_back(status.message());
}

absl::Status Refusals::status() const {
  if (count_ == 0) return absl::OkStatus();
  if (count_ == 1) return absl::InvalidArgumentError(told_.front());
  std::string text = StrCat(count_, " errors");
  if (count_ > told_.size()) StrAppend(&text, ", of which these are the first ", told_.size());
  for (size_t i = 0; i < told_.size(); ++i) {
    StrAppend(&text, i == 0 ? ": (" : "; (", i + 1, ") ", told_[i]);
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace bth::conf
