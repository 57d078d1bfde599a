#include "apiserver/patch/lookup.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bth::apiserver {
namespace {

size_t HashOfNumber(const Json& value) {
  const double real = value.AsDouble();
  // As Json compares: a whole number is the same with and without a fraction.
  const bool whole =
      value.is_int() || (std::trunc(real) == real && real >= -0x1p63 && real < 0x1p63);
  if (!whole) return absl::HashOf(real);
  return absl::HashOf(value.is_int() ? value.AsInt() : static_cast<int64_t>(real));
}

const Json& KeyPart(const Json& item, std::string_view name) {
  static const Json& tcp = *new Json("TCP");
  const Json& part = item[name];
  return part.is_null() && name == "protocol" ? tcp : part;
}

}  // namespace

size_t HashOf(const Json& value) {
  if (value.is_number()) return HashOfNumber(value);
  if (value.is_string()) return absl::HashOf(value.AsString());
  size_t hash = value.size();
  for (const Json& item : value.items()) hash = absl::HashOf(hash, HashOf(item));
  // In whatever order.
  for (const Json::Member& member : value.members()) {
    hash += absl::HashOf(member.first, HashOf(member.second));
  }
  return absl::HashOf(hash, value.TypeName(), value.AsBool());
}

size_t ItemRows::Hash(const Json& item) const {
  if (keys.empty()) return HashOf(item);
  size_t hash = 0;
  for (std::string_view key : keys) hash = absl::HashOf(hash, HashOf(KeyPart(item, key)));
  return hash;
}

bool ItemRows::Same(size_t position, const Json& item) const {
  const Json& other = items[position];
  if (keys.empty()) return other == item;
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return KeyPart(other, key) == KeyPart(item, key);
  });
}

Members::~Members() {
  if (erased_.empty()) return;
  std::sort(erased_.begin(), erased_.end());
  auto next = erased_.begin();
  size_t position = 0;
  std::erase_if(members_, [&](const Json::Member&) {
    const bool gone = next != erased_.end() && *next == position++;
    if (gone) ++next;
    return gone;
  });
}

Json* Members::Find(std::string_view key) {
  const std::optional<size_t> position = index_.Find(key);
  return position.has_value() ? &members_[*position].second : nullptr;
}

Json& Members::operator[](std::string_view key) {
  if (Json* present = Find(key)) return *present;
  return members_.emplace_back(std::string(key), Json()).second;
}

void Members::Erase(std::string_view key) {
  const std::optional<size_t> position = index_.Find(key);
  if (!position.has_value()) return;
  if (index_.hashed()) {
    index_.Forget(key);
    erased_.push_back(*position);
  } else {
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(*position));
  }
}

}  // namespace bth::apiserver
