// Where in a document one is, as a chain on the stack: it becomes text only for a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace bth::rules {

// Lifetime: shorter than its parent's, as calls nest.
class Place {
 public:
  // The root: "spec", or empty.
  explicit Place(std::string_view root) : name_(root) {}

  Place Field(std::string_view name) const { return {this, name, Kind::kField}; }
  Place Item(size_t index) const { return {this, {}, Kind::kItem, index}; }
  Place Key(std::string_view key) const { return {this, key, Kind::kKey}; }

  // "spec.containers[0].resources.limits[cpu]"
  std::string Text() const {
    std::string text;
    AppendTo(&text);
    return text;
  }

 private:
  enum class Kind { kField, kItem, kKey };

  Place(const Place* parent, std::string_view name, Kind kind, size_t index = 0)
      : parent_(parent), name_(name), index_(index), kind_(kind) {}

  void AppendTo(std::string* text) const {
    if (parent_ != nullptr) parent_->AppendTo(text);
    if (kind_ == Kind::kItem) {
      StrAppend(text, "[", index_, "]");
    } else if (kind_ == Kind::kKey) {
      StrAppend(text, "[", name_, "]");
    } else {
      StrAppend(text, text->empty() ? "" : ".", name_);
    }
  }

  const Place* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  Kind kind_ = Kind::kField;
};

}  // namespace bth::rules
