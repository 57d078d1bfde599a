// Clusters with volumes, made of objects as the API has them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/types/codec.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "cache/intake/compile_volumes.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {

template <typename T>
T ReadObject(const std::string& json) {
  absl::StatusOr<T> object = types::Decode<T>(std::string_view(json));
  INFO(json);
  REQUIRE(object.status().ToString() == "OK");
  return *std::move(object);
}

// Keeps the objects beside the mirror that it feeds.
class StorageWorld {
 public:
  void Node(const std::string& name, const std::string& labels) {
    const auto node = ReadObject<types::Node>(StrCat(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name, R"(","labels":{)", labels,
        R"(}},"status":{"allocatable":{"cpu":"64","memory":"64Gi","pods":"110"}}})"));
    node_labels[name] = node.meta.labels;
    auto compiled = cache::Compile(node, symbols());
    REQUIRE(compiled.ok());
    mirror.PutNode(*std::move(compiled));
  }
  void Class(const std::string& json) {
    const auto object = ReadObject<types::StorageClass>(json);
    classes[object.meta.name] = object;
    mirror.storage().PutClass(object.meta.name, cache::Compile(object, symbols()));
  }
  void Volume(const std::string& json) {
    const auto object = ReadObject<types::PersistentVolume>(json);
    volumes[object.meta.name] = object;
    mirror.storage().Put(cache::Compile(object, symbols()));
  }
  void Claim(const std::string& json) {
    const auto object = ReadObject<types::PersistentVolumeClaim>(json);
    claims[object.meta.name] = object;
    mirror.storage().Put(cache::Compile(object, symbols()));
  }
  void Driver(const std::string& name, bool tracks_capacity) {
    drivers[name] = tracks_capacity;
    mirror.storage().PutCsiDriver(name, tracks_capacity);
  }
  void Capacity(const std::string& json) {
    const auto object = ReadObject<types::CsiStorageCapacity>(json);
    capacities.push_back(object);
    mirror.storage().PutCapacity(object.meta.Key(), object.storage_class_name,
                                 cache::Compile(object, symbols()));
  }
  // In namespace ns, of the job "g"; `volumes` is the inside of spec.volumes.
  void Pod(const std::string& name, const std::string& pod_volumes, const std::string& node = "") {
    const auto object = ReadObject<types::Pod>(StrCat(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":")", name,
        R"(","uid":"u-)", name, R"(","creationTimestamp":"2026-01-01T00:00:00Z","annotations":)",
        R"({"scheduling.k8s.io/group-name":"g"}},"spec":{"schedulerName":"volcano","nodeName":")",
        node, R"(","volumes":[)", pod_volumes, R"(],"containers":[{"name":"c","image":"i"}]},)",
        R"("status":{"phase":")", node.empty() ? "Pending" : "Running", R"("}})"));
    auto compiled = cache::Compile(object, cache::Responsibility(), symbols());
    REQUIRE(compiled.ok());
    mirror.PutPod(*std::move(compiled));
  }
  static std::string Uses(const std::string& claim) {
    return StrCat(R"({"name":")", claim, R"(","persistentVolumeClaim":{"claimName":")", claim,
                  R"("}})");
  }
  World Publish() {
    World out;
    out.snapshot = mirror.Publish();
    for (model::NodeId node : *out.snapshot->nodes_by_name) {
      out.nodes[out.snapshot->node_facts(node).name] = node;
    }
    for (model::TaskId task : out.snapshot->tasks.ids()) {
      const auto& names = out.snapshot->tasks[task].names;
      if (names != nullptr) out.tasks[names->name] = task;
    }
    return out;
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }

  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  cache::Mirror mirror{clock, {}};
  std::map<std::string, types::LabelMap> node_labels;
  std::map<std::string, types::StorageClass> classes;
  std::map<std::string, types::PersistentVolume> volumes;
  std::map<std::string, types::PersistentVolumeClaim> claims;
  std::map<std::string, bool> drivers;
  std::vector<types::CsiStorageCapacity> capacities;
};

}  // namespace bth::test
