// Builders for the patches we send: only the fields that change, with preconditions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "api/types/json.h"
#include "client/api_client.h"

namespace bth::client {

// JSON merge patch (RFC 7396). A precondition that does not hold is answered with kAborted
// (resourceVersion) or, because a UID cannot be changed, kAborted or kInvalidArgument (uid).
class MergePatch final {
 public:
  using Path = std::initializer_list<std::string_view>;

  MergePatch& Set(Path path, types::Json value);
  MergePatch& Remove(Path path);  // Writes null.
  MergePatch& RequireResourceVersion(std::string_view version);
  MergePatch& RequireUid(std::string_view uid);
  // True when nothing but preconditions was set: sending it would change nothing.
  bool empty() const { return changes_ == 0; }
  Patch Build() const;

 private:
  types::Json body_ = types::Json::MakeObject();
  int changes_ = 0;
};

// JSON patch (RFC 6902): for lists, and where several conditions must hold at once. A failed test
// is answered with kInvalidArgument (422).
class JsonPatch final {
 public:
  using Path = std::initializer_list<std::string_view>;

  JsonPatch& Test(Path path, types::Json value);
  JsonPatch& Add(Path path, types::Json value);
  JsonPatch& Replace(Path path, types::Json value);
  JsonPatch& Remove(Path path);
  JsonPatch& RequireResourceVersion(std::string_view version);
  JsonPatch& RequireUid(std::string_view uid);
  bool empty() const { return changes_ == 0; }
  Patch Build() const;

 private:
  JsonPatch& Append(const char* op, Path path, const types::Json* value);

  types::Json operations_ = types::Json::MakeArray();
  int changes_ = 0;
};

// "/a/b~1c" of {"a", "b/c"} (RFC 6901).
std::string JsonPointer(std::initializer_list<std::string_view> path);

}  // namespace bth::client
