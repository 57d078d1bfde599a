#include "client/patch.h"

#include <utility>

namespace bth::client {

MergePatch& MergePatch::Set(Path path, types::Json value) {
  body_.MutableAt(path) = std::move(value);
  ++changes_;
  return *this;
}

MergePatch& MergePatch::Remove(Path path) {
  return Set(path, types::Json());
}

MergePatch& MergePatch::RequireResourceVersion(std::string_view version) {
  body_.MutableAt({"metadata", "resourceVersion"}) = version;
  return *this;
}

MergePatch& MergePatch::RequireUid(std::string_view uid) {
  body_.MutableAt({"metadata", "uid"}) = uid;
  return *this;
}

Patch MergePatch::Build() const {
  Patch out;
  out.kind = PatchKind::kMerge;
  out.body = body_.Dump();
  return out;
}

JsonPatch& JsonPatch::Append(const char* op, Path path, const types::Json* value) {
  types::Json operation = types::Json::MakeObject({{"op", op}, {"path", JsonPointer(path)}});
  if (value != nullptr) operation.Set("value", *value);
  operations_.MutableItems().push_back(std::move(operation));
  return *this;
}

JsonPatch& JsonPatch::Test(Path path, types::Json value) {
  return Append("test", path, &value);
}

JsonPatch& JsonPatch::Add(Path path, types::Json value) {
  ++changes_;
  return Append("add", path, &value);
}

JsonPatch& JsonPatch::Replace(Path path, types::Json value) {
  ++changes_;
  return Append("replace", path, &value);
}

JsonPatch& JsonPatch::Remove(Path path) {
  ++changes_;
  return Append("remove", path, nullptr);
}

JsonPatch& JsonPatch::RequireResourceVersion(std::string_view version) {
  return Test({"metadata", "resourceVersion"}, version);
}

JsonPatch& JsonPatch::RequireUid(std::string_view uid) {
  return Test({"metadata", "uid"}, uid);
}

Patch JsonPatch::Build() const {
  Patch out;
  out.kind = PatchKind::kJson;
  out.body = operations_.Dump();
  return out;
}

std::string JsonPointer(std::initializer_list<std::string_view> path) {
  std::string out;
  for (std::string_view step : path) {
    out += '/';
    for (char c : step) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

}  // namespace bth::client
