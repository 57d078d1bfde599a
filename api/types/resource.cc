#include "api/types/resource.h"

#include "base/strings.h"

namespace bth::types {
namespace {

void AppendSegment(std::string_view text, std::string* path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  path->push_back('/');
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == ':';
    if (plain) {
      path->push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    path->push_back('%');
    path->push_back(kHex[byte >> 4]);
    path->push_back(kHex[byte & 15]);
  }
}

}  // namespace

std::string ResourceType::ApiVersion() const {
  return group.empty() ? version : StrCat(group, "/", version);
}

std::string ResourceType::Path(std::string_view ns, std::string_view name,
                               std::string_view subresource) const {
  std::string path =
      group.empty() ? StrCat("/api/", version) : StrCat("/apis/", group, "/", version);
  if (namespaced && !ns.empty()) {
    path.append("/namespaces");
    AppendSegment(ns, &path);
  }
  AppendSegment(plural, &path);
  if (name.empty()) return path;
  AppendSegment(name, &path);
  if (!subresource.empty()) AppendSegment(subresource, &path);
  return path;
}

std::string ResourceType::FullName() const {
  return group.empty() ? plural : StrCat(plural, ".", group);
}

}  // namespace bth::types
