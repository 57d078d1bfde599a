// Writes one JSON object member by member, without a tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/json.h"
#include "base/strings.h"

namespace bth::scheduler::extender {

// Text values are escaped by types::Json; raw ones must be JSON already.
class ObjectText {
 public:
  ObjectText& Raw(std::string_view key, std::string_view json) {
    Key(key);
    out_ += json;
    return *this;
  }
  ObjectText& Text(std::string_view key, std::string_view value) {
    Key(key);
    types::Json(value).DumpTo(&out_);
    return *this;
  }
  ObjectText& Int(std::string_view key, int64_t value) {
    Key(key);
    StrAppend(&out_, value);
    return *this;
  }
  ObjectText& Double(std::string_view key, double value) {
    Key(key);
    types::Json(value).DumpTo(&out_);
    return *this;
  }
  ObjectText& Bool(std::string_view key, bool value) { return Raw(key, value ? "true" : "false"); }
  ObjectText& Null(std::string_view key) { return Raw(key, "null"); }
  size_t size() const { return out_.size(); }
  std::string Take() {
    out_ += '}';
    return std::move(out_);
  }

 private:
  void Key(std::string_view key) {
    if (out_.size() > 1) out_ += ',';
    types::Json(key).DumpTo(&out_);
    out_ += ':';
  }
  std::string out_ = "{";
};

}  // namespace bth::scheduler::extender
