// JSON out of words that need no escapes.
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/strings.h"

namespace bth::test {

inline std::string Member(const std::string& key, const std::string& value) {
  return StrCat("\"", key, "\":\"", value, "\"");
}

template <typename T>
std::string ListOf(const std::vector<T>& items,
                   std::string (*write)(const std::type_identity_t<T>&)) {
  std::string out;
  for (const T& item : items) StrAppend(&out, out.empty() ? "" : ",", write(item));
  return StrCat("[", out, "]");
}

inline std::string WordsOf(const std::vector<std::string>& words) {
  return ListOf(words, [](const std::string& word) { return StrCat("\"", word, "\""); });
}

inline std::string MembersOf(const std::map<std::string, std::string>& members) {
  std::string out;
  for (const auto& [key, value] : members) {
    StrAppend(&out, out.empty() ? "" : ",", Member(key, value));
  }
  return StrCat("{", out, "}");
}

}  // namespace bth::test
