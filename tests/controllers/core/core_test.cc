#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "api/types/pod.h"
#include "controllers/core/object_store.h"
#include "controllers/core/quota_usage.h"
#include "controllers/core/status_patch.h"
#include "controllers/core/version.h"
#include "controllers/manager/selection.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::Json;
using types::Pod;
using types::Quantity;

// --- Stores -------------------------------------------------------------------------------------

class Journal final : public StoreListener<Pod> {
 public:
  void OnAdd(const Pod& pod) override { lines.push_back("add " + Text(pod)); }
  void OnUpdate(const Pod& before, const Pod& after) override {
    lines.push_back("update " + Text(before) + " to " + after.meta.resource_version);
  }
  void OnDelete(const Pod& pod) override { lines.push_back("delete " + Text(pod)); }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;

 private:
  static std::string Text(const Pod& pod) { return pod.meta.uid + "@" + pod.meta.resource_version; }
};

Pod MakeOwnedPod(const std::string& uid, const std::string& version,
                 const std::string& owner = "") {
  Pod pod;
  pod.meta.ns = "ns";
  pod.meta.name = "p";
  pod.meta.uid = uid;
  pod.meta.resource_version = version;
  if (!owner.empty()) pod.meta.owner_references = {{"v1", "Thing", "t", owner, true, true}};
  return pod;
}

using Lines = std::vector<std::string>;

TEST_CASE("store: our own write is known once, whatever the watch repeats", "[controllers][core]") {
  ObjectStore<Pod> store;
  Journal journal;
  store.Subscribe(journal);
  store.Observe(MakeOwnedPod("u", "7"));
  store.OnAdd(MakeOwnedPod("u", "7"));
  store.OnUpdate(MakeOwnedPod("u", "6"));
  CHECK(journal.Take() == Lines{"add u@7"});
  store.OnUpdate(MakeOwnedPod("u", "10"));
  store.Observe(MakeOwnedPod("u", "9"));
  CHECK(journal.Take() == Lines{"update u@7 to 10"});
  store.OnDelete({"ns", "p", "u"});
  CHECK(journal.Take() == Lines{"delete u@10"});
  CHECK(store.size() == 0);
}

TEST_CASE("store: a name that belongs to another object now", "[controllers][core]") {
  ObjectStore<Pod> store;
  Journal journal;
  store.Subscribe(journal);
  store.OnAdd(MakeOwnedPod("old", "5"));
  store.Observe(MakeOwnedPod("new", "8"));
  CHECK(journal.Take() == Lines{"add old@5", "delete old@5", "add new@8"});
  // The watch is behind: it still tells of the former one's end.
  store.OnUpdate(MakeOwnedPod("old", "6"));
  store.OnDelete({"ns", "p", "old"});
  CHECK(journal.Take().empty());
  CHECK(store.Find("ns", "p")->meta.uid == "new");
}

TEST_CASE("store: an answer brings back nothing that the watch has told deleted",
          "[controllers][core]") {
  ObjectStore<Pod> store;
  Journal journal;
  store.Subscribe(journal);
  store.OnAdd(MakeOwnedPod("u", "7"));
  store.OnTold("7", false);
  store.OnDelete({"ns", "p", "u"});
  store.OnTold("9", false);
  journal.Take();
  store.Observe(MakeOwnedPod("u", "8"));  // Of a write that came before the deletion.
  CHECK(journal.Take().empty());
  // One that the watch has yet to tell of is known at once.
  store.Observe(MakeOwnedPod("v", "10"));
  CHECK(journal.Take() == Lines{"add v@10"});
}

TEST_CASE("store: an answer to a creation is passed over when the watch is past it",
          "[controllers][core]") {
  ObjectStore<Pod> store;
  // Made as 5 and deleted as 6, both while the watch was away.
  store.OnTold("8", true);
  store.Observe(MakeOwnedPod("u", "5"));
  CHECK(store.size() == 0);
  // It counts for the one that is there as well.
  store.OnAdd(MakeOwnedPod("v", "9"));
  store.OnTold("12", false);
  store.Observe(MakeOwnedPod("v", "14"));
  CHECK(store.Find("ns", "p")->meta.resource_version == "14");
}

TEST_CASE("store: what vanished while the watch was broken is dropped", "[controllers][core]") {
  ObjectStore<Pod> store;
  Journal journal;
  store.Subscribe(journal);
  store.OnTold("6", true);
  store.Observe(MakeOwnedPod("u", "7"));
  store.Observe(MakeOwnedPod("u", "8"));
  store.OnTold("9", true);  // It is not on that list.
  CHECK(journal.Take() == Lines{"add u@7", "update u@7 to 8", "delete u@8"});

  store.Observe(MakeOwnedPod("v", "12"));
  store.OnTold("11", true);  // The list is older than the object.
  CHECK(store.size() == 1);
  store.OnAdd(MakeOwnedPod("v", "12"));
  store.OnTold("13", true);  // This one has it.
  CHECK(store.size() == 1);
}

TEST_CASE("store: objects by owner follow the owner reference", "[controllers][core]") {
  ObjectStore<Pod> store;
  store.OnAdd(MakeOwnedPod("u", "1", "a"));
  CHECK(store.ControlledBy("a").size() == 1);
  store.OnUpdate(MakeOwnedPod("u", "2", "b"));
  CHECK(store.ControlledBy("a").empty());
  CHECK(store.ControlledBy("b").size() == 1);
  store.OnDelete({"ns", "p", "u"});
  CHECK(store.ControlledBy("b").empty());
}

TEST_CASE("versions: later ones are newer", "[controllers][core]") {
  CHECK(IsNewerVersion("10", "9"));
  CHECK_FALSE(IsNewerVersion("9", "10"));
  CHECK_FALSE(IsNewerVersion("9", "9"));
  CHECK(IsNewerVersion("x", "9"));
  CHECK(IsNewerVersion("1", ""));
}

// --- Patches ------------------------------------------------------------------------------------

TEST_CASE("merge diff: turns one document into another", "[controllers][core]") {
  struct Case {
    std::string before, after, diff;
  };
  const Case c = GENERATE(values<Case>({
      {R"({})", R"({})", R"({})"},
      {R"({"a":1})", R"({"a":1})", R"({})"},
      {R"({"a":1,"b":2})", R"({"a":1})", R"({"b":null})"},
      {R"({"a":{"x":1,"y":2}})", R"({"a":{"x":1,"y":3}})", R"({"a":{"y":3}})"},
      {R"({"a":{"x":1}})", R"({"a":5})", R"({"a":5})"},
      {R"({"a":[1,2]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({})", R"({"a":{"x":1}})", R"({"a":{"x":1}})"},
  }));
  CAPTURE(c.before, c.after);
  CHECK(MergeDiff(*Json::Parse(c.before), *Json::Parse(c.after)).Dump() == c.diff);
}

// --- Quota --------------------------------------------------------------------------------------

std::string UsageText(const types::PodSpec& spec) {
  const absl::StatusOr<types::ResourceList> usage = QuotaUsage(spec);
  REQUIRE(usage.ok());
  std::string text;
  for (const auto& [name, quantity] : *usage) text += name + "=" + quantity.ToString() + " ";
  return text;
}

TEST_CASE("quota usage: two containers with every kind of resource", "[controllers][core]") {
  types::Container container;
  container.resources.requests = {{"cpu", Quantity::FromValue(1)},
                                  {"memory", *Quantity::Parse("1000Mi")},
                                  {"nvidia.com/gpu", Quantity::FromValue(1)},
                                  {"hugepages-test", Quantity::FromValue(2000)}};
  container.resources.limits = container.resources.requests;
  types::PodSpec spec;
  spec.containers = {container, container};
  CHECK(UsageText(spec) ==
        "count/pods=1 cpu=2 hugepages-test=4k limits.cpu=2 limits.memory=2000Mi memory=2000Mi "
        "nvidia.com/gpu=2 pods=1 requests.cpu=2 requests.hugepages-test=4k "
        "requests.memory=2000Mi requests.nvidia.com/gpu=2 ");
}

TEST_CASE("quota usage: init containers and overhead", "[controllers][core]") {
  types::PodSpec spec;
  spec.containers.resize(1);
  spec.containers[0].resources.requests = {{"cpu", Quantity::FromValue(1)}};
  spec.init_containers.resize(1);
  spec.init_containers[0].resources.requests = {{"cpu", Quantity::FromValue(3)}};
  spec.init_containers[0].resources.limits = {{"cpu", Quantity::FromValue(4)}};
  spec.overhead = {{"cpu", Quantity::FromMilli(500)}, {"memory", Quantity::FromValue(8)}};
  CHECK(UsageText(spec) ==
        "count/pods=1 cpu=3500m limits.cpu=4500m memory=8 pods=1 requests.cpu=3500m "
        "requests.memory=8 ");
}

TEST_CASE("quota usage: many times one pod", "[controllers][core]") {
  const types::ResourceList usage = {{"cpu", Quantity::FromMilli(150)}};
  for (const int64_t times : {0, 1, 2, 3, 7, 2000}) {
    types::ResourceList total;
    REQUIRE(AddUsage(usage, times, &total).ok());
    const Quantity* cpu = total.Find("cpu");
    CHECK((cpu == nullptr ? 0 : cpu->MilliValue().value()) == 150 * times);
  }
}

// --- Selection ----------------------------------------------------------------------------------

TEST_CASE("selection: the first entry that names a controller decides", "[controllers][core]") {
  CHECK(IsSelected("job-controller", {}));
  CHECK(IsSelected("job-controller", {"*"}));
  CHECK(IsSelected("job-controller", {"+job-controller"}));
  CHECK_FALSE(IsSelected("job-controller", {"+gc-controller", "+queue-controller"}));
  CHECK_FALSE(IsSelected("gc-controller", {"-gc-controller", "*"}));
  CHECK_FALSE(IsSelected("gc-controller", {"*", "-gc-controller"}));
  CHECK_FALSE(IsSelected("sharding-controller", {"*, -sharding-controller-x"}));
  CHECK_FALSE(IsSelected("job-controller", {"-job-controller", "+job-controller"}));
}

TEST_CASE("selection: a controller named twice is refused", "[controllers][core]") {
  CHECK(CheckSelection({"*"}).ok());
  CHECK(CheckSelection({"+a", "+b", "+c"}).ok());
  CHECK(CheckSelection({"-sharding-controller", "*", "-job-controller"}).ok());
  CHECK(absl::StrContains(CheckSelection({"+job-controller", "-job-controller"}).message(),
                          "controllers option -job-controller cannot have both '-' and '+' "));
  CHECK_FALSE(CheckSelection({"+job-controller", "+job-controller"}).ok());
}

TEST_CASE("selection: names that are not known are told", "[controllers][core]") {
  const std::vector<std::string> notes =
      UnknownNames({"*", "-job-controler"}, {"job-controller", "gc-controller"});
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "--controllers: -job-controler: no such controller (did you mean "
        "\"job-controller\"?)");
}

TEST_CASE("selection: what is to run must exist", "[controllers][core]") {
  const std::vector<std::string_view> known = {"job-controller", "gc-controller"};
  CHECK(CheckNames({"*", "-job-controler"}, known).ok());
  CHECK(CheckNames({"+job-controller", "gc-controller"}, known).ok());
  CHECK(CheckNames({}, known).ok());
  CHECK(CheckNames({"job-controler"}, known).message() ==
        "--controllers: job-controler: no such controller (did you mean \"job-controller\"?)");
  CHECK_FALSE(CheckNames({"*", "+nothing-like-it"}, known).ok());
  CHECK(UnknownNames({"job-controler"}, known).empty());
}

}  // namespace
}  // namespace bth::controllers
