// A pod on its way to be created.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types/json.h"

namespace bth::controllers {

// The document that will be sent: the task's template with all its fields, and what controller and
// plugins add. Values are set on the JSON itself, so that nothing of a template is lost.
class PodDraft final {
 public:
  // `object` has metadata.name, metadata.annotations, metadata.labels and spec.
  PodDraft(types::Json object, std::string task, int32_t index)
      : object_(std::move(object)), task_(std::move(task)), index_(index) {}

  const types::Json& object() const { return object_; }
  types::Json& object() { return object_; }
  types::Json& spec() { return object_["spec"]; }
  const types::Json& spec() const { return object_["spec"]; }
  std::string_view name() const { return object_.At({"metadata", "name"}).AsString(); }
  const std::string& task() const { return task_; }
  int32_t index() const { return index_; }  // Within the task.

  std::string_view Label(std::string_view key) const {
    return object_.At({"metadata", "labels"})[key].AsString();
  }
  std::string_view Annotation(std::string_view key) const {
    return object_.At({"metadata", "annotations"})[key].AsString();
  }
  void SetLabel(std::string_view key, std::string_view value);
  void SetAnnotation(std::string_view key, std::string_view value);

  // Pointers into the draft, until containers are added or removed.
  std::vector<types::Json*> Containers();     // spec.containers
  std::vector<types::Json*> AllContainers();  // spec.initContainers, then spec.containers

  void AddVolume(types::Json volume);
  static void AddMount(types::Json& container, types::Json mount);
  // Appended, even if the name is there: the last one counts.
  static void AddEnv(types::Json& container, std::string_view name, std::string_view value);
  static bool HasPort(const types::Json& container, int32_t container_port);
  // Unless a port of that number is there.
  static void AddPort(types::Json& container, std::string_view name, int32_t container_port);

 private:
  types::Json object_;
  std::string task_;
  int32_t index_;
};

}  // namespace bth::controllers
