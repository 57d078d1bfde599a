// Objects by their keys, "namespace/name".
#pragma once

#include <string>
#include <utility>

namespace bth::cache {

// Namespace and name.
inline std::pair<std::string, std::string> SplitKey(const std::string& key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace bth::cache
