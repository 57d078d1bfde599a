#include "apiserver/schema/field_paths.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

absl::Status BadFieldPath(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

// The name in ['name'] at the start of `path`, which it takes away.
absl::StatusOr<std::string> TakeQuoted(std::string_view* path) {
  static constexpr std::string_view kLetters = "abfnrtv'\\";
  static constexpr std::string_view kMeant = "\a\b\f\n\r\t\v'\\";
  path->remove_prefix(1);
  if (!path->starts_with('\'')) return BadFieldPath("expected single quoted string");
  path->remove_prefix(1);
  std::string name;
  while (!path->empty() && path->front() != '\'') {
    if (path->front() == '\\') {
      const size_t at = path->size() < 2 ? kLetters.npos : kLetters.find((*path)[1]);
      if (at == kLetters.npos) return BadFieldPath("invalid string literal");
      name.push_back(kMeant[at]);
      path->remove_prefix(2);
    } else {
      name.push_back(path->front());
      path->remove_prefix(1);
    }
  }
  if (!path->starts_with("']")) return BadFieldPath("unexpected end of JSON path");
  path->remove_prefix(2);
  return name;
}

absl::StatusOr<std::string> TakeName(std::string_view* path) {
  if (path->starts_with('[')) return TakeQuoted(path);
  if (!path->starts_with('.')) {
    return BadFieldPath(StrCat("expected [ or . but got: ", path->substr(0, 1)));
  }
  path->remove_prefix(1);
  const size_t end = std::min(path->find_first_of(".["), path->size());
  if (end == 0) return BadFieldPath("unexpected end of JSON path");
  std::string name(path->substr(0, end));
  path->remove_prefix(end);
  return name;
}

}  // namespace

absl::StatusOr<std::string> NormalFieldPath(std::string_view path, const SchemaNode& node) {
  if (path.empty()) return BadFieldPath("unexpected end of JSON path");
  const SchemaNode* at = &node;
  std::string normal;
  while (!path.empty()) {
    BTH_ASSIGN_OR_RETURN(const std::string name, TakeName(&path));
    if (const SchemaNode* below = at->Property(name); below != nullptr) {
      StrAppend(&normal, normal.empty() ? "" : ".", name);
      at = below;
    } else if (at->additional != nullptr) {
      StrAppend(&normal, "[", name, "]");
      at = at->additional.get();
    } else {
      return BadFieldPath("does not refer to a valid field");
    }
  }
  return normal;
}

}  // namespace bth::apiserver
