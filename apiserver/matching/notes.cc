#include "apiserver/matching/notes.h"

#include <algorithm>
#include <utility>

namespace bth::apiserver {
namespace {

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

size_t CharacterCount(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

// The first `characters_max` characters.
std::string_view Cut(std::string_view text, size_t characters_max) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (!Continues(text[at]) && seen++ == characters_max) break;
  }
  return text.substr(0, at);
}

}  // namespace

void AddWarning(WriteContext& write, std::string_view text) {
  size_t present = 0;
  for (const std::string& warning : write.warnings) present += CharacterCount(warning);
  if (present + CharacterCount(text) > kWarningCharactersMax) {
    for (std::string& warning : write.warnings) {
      warning.resize(Cut(warning, kLongWarningCharactersMax).size());
    }
    text = Cut(text, kLongWarningCharactersMax);
    present = 0;
    for (const std::string& warning : write.warnings) present += CharacterCount(warning);
  }
  if (present + CharacterCount(text) > kWarningCharactersMax) return;
  std::string clean(text);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (std::find(write.warnings.begin(), write.warnings.end(), clean) == write.warnings.end()) {
    write.warnings.push_back(std::move(clean));
  }
}

void AuditTrail::Add(const WriteContext& write, std::string key, std::string_view value) {
  if (notes_.size() == kNotesMax) notes_.pop_front();
  notes_.push_back({write.now, write.type->collection, write.ns, write.name, std::move(key),
                    std::string(value.substr(0, kValueBytesMax))});
}

}  // namespace bth::apiserver
