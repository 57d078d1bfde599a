// A scheduler, an API server and the claim controller in one process, on virtual time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "nodesim/claim_controller.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler::testing {

inline constexpr char kDeviceClaims[] =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
inline constexpr char kPods[] = "/api/v1/namespaces/default/pods";

struct ClaimBed : Bed {
  ClaimBed() {
    Bed::Node("n1", 4);
    Bed::Node("n2", 4);
    Create("/apis/resource.k8s.io/v1/deviceclasses",
           R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},)"
           R"("spec":{"selectors":[{"cel":{"expression":"device.driver == 'x.io'"}}],)"
           R"("config":[{"opaque":{"driver":"x.io","parameters":{"a":1}}}]}})");
    options.policy.path =
        folder.Write("scheduler.conf",
                     "actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: "
                     "gang\n  - name: predicates\n  - name: nodeorder\n");
  }
  ~ClaimBed() { controller.reset(); }

  void Begin() { Start(options); }
  // Until a cycle has run, and what it decided is written.
  void OneCycle() { executor.Advance(absl::Seconds(1)); }
  // Kubernetes' claim controller begins to work, on a line on which things may go wrong.
  void Serve(test::FaultyLine::Script script = nullptr) {
    client::ApiClientOptions unlimited;
    unlimited.qps = 0;
    controller.reset();
    auto faulty = std::make_shared<test::FaultyLine>(
        executor, net::MakeInProcessTransport(executor, server->handler()));
    faulty->script = std::move(script);
    controller_api = std::make_unique<client::ApiClient>(executor, std::move(faulty), unlimited);
    controller = std::make_unique<nodesim::ClaimController>(*controller_api, rng,
                                                            nodesim::ClaimControllerOptions());
    controller->Start();
    Settle();
  }
  // `devices`: JSON of each, with commas.
  void Slice(const std::string& node, const std::string& devices) {
    Create("/apis/resource.k8s.io/v1/resourceslices",
           StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":)",
                  R"({"name":")", node, R"("},"spec":{"driver":"x.io","nodeName":")", node,
                  R"(","pool":{"name":")", node,
                  R"(","generation":1,"resourceSliceCount":1},"devices":[)", devices, "]}}"));
  }
  static std::string SpecFor(int count) {
    return StrCat(R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",)",
                  R"("count":)", count, R"(}}],"config":[{"requests":["r"],"opaque":)",
                  R"({"driver":"x.io","parameters":{"b":2}}}]}})");
  }
  void Claim(const std::string& name, int count = 1) {
    Create(kDeviceClaims,
           StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":)",
                  R"({"name":")", name, R"("},"spec":)", SpecFor(count), "}"));
  }
  void Template(const std::string& name, int count = 1) {
    Create("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
           StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"metadata":{"labels":{"a":"b"}},)",
                  R"("spec":)", SpecFor(count), "}}"));
  }
  // `entry`: JSON members of its resourceClaims entry but the name, which is "d".
  void PodWith(const std::string& name, const std::string& group, const std::string& entry) {
    Create(kPods, StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                         R"(","annotations":{"scheduling.k8s.io/group-name":")", group,
                         R"("}},"spec":{"schedulerName":"volcano","resourceClaims":[{"name":"d",)",
                         entry, R"(}],"containers":[{"name":"c","image":"i"}]}})"));
  }
  void PodOf(const std::string& name, const std::string& group, const std::string& claim) {
    PodWith(name, group, StrCat(R"("resourceClaimName":")", claim, "\""));
  }
  void PodFrom(const std::string& name, const std::string& group, const std::string& from) {
    PodWith(name, group, StrCat(R"("resourceClaimTemplateName":")", from, "\""));
  }
  Json ClaimNamed(const std::string& name) { return Get(StrCat(kDeviceClaims, "/", name)); }
  // "pool/device" of each that the claim has.
  std::string DevicesOf(const std::string& claim) {
    std::string out;
    const Json object = ClaimNamed(claim);
    for (const Json& device : object.At({"status", "allocation", "devices", "results"}).items()) {
      StrAppend(&out, out.empty() ? "" : " ", device["pool"].AsString(), "/",
                device["device"].AsString());
    }
    return out;
  }
  std::string UsersOf(const std::string& claim) {
    std::string out;
    const Json object = ClaimNamed(claim);
    for (const Json& user : object.At({"status", "reservedFor"}).items()) {
      StrAppend(&out, out.empty() ? "" : " ", user["name"].AsString());
    }
    return out;
  }
  std::string ClaimOf(const std::string& pod) {
    const Json object = Get(StrCat(kPods, "/", pod));
    const Json& statuses = object.At({"status", "resourceClaimStatuses"});
    return statuses.empty() ? "" : std::string(statuses[0]["resourceClaimName"].AsString());
  }
  bool IsProtected(const std::string& claim) {
    const Json object = ClaimNamed(claim);
    return !object.At({"metadata", "finalizers"}).empty();
  }
  int Patch(const std::string& target, const std::string& body) {
    return Call("PATCH", target, body, "application/merge-patch+json").code;
  }
  // An allocation as a scheduler writes it before it binds the pod: device "d0" of the node. Its
  // user is written with it, by Kubernetes' scheduler a moment later.
  void Lend(const std::string& claim, const std::string& pod, const std::string& node,
            bool has_user = true, const std::string& request = "r") {
    const std::string uid(Get(StrCat(kPods, "/", pod)).At({"metadata", "uid"}).AsString());
    CHECK(Patch(StrCat(kDeviceClaims, "/", claim),
                StrCat(R"({"metadata":{"finalizers":[")", cache::kDeviceFinalizer, R"("]}})")) ==
          200);
    const std::string users = has_user ? StrCat(R"("reservedFor":[{"resource":"pods","name":")",
                                                pod, R"(","uid":")", uid, R"("}],)")
                                       : "";
    CHECK(
        Patch(StrCat(kDeviceClaims, "/", claim, "/status"),
              StrCat(R"({"status":{)", users, R"("allocation":{"devices":{"results":[{"request":")",
                     request, R"(","driver":"x.io","pool":")", node, R"(","device":"d0"}]},)",
                     R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":)",
                     R"("metadata.name","operator":"In","values":[")", node, R"("]}]}]}}}})")) ==
        200);
  }
  // As another scheduler does it.
  void Bind(const std::string& pod, const std::string& node) {
    CHECK(Call("POST", StrCat(kPods, "/", pod, "/binding"),
               StrCat(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")", pod,
                      R"("},"target":{"apiVersion":"v1","kind":"Node","name":")", node, R"("}})"))
              .code == 201);
  }
  void DeletePod(const std::string& name) {
    CHECK(Call("DELETE", StrCat(kPods, "/", name, "?gracePeriodSeconds=0")).code == 200);
    Settle();
  }

  test::TempFolder folder;
  SchedulerOptions options;
  Rng rng{7};
  std::unique_ptr<client::ApiClient> controller_api;
  std::unique_ptr<nodesim::ClaimController> controller;
};

}  // namespace bth::scheduler::testing
