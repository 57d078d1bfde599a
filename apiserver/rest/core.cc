#include "apiserver/rest/core.h"

#include "absl/strings/str_format.h"
#include "base/check.h"

namespace bth::apiserver {

Collection& Core::CollectionOf(const ResourceType& type) {
  Collection* collection = store->Find(type.collection);
  BTH_CHECK(collection != nullptr);
  return *collection;
}

void Core::Declare(const ResourceType& type) {
  store->Declare(type.collection, type.fields);
}

std::string Core::NewUid() {
  const uint64_t a = rng.Next();
  const uint64_t b = rng.Next();
  // Version 4, variant 1 of RFC 9562.
  return absl::StrFormat("%08x-%04x-4%03x-%04x-%012x", a >> 32, (a >> 16) & 0xffff, a & 0xfff,
                         0x8000 | ((b >> 48) & 0x3fff), b & 0xffffffffffff);
}

std::string Core::NewSuffix() {
  // No vowels and no digits that look like them, so that no words come out.
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix.push_back(kLetters[rng.Below(kLetters.size())]);
  return suffix;
}

}  // namespace bth::apiserver
