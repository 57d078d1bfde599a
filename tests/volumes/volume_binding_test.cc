// Pods with claims, from the API and back: the scheduler, and who binds and makes volumes.
#include <set>

#include "base/strings.h"
#include "nodesim/volume_controller.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"
#include "tests/volumes/paths.h"

namespace bth::scheduler::testing {
namespace {

struct VolumeBed : Bed {
  explicit VolumeBed(const std::string& timeout = "") {
    Bed::Node("n1", 4);
    Bed::Node("n2", 4);
    for (const char* node : {"n1", "n2"}) {
      Patch(StrCat("/api/v1/nodes/", node),
            StrCat(R"({"metadata":{"labels":{"kubernetes.io/hostname":")", node, R"("}}})"));
    }
    Class("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
    Class("made", "batholith.io/simulated", "WaitForFirstConsumer");
    Class("now", "batholith.io/simulated", "Immediate");
    options.policy.path = folder.Write(
        "scheduler.conf",
        StrCat("actions: \"enqueue, allocate, backfill\"\ntiers:\n- plugins:\n  - name: gang\n"
               "  - name: predicates\n",
               timeout.empty()
                   ? ""
                   : StrCat("    arguments: {volumebinding.bindTimeoutSeconds: ", timeout, "}\n"),
               "  - name: nodeorder\n"));
  }
  ~VolumeBed() { controller.reset(); }

  void Begin() { Start(options); }
  // Who binds and makes volumes begins to work.
  void Serve() {
    client::ApiClientOptions unlimited;
    unlimited.qps = 0;
    controller_api = std::make_unique<client::ApiClient>(
        executor, net::MakeInProcessTransport(executor, server->handler()), unlimited);
    controller = std::make_unique<nodesim::VolumeController>(*controller_api, rng,
                                                             nodesim::VolumeControllerOptions());
    controller->Start();
    Settle();
  }
  void Patch(const std::string& target, const std::string& body) {
    const Answer answer = PatchWith(target, body);
    INFO(answer.text);
    REQUIRE(answer.code == 200);
  }
  Answer PatchWith(const std::string& target, const std::string& body) {
    auto out = std::make_shared<Answer>();
    net::Request request;
    request.method = "PATCH";
    request.target = target;
    request.body = body;
    request.headers.Set("content-type", "application/merge-patch+json");
    auto transport = net::MakeInProcessTransport(executor, server->handler());
    net::Spawn(executor, Send(std::move(transport), std::move(request), out));
    executor.RunUntilIdle();
    return *out;
  }
  static net::Awaitable<void> Send(std::shared_ptr<net::Transport> transport, net::Request request,
                                   std::shared_ptr<Answer> answer) {
    absl::StatusOr<net::Response> response = co_await transport->Fetch(std::move(request));
    BTH_CHECK(response.ok());
    answer->code = response->status;
    answer->text = response->body;
  }
  void Class(const std::string& name, const std::string& provisioner, const std::string& mode) {
    Create("/apis/storage.k8s.io/v1/storageclasses",
           StrCat(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":)",
                  R"({"name":")", name, R"("},"provisioner":")", provisioner,
                  R"(","volumeBindingMode":")", mode, R"("})"));
  }
  void Claim(const std::string& name, const std::string& storage_class, int gigabytes = 1) {
    Create(kClaims,
           StrCat(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")", name,
                  R"("},"spec":{"storageClassName":")", storage_class,
                  R"(","accessModes":["ReadWriteOnce"],)",
                  R"("resources":{"requests":{"storage":")", gigabytes, R"(Gi"}}}})"));
  }
  void LocalVolume(const std::string& name, const std::string& node, int gigabytes = 1) {
    Create(
        kVolumes,
        StrCat(
            R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")", name,
            R"("},"spec":{"storageClassName":"local","capacity":{"storage":")", gigabytes,
            R"(Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain",)",
            R"("local":{"path":"/d"},"nodeAffinity":{"required":{"nodeSelectorTerms":[)",
            R"({"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":[")",
            node, R"("]}]}]}}}})"));
    Patch(StrCat(kVolumes, "/", name, "/status"), R"({"status":{"phase":"Available"}})");
  }
  void PodWith(const std::string& name, const std::string& group, const std::string& claim) {
    Create(
        "/api/v1/namespaces/default/pods",
        StrCat(
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
            R"(","annotations":{"scheduling.k8s.io/group-name":")", group,
            R"("}},"spec":{"schedulerName":"volcano","volumes":[{"name":"v","persistentVolumeClaim":)",
            R"({"claimName":")", claim, R"("}}],"containers":[{"name":"c","image":"i"}]}})"));
  }
  Json ClaimNamed(const std::string& name) { return Get(StrCat(kClaims, "/", name)); }
  std::string VolumeOf(const std::string& claim) {
    return std::string(ClaimNamed(claim).At({"spec", "volumeName"}).AsString());
  }
  std::string SelectedNode(const std::string& claim) {
    return std::string(ClaimNamed(claim)
                           .At({"metadata", "annotations", "volume.kubernetes.io/selected-node"})
                           .AsString());
  }
  std::string ClaimantOf(const std::string& volume) {
    const Json object = Get(StrCat(kVolumes, "/", volume));
    return std::string(object.At({"spec", "claimRef", "name"}).AsString());
  }

  test::TempFolder folder;
  SchedulerOptions options;
  Rng rng{7};
  std::unique_ptr<client::ApiClient> controller_api;
  std::unique_ptr<nodesim::VolumeController> controller;
};

TEST_CASE("volumes: a claim that waits gets its volume where the pod goes", "[volumes]") {
  VolumeBed bed;
  bed.Begin();
  bed.Serve();
  bed.Claim("data", "made");
  bed.Group("g", 1);
  bed.Settle();
  CHECK(bed.VolumeOf("data").empty());
  bed.PodWith("p", "g", "data");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p").empty());
  CHECK(bed.SelectedNode("data") == bed.NodeOf("p"));
  CHECK_FALSE(bed.VolumeOf("data").empty());
  CHECK(bed.ClaimNamed("data").At({"status", "phase"}).AsString() == "Bound");
  CHECK(bed.controller->counters().made == 1);
}

TEST_CASE("volumes: a pod waits for its claim, others do not wait for it", "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("disk", "n2");
  bed.Claim("data", "local");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.ClaimantOf("disk") == "data");
  CHECK(bed.Get(StrCat(kVolumes, "/disk"))
            .At({"metadata", "annotations", "pv.kubernetes.io/bound-by-controller"})
            .AsString() == "yes");
  bed.Group("h", 1);
  bed.Pod("other", "h", 1);
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("other").empty());
  bed.Serve();
  CHECK(bed.NodeOf("p") == "n2");
  CHECK(bed.VolumeOf("data") == "disk");
}

TEST_CASE("volumes: of a gang each pod gets a volume of its own, the smallest that fits",
          "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("big", "n1", 10);
  bed.LocalVolume("small", "n1", 2);
  bed.LocalVolume("tiny", "n1", 1);
  bed.Claim("a", "local", 2);
  bed.Claim("b", "local", 2);
  bed.Begin();
  bed.Serve();
  bed.Group("g", 2);
  bed.PodWith("p-0", "g", "a");
  bed.PodWith("p-1", "g", "b");
  bed.Settle();
  CHECK(bed.NodeOf("p-0") == "n1");
  CHECK(bed.NodeOf("p-1") == "n1");
  CHECK(std::set<std::string>{bed.VolumeOf("a"), bed.VolumeOf("b")} ==
        std::set<std::string>{"big", "small"});
  CHECK(bed.ClaimantOf("tiny").empty());
}

TEST_CASE("volumes: a gang is not placed when one volume is missing", "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("only", "n1");
  bed.Claim("a", "local");
  bed.Claim("b", "local");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 2);
  bed.PodWith("p-0", "g", "a");
  bed.PodWith("p-1", "g", "b");
  bed.Settle();
  CHECK(bed.NodeOf("p-0").empty());
  CHECK(bed.NodeOf("p-1").empty());
  CHECK(bed.ClaimantOf("only").empty());
  // The missing one comes.
  bed.LocalVolume("second", "n2");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p-0").empty());
  CHECK_FALSE(bed.NodeOf("p-1").empty());
  CHECK(bed.VolumeOf("a") != bed.VolumeOf("b"));
}

TEST_CASE("volumes: two pods share a claim that waits", "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("disk", "n2");
  bed.Claim("shared", "local");
  bed.Begin();
  bed.Serve();
  bed.Group("g", 2);
  bed.PodWith("p-0", "g", "shared");
  bed.PodWith("p-1", "g", "shared");
  bed.Settle();
  CHECK(bed.NodeOf("p-0") == "n2");
  CHECK(bed.NodeOf("p-1") == "n2");
  CHECK(bed.VolumeOf("shared") == "disk");
}

TEST_CASE("volumes: what is not bound in time is tried again, with a reason", "[volumes]") {
  VolumeBed bed("60");
  bed.Claim("data", "made");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  CHECK_FALSE(bed.SelectedNode("data").empty());
  CHECK(bed.PodCondition("p") == "");
  bed.executor.Advance(absl::Seconds(45));
  const std::string node = bed.SelectedNode("data");
  CHECK(bed.PodCondition("p") ==
        StrCat("False SchedulerError: failed to bind to node ", node,
               ": binding volumes: timed out after 1m: claim default/data waits for a volume "
               "to be made for node ",
               node));
  bed.Serve();
  bed.Settle();
  CHECK(bed.NodeOf("p") == node);
}

TEST_CASE("volumes: a volume that another claim took is given up for the next", "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("first", "n1", 1);
  bed.LocalVolume("second", "n1", 2);
  bed.Claim("data", "local");
  bed.Begin();
  // Somebody else is faster than our write.
  bool taken = false;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    const bool ours =
        request.method == "PATCH" && absl::StrContains(request.target, "persistentvolumes/first");
    if (!ours || taken) return std::nullopt;
    taken = true;
    return Fault{.code = 409, .reason = "Conflict"};
  };
  bool read = false;
  bed.line->on_request = [&](const net::Request& request) {
    const bool rereads = taken && request.method == "GET" &&
                         absl::StrContains(request.target, "persistentvolumes/first");
    if (!rereads || read) return;
    read = true;
  };
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.executor.RunUntilIdle();
  bed.Serve();
  bed.Settle();
  CHECK(taken);
  CHECK(read);  // A conflict is looked into before anything is given up.
  CHECK(bed.VolumeOf("data") == "first");
  CHECK(bed.NodeOf("p") == "n1");
  // And one that is really gone to somebody else is not fought for.
  bed.Claim("more", "local");
  bed.Claim("rival", "local");
  bed.LocalVolume("third", "n2", 1);  // Where there is more room.
  bool stolen = false;
  bed.line->on_request = [&](const net::Request& request) {
    const bool ours =
        request.method == "GET" && absl::StrContains(request.target, "persistentvolumes/third");
    if (!ours || stolen) return;
    stolen = true;
    net::Request steal;
    steal.method = "PATCH";
    steal.target = StrCat(kVolumes, "/third");
    steal.headers.Set("content-type", "application/merge-patch+json");
    steal.body = R"({"spec":{"claimRef":{"namespace":"default","name":"rival","uid":"x"}}})";
    net::Spawn(bed.executor,
               VolumeBed::Send(net::MakeInProcessTransport(bed.executor, bed.server->handler()),
                               std::move(steal), std::make_shared<Bed::Answer>()));
  };
  bed.Group("h", 1);
  bed.PodWith("q", "h", "more");
  bed.Settle();
  bed.Settle();
  CHECK(stolen);
  CHECK(bed.VolumeOf("more") == "second");
  CHECK(bed.NodeOf("q") == "n1");
}

TEST_CASE("volumes: when no volume could be made there, another node is tried", "[volumes]") {
  VolumeBed bed;
  bed.Claim("data", "made");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  const std::string first = bed.SelectedNode("data");
  REQUIRE_FALSE(first.empty());
  // What provisioners do that give a node up.
  bed.Patch(StrCat("/api/v1/nodes/", first), R"({"spec":{"unschedulable":true}})");
  bed.Patch(StrCat(kClaims, "/data"),
            R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":null}}})");
  bed.Settle();
  CHECK_FALSE(bed.SelectedNode("data").empty());
  CHECK(bed.SelectedNode("data") != first);
  bed.Serve();
  CHECK(bed.NodeOf("p") == bed.SelectedNode("data"));
}

TEST_CASE("volumes: a pod of a gang that fails does not cost the others", "[volumes]") {
  VolumeBed bed("20");
  bed.Claim("late", "made");
  bed.Begin();
  bed.Group("g", 2);
  bed.PodWith("p-0", "g", "late");
  bed.Pod("p-1", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p-0").empty());
  CHECK_FALSE(bed.NodeOf("p-1").empty());
  CHECK(absl::StrContains(bed.Condition(Bed::GroupPath("g"), "PartiallyBound"), "True"));
  bed.Serve();
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p-0").empty());
  CHECK(absl::StrContains(bed.Condition(Bed::GroupPath("g"), "PartiallyBound"), "False"));
}

TEST_CASE("volumes: a pod that goes while it waits gives its volume back", "[volumes]") {
  VolumeBed bed;
  bed.LocalVolume("disk", "n1");
  bed.Claim("data", "local");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  REQUIRE(bed.NodeOf("p").empty());
  CHECK(bed.Call("DELETE", "/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0").code == 200);
  bed.Settle();
  bed.Serve();
  CHECK(bed.VolumeOf("data") == "disk");  // Written already: whoever comes next uses it.
  bed.Group("h", 1);
  bed.PodWith("q", "h", "data");
  bed.Settle();
  CHECK(bed.NodeOf("q") == "n1");
}

TEST_CASE("volumes: a scheduler that starts anew takes up what waits", "[volumes]") {
  VolumeBed bed;
  bed.Claim("data", "made");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  const std::string node = bed.SelectedNode("data");
  bed.scheduler.reset();
  bed.Begin();
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  bed.Serve();
  CHECK(bed.NodeOf("p") == node);
}

TEST_CASE("volumes: a claim that binds at once is waited for, a missing one is named",
          "[volumes]") {
  VolumeBed bed;
  bed.Claim("data", "now");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Group("h", 1);
  bed.PodWith("q", "h", "nowhere");
  bed.Settle();
  CHECK(bed.PodCondition("p") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 plugin VolumeBinding pre-predicates "
        "failed pod has unbound immediate PersistentVolumeClaims.");
  CHECK(bed.PodCondition("q") ==
        "False Unschedulable: 0/2 nodes are unavailable: 2 plugin VolumeBinding pre-predicates "
        "failed persistentvolumeclaim \"nowhere\" not found.");
  bed.Serve();
  CHECK_FALSE(bed.NodeOf("p").empty());
  bed.Claim("nowhere", "made");
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("q").empty());
}

TEST_CASE("volumes: a role that forbids storage kinds does not keep pods without them waiting",
          "[volumes]") {
  VolumeBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    const bool storage = absl::StrContains(request.target, "persistentvolume") ||
                         absl::StrContains(request.target, "storage.k8s.io");
    if (!storage) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Begin();
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK_FALSE(bed.NodeOf("p").empty());
}

TEST_CASE("volumes: nothing is written while a claim waits", "[volumes]") {
  VolumeBed bed;
  bed.Claim("data", "made");
  bed.Begin();
  bed.Group("g", 1);
  bed.PodWith("p", "g", "data");
  bed.Settle();
  const size_t writes = bed.writes;
  const uint64_t cycles = bed.scheduler->cycles();
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.writes == writes);
  CHECK(bed.scheduler->cycles() <= cycles + 1);
}

}  // namespace
}  // namespace bth::scheduler::testing
