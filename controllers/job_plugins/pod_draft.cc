#include "controllers/job_plugins/pod_draft.h"

namespace bth::controllers {
namespace {

using types::Json;

void Append(Json& list, std::vector<Json*>* out) {
  for (Json& item : list.MutableItems()) out->push_back(&item);
}

}  // namespace

void PodDraft::SetLabel(std::string_view key, std::string_view value) {
  object_.MutableAt({"metadata", "labels"}).Set(key, value);
}

void PodDraft::SetAnnotation(std::string_view key, std::string_view value) {
  object_.MutableAt({"metadata", "annotations"}).Set(key, value);
}

std::vector<Json*> PodDraft::Containers() {
  std::vector<Json*> result;
  if (Json* containers = spec().Find("containers")) Append(*containers, &result);
  return result;
}

std::vector<Json*> PodDraft::AllContainers() {
  std::vector<Json*> result;
  if (Json* containers = spec().Find("initContainers")) Append(*containers, &result);
  if (Json* containers = spec().Find("containers")) Append(*containers, &result);
  return result;
}

void PodDraft::AddVolume(Json volume) {
  spec()["volumes"].MutableItems().push_back(std::move(volume));
}

void PodDraft::AddMount(Json& container, Json mount) {
  container["volumeMounts"].MutableItems().push_back(std::move(mount));
}

void PodDraft::AddEnv(Json& container, std::string_view name, std::string_view value) {
  container["env"].MutableItems().push_back(Json::MakeObject({{"name", name}, {"value", value}}));
}

bool PodDraft::HasPort(const Json& container, int32_t container_port) {
  for (const Json& port : container["ports"].items()) {
    if (port["containerPort"].AsInt() == container_port) return true;
  }
  return false;
}

void PodDraft::AddPort(Json& container, std::string_view name, int32_t container_port) {
  if (HasPort(container, container_port)) return;
  container["ports"].MutableItems().push_back(
      Json::MakeObject({{"name", name}, {"containerPort", container_port}}));
}

}  // namespace bth::controllers
