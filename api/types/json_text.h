// Writes a JSON object straight into a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/types/text_codec.h"

namespace bth::types {

// For bodies that are sent in great numbers, where building a Json value first would cost more than
// all the rest. Members stand in the order of the calls; each Open has its Close. Thread: one
// owner.
class JsonText final {
 public:
  // Begins the outermost object.
  explicit JsonText(size_t bytes_expected) {
    out_.reserve(bytes_expected);
    out_.push_back('{');
  }

  JsonText& Open(std::string_view name) {
    Name(name);
    out_.push_back('{');
    first_ = true;
    return *this;
  }
  JsonText& Close() {
    out_.push_back('}');
    first_ = false;
    return *this;
  }
  JsonText& Add(std::string_view name, std::string_view value) {
    Name(name);
    AppendJsonString(value, &out_);
    return *this;
  }
  JsonText& Add(std::string_view name, int64_t value) {
    Name(name);
    AppendJsonInt(value, &out_);
    return *this;
  }
  // The same, but nothing at all for an empty value.
  JsonText& AddIfAny(std::string_view name, std::string_view value) {
    return value.empty() ? *this : Add(name, value);
  }
  // Closes the outermost object and hands the text over; the last call.
  std::string Take() {
    out_.push_back('}');
    return std::move(out_);
  }

 private:
  void Name(std::string_view name) {
    if (!std::exchange(first_, false)) out_.push_back(',');
    AppendJsonString(name, &out_);
    out_.push_back(':');
  }

  std::string out_;
  bool first_ = true;  // Of the object that is open.
};

}  // namespace bth::types
