// One part of a document under review: what stands there, where, and what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/rules/field_error.h"
#include "api/rules/place.h"
#include "api/types/json.h"

namespace bth::rules {

// Whoever sent so many mistakes has other ones to mend first.
inline constexpr size_t kFieldErrorsMax = 256;

// A view: value, place and errors outlive it. Reading a member of another type than the one asked
// for gives an empty value and an error ("must be a string"): what follows from it is not told
// again. A null member is absent. Thread: the caller's.
class Part final {
 public:
  Part(const types::Json& value, const Place& at, FieldErrors& errors)
      : value_(value), at_(at), errors_(errors), keys_(KeysOf(value)) {}

  const types::Json& value() const { return value_; }
  const Place& at() const { return at_; }

  // The member as it stands there; null when it does not. Most of what rules ask for does not, and
  // costs next to nothing.
  const types::Json& operator[](std::string_view key) const {
    return (keys_ & KeyBit(key)) != 0 ? value_[key] : Nothing();
  }
  bool Has(std::string_view key) const { return !(*this)[key].is_null(); }
  std::string_view Text(std::string_view key) const;
  std::optional<int64_t> Number(std::string_view key) const;
  bool Flag(std::string_view key) const;
  std::optional<bool> MaybeFlag(std::string_view key) const;
  // Texts of a list.
  std::vector<std::string_view> Texts(std::string_view key) const;
  // Members of an object by name; values that are no texts are told of and left out.
  std::vector<std::pair<std::string_view, std::string_view>> TextMap(std::string_view key) const;
  // Members of an object by name.
  std::vector<std::pair<std::string_view, const types::Json*>> Members(std::string_view key) const;
  // Length of a list; 0 when absent or of another type.
  size_t SizeOf(std::string_view key) const;

  // visit(Part) of the member, when it is there and an object.
  template <typename Visit>
  void Within(std::string_view key, Visit visit) const {
    const types::Json& member = (*this)[key];
    if (member.is_null()) return;
    const Place inside = at_.Field(key);
    if (IsObject(member, inside)) visit(Part(member, inside, errors_));
  }
  // visit(Part, index) for each object of a list.
  template <typename Visit>
  void ForEach(std::string_view key, Visit visit) const {
    const types::Json& member = (*this)[key];
    if (member.is_null()) return;
    const Place list = at_.Field(key);
    if (!IsArray(member, list)) return;
    for (size_t i = 0; i < member.items().size() && !full(); ++i) {
      const Place item = list.Item(i);
      const types::Json& one = member.items()[i];
      if (one.is_null() || IsObject(one, item)) visit(Part(one, item, errors_), i);
    }
  }
  // The same of a list that was gone through before: what is no object is not told of again.
  template <typename Visit>
  void ForEachAgain(std::string_view key, Visit visit) const {
    const Place list = at_.Field(key);
    const types::Json& member = (*this)[key];
    for (size_t i = 0; i < member.items().size() && !full(); ++i) {
      const Place item = list.Item(i);
      if (member.items()[i].is_object()) visit(Part(member.items()[i], item, errors_), i);
    }
  }

  // What is wrong with the member `key`; an empty key: with the part itself.
  void Invalid(std::string_view key, types::Json value, std::string_view detail) const;
  // One error for each message.
  void Invalid(std::string_view key, std::string_view value,
               const std::vector<std::string>& messages) const;
  void Required(std::string_view key, std::string_view detail = {}) const;
  void Duplicate(std::string_view key, types::Json value) const;
  void Forbidden(std::string_view key, std::string_view detail) const;
  void NotFound(std::string_view key, types::Json value) const;
  // Unless `value` is one of them. `supported` is shown as given: Kubernetes sorts it.
  void OneOf(std::string_view key, std::string_view value,
             absl::Span<const std::string_view> supported) const;
  // An error with a place of its own.
  void Add(FieldError error) const;

 private:
  // One bit of 64 for each key; keys may share one.
  static uint64_t KeyBit(std::string_view key) {
    if (key.empty()) return 1;
    const auto byte = [key](size_t at) { return static_cast<unsigned char>(key[at]); };
    return uint64_t{1} << ((key.size() * 7 + byte(0) * 3 + byte(key.size() - 1) * 5) & 63);
  }
  static uint64_t KeysOf(const types::Json& value) {
    uint64_t keys = 0;
    for (const auto& [key, member] : value.members()) keys |= KeyBit(key);
    return keys;
  }
  static const types::Json& Nothing();
  bool full() const { return errors_.size() >= kFieldErrorsMax; }
  std::string Field(std::string_view key) const;
  bool IsObject(const types::Json& value, const Place& at) const;
  bool IsArray(const types::Json& value, const Place& at) const;
  void WrongType(const Place& at, const types::Json& value, std::string_view wanted) const;

  const types::Json& value_;
  const Place& at_;
  FieldErrors& errors_;
  const uint64_t keys_;  // The bits of the value's keys.
};

// The members of an object sorted by name: the order in which maps are gone through.
std::vector<std::pair<std::string_view, const types::Json*>> SortedMembers(const types::Json& map);

}  // namespace bth::rules
