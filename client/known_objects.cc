#include "client/known_objects.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace bth::client {
namespace {

std::string Join(const ObjectKey& key) {
  return StrCat(key.namespace_name, "/", key.name);
}

// Names hold no slash, so that the first one ends the namespace.
ObjectKey Split(const std::string& joined, std::string uid) {
  const size_t slash = joined.find('/');
  return {joined.substr(0, slash), joined.substr(slash + 1), std::move(uid)};
}

constexpr size_t kUuidLength = 36;
constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr bool IsDash(size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// The 128 bits of a UUID in small letters, all but the zero one.
std::optional<std::pair<uint64_t, uint64_t>> ParseUuid(std::string_view text) {
  if (text.size() != kUuidLength) return std::nullopt;
  uint64_t high = 0;
  uint64_t low = 0;
  for (size_t i = 0; i < kUuidLength; ++i) {
    if (IsDash(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const size_t digit = kHexDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    high = high << 4 | low >> 60;
    low = low << 4 | digit;
  }
  if (high == 0 && low == 0) return std::nullopt;
  return std::pair(high, low);
}

std::string WriteUuid(uint64_t high, uint64_t low) {
  std::string text(kUuidLength, '-');
  for (size_t i = 0; i < kUuidLength; ++i) {
    if (IsDash(i)) continue;
    text[i] = kHexDigits[high >> 60];
    high = high << 4 | low >> 60;
    low <<= 4;
  }
  return text;
}

// A number above 0 that is written the one way; else 0.
uint64_t ParseVersion(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && text.front() != '0' ? number : 0;
}

}  // namespace

KnownObjects::Mark::Mark(std::string_view uid, std::string_view version)
    : version_(ParseVersion(version)) {
  const auto bits = ParseUuid(uid);
  if (bits) std::tie(uid_high_, uid_low_) = *bits;
  texts_ =
      PackedTexts({bits ? std::string_view() : uid, version_ != 0 ? std::string_view() : version});
}

std::string KnownObjects::Mark::uid() const {
  if (uid_high_ == 0 && uid_low_ == 0) return std::string(texts_[0]);
  return WriteUuid(uid_high_, uid_low_);
}

bool KnownObjects::Mark::SameUid(const Mark& other) const {
  return uid_high_ == other.uid_high_ && uid_low_ == other.uid_low_ && texts_[0] == other.texts_[0];
}

void KnownObjects::Mark::DropVersion() {
  version_ = 0;
  texts_ = PackedTexts({texts_[0]});
}

KnownObjects::Change KnownObjects::Observe(const ObjectKey& key, const std::string& version,
                                           ObjectKey* replaced) {
  Mark mark(key.uid, version);
  const std::string name = Join(key);
  auto found = entries_.find(std::string_view(name));
  Change change = Change::kUpdate;
  if (found == entries_.end()) {
    found = entries_.try_emplace(PackedTexts({name})).first;
    change = Change::kAdd;
  } else if (!found->second.mark.SameUid(mark)) {
    *replaced = {key.namespace_name, key.name, found->second.mark.uid()};
    change = Change::kReplace;
  } else if (found->second.mark == mark && mark.has_version()) {
    change = Change::kNone;
  }
  found->second = {.mark = std::move(mark), .list = list_};
  return change;
}

bool KnownObjects::Keep(const ObjectKey& key, ObjectKey* replaced) {
  const std::string name = Join(key);
  const auto found = entries_.find(std::string_view(name));
  if (found == entries_.end()) return false;
  Mark& mark = found->second.mark;
  if (key.uid.empty() || mark.SameUid(Mark(key.uid, ""))) {
    found->second.list = list_;
    mark.DropVersion();  // Whatever comes next is news, even if it has the version known so far.
    return false;
  }
  *replaced = {key.namespace_name, key.name, mark.uid()};
  entries_.erase(found);
  return true;
}

bool KnownObjects::Forget(const ObjectKey& key, ObjectKey* gone) {
  const std::string name = Join(key);
  const auto found = entries_.find(std::string_view(name));
  if (found == entries_.end()) return false;
  *gone = {key.namespace_name, key.name, found->second.mark.uid()};
  entries_.erase(found);
  return true;
}

std::vector<ObjectKey> KnownObjects::EndList() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [name, entry] : entries_) {
    if (entry.list != list_) names.emplace_back(name[0], entry.mark.uid());
  }
  std::sort(names.begin(), names.end());
  std::vector<ObjectKey> gone;
  for (auto& [name, uid] : names) {
    entries_.erase(entries_.find(std::string_view(name)));
    gone.push_back(Split(name, std::move(uid)));
  }
  return gone;
}

}  // namespace bth::client
