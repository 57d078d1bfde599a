// Where in a document one is, as a chain on the stack: it becomes text only for a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace bth::apiserver {

// Lifetime: shorter than its parent's, as calls nest.
class Place {
 public:
  Place() = default;

  Place Field(std::string_view name) const { return Place(this, name, -1); }
  // A key of a map, in brackets.
  Place Key(std::string_view key) const { return Place(this, key, kKey); }
  Place Item(size_t index) const { return Place(this, {}, static_cast<int64_t>(index)); }
  // Below the top of a document, where nothing is taken for metadata.
  Place Inside() const { return Place(this, {}, kHidden); }
  bool is_root() const { return parent_ == nullptr; }

  // "spec.parts[0].count"; empty at the root.
  std::string Text() const {
    std::string out;
    Append(&out);
    return out;
  }

 private:
  static constexpr int64_t kHidden = -2;
  static constexpr int64_t kKey = -3;

  Place(const Place* parent, std::string_view name, int64_t index)
      : parent_(parent), name_(name), index_(index) {}

  void Append(std::string* out) const {
    if (parent_ == nullptr) return;
    parent_->Append(out);
    if (index_ == kHidden) return;
    if (index_ >= 0) {
      StrAppend(out, "[", index_, "]");
    } else if (index_ == kKey) {
      StrAppend(out, "[", name_, "]");
    } else {
      StrAppend(out, out->empty() ? "" : ".", name_);
    }
  }

  const Place* parent_ = nullptr;
  std::string_view name_;
  int64_t index_ = -1;
};

}  // namespace bth::apiserver
