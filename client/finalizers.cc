#include "client/finalizers.h"

#include <string>
#include <utility>

namespace bth::client {
namespace {

using types::Json;

Json AllBut(const types::ObjectMeta& meta, std::string_view finalizer) {
  Json others = Json::MakeArray();
  for (const std::string& each : meta.finalizers) {
    if (each != finalizer) others.MutableItems().emplace_back(each);
  }
  return others;
}

Patch SetFinalizers(const types::ObjectMeta& meta, Json finalizers) {
  MergePatch patch;
  patch.RequireResourceVersion(meta.resource_version);
  patch.Set({"metadata", "finalizers"}, std::move(finalizers));
  return patch.Build();
}

}  // namespace

Patch WithFinalizer(const types::ObjectMeta& meta, std::string_view finalizer) {
  Json finalizers = AllBut(meta, finalizer);
  finalizers.MutableItems().emplace_back(std::string(finalizer));
  return SetFinalizers(meta, std::move(finalizers));
}

Patch WithoutFinalizer(const types::ObjectMeta& meta, std::string_view finalizer) {
  return SetFinalizers(meta, AllBut(meta, finalizer));
}

}  // namespace bth::client
