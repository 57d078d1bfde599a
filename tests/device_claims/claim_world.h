// Objects with devices and claims as the API has them, and snapshots of them.
#pragma once

#include <string>
#include <string_view>

#include "api/types/codec.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/routing/router.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"

namespace bth::test {

class ClaimWorld {
 public:
  template <typename T>
  void Put(const std::string& json) {
    const auto object = types::Decode<T>(std::string_view(json));
    INFO(json);
    REQUIRE(object.ok());
    REQUIRE(cache::Router(mirror_, responsibility_).Put(*object).ok());
  }
  World Publish() {
    World out;
    out.snapshot = mirror_.Publish();
    const model::Snapshot& base = *out.snapshot;
    for (model::NodeId node : *base.nodes_by_name) out.nodes[base.node_facts(node).name] = node;
    for (model::QueueId queue : *base.queues_by_name) {
      out.queues[*base.queues[queue].name] = queue;
    }
    for (model::TaskId task : base.tasks.ids()) {
      if (base.tasks[task].names == nullptr) continue;
      out.tasks[base.tasks[task].names->name] = task;
      const model::JobId job = base.tasks[task].job;
      if (job.valid() && base.jobs[job].facts != nullptr) {
        out.jobs[base.jobs[job].facts->name] = job;
      }
    }
    return out;
  }

  void DeviceClass(const std::string& name) {
    Put<types::DeviceClass>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":")",
               name, R"("}})"));
  }
  void Node(const std::string& name) {
    Put<types::Node>(
        StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
               R"("},"status":{"allocatable":{"cpu":"64","memory":"64Gi","pods":"110"}}})"));
  }
  // The node's own pool; `devices`: JSON of each, with commas.
  void Slice(const std::string& node, const std::string& devices) {
    Put<types::ResourceSlice>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":")",
               node, R"("},"spec":{"driver":"x.io","nodeName":")", node, R"(","pool":{"name":")",
               node, R"(","generation":1,"resourceSliceCount":1},"devices":[)", devices, "]}}"));
  }
  // `devices`: JSON of what it asks for. `owner`: the UID of the pod that it was made for.
  void Claim(const std::string& name, const std::string& devices, const std::string& owner = "") {
    const std::string owners =
        owner.empty() ? ""
                      : StrCat(R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",)",
                               R"("uid":")", owner, R"(","controller":true}])");
    Put<types::ResourceClaim>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")",
               name, R"(","namespace":"ns","uid":"u-)", name, "\"", owners,
               R"(},"spec":{"devices":)", devices, "}}"));
  }
  // `metadata`, `spec` and `status`: further members, each after a comma.
  struct PodParts {
    std::string metadata = "";
    std::string spec = "";
    std::string status = "";
  };
  void Pod(const std::string& name, const PodParts& more) {
    Put<types::Pod>(StrCat(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":")", name,
        R"(","uid":"u-)", name, R"(","creationTimestamp":"2026-01-01T00:00:00Z")", more.metadata,
        R"(},"spec":{"schedulerName":"volcano","containers":[{"name":"c","image":"i"}])", more.spec,
        R"(},"status":{"phase":"Pending")", more.status, "}}"));
  }
  // As when a binding of the pod that is so called is decided.
  absl::Status Assume(const std::string& pod, const model::ClaimPlan& plan) {
    return mirror_.device_claims().Assume("u-" + pod, plan);
  }
  static std::string Uses(const std::string& claim) {
    return StrCat(R"(,"resourceClaims":[{"name":"d","resourceClaimName":")", claim, R"("}])");
  }

 private:
  ManualClock clock_{absl::FromUnixSeconds(1'767'225'600)};
  cache::Mirror mirror_{clock_, {}};
  cache::Responsibility responsibility_;
};

}  // namespace bth::test
