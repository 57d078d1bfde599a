// Values of the libraries' own types: a plain value with a type, an equality and a text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cel/kubernetes/declare.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::cel {

// `Traits` names the type and says how its values compare and read:
//   static const TypePtr& type();
//   static bool Same(const T&, const T&);
//   static std::string Text(const T&);
template <typename T, typename Traits>
class Opaque final : public OpaqueValue {
 public:
  explicit Opaque(T value) : value_(std::move(value)) {}

  const T& value() const { return value_; }
  const TypePtr& type() const override { return Traits::type(); }
  bool Equals(const OpaqueValue& other) const override {
    const auto* same = dynamic_cast<const Opaque*>(&other);
    return same != nullptr && Traits::Same(value_, same->value_);
  }
  std::string DebugText() const override { return Traits::Text(value_); }

  static Value Make(T value) {
    return Value::Of(
        std::shared_ptr<const OpaqueValue>(std::make_shared<const Opaque>(std::move(value))));
  }
  // Null: another kind of value.
  static const T* Of(const Value& value) {
    if (!value.is(ValueKind::kOpaque)) return nullptr;
    const auto* opaque = dynamic_cast<const Opaque*>(&value.AsOpaque());
    return opaque == nullptr ? nullptr : &opaque->value_;
  }

 private:
  T value_;
};

// What `get` makes of the first argument, which is a value of the type `Box`, an Opaque.
template <typename Box, typename Get>
Implementation OfOpaque(Get get) {
  return [get](Arguments args) {
    const auto* value = Box::Of(args[0]);
    return value == nullptr ? NoSuchOverload() : get(*value);
  };
}

}  // namespace bth::cel
