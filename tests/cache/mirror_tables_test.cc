// What the mirror keeps of objects that are gone: nothing that adds up.
#include <string>
#include <vector>

#include "api/types/service.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/intake/compile_selectors.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using testing::Read;

struct TablesBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  TablesBed() {
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutNode(MakeNode("n", R"({"cpu":"9","pods":"99"})", symbols()));
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }

  // A pod that names things that no other one names.
  PodText Named(int i, bool ours) {
    PodText text{.name = StrCat("p", i)};
    text.meta = StrCat(R"("labels":{"app":"a)", i, R"("},)");
    text.spec = StrCat(
        R"("nodeSelector":{"disk)", i, R"(":"d)", i, R"("},"tolerations":[{"key":"t)", i,
        R"(","value":"v)", i, R"("}],"affinity":{"podAntiAffinity":{)",
        R"("requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"h","labelSelector":)",
        R"({"matchLabels":{"only)", i, R"(":"x","app":"a)", i, R"("}}}]}},)",
        R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z)", i,
        R"(","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"spread)", i,
        R"(":"v"}}}],)");
    if (!ours) {
      text.spec += R"("nodeName":"n",)";
      text.status = R"("phase":"Running",)";
    }
    return text;
  }
  void PutNamed(int i, bool ours) {
    CompiledPod pod = [&] {
      types::Pod object = Read<types::Pod>(Named(i, ours).Json());
      object.spec.scheduler_name = ours ? "volcano" : "another";
      return *Compile(object, Responsibility(), symbols());
    }();
    pod.requests.emplace_back(StrCat("a.io/r", i), 1000);
    mirror.PutPod(std::move(pod));
  }
  // One job after the other comes, is looked at and goes.
  TableSizes AfterShortJobs(int count, bool ours) {
    for (int i = 0; i < count; ++i) {
      mirror.PutPodGroup(MakeGroup("g", 1));
      PutNamed(i, ours);
      mirror.Publish();
      mirror.RemovePod(StrCat("ns/p", i));
      mirror.RemovePodGroup("ns/g");
      mirror.Publish();
    }
    return mirror.table_sizes();
  }
};

TEST_CASE("mirror tables: pods that are gone leave nothing that adds up", "[cache][tables]") {
  for (const bool ours : {true, false}) {
    TablesBed bed;
    const TableSizes few = bed.AfterShortJobs(300, ours);
    const size_t kept = bed.symbols().kept();
    const TableSizes many = bed.AfterShortJobs(1200, ours);
    INFO(ours);
    // As many label keys as are kept for those who ask again, and their symbols.
    CHECK(few.label_keys <= PodLabelBook::kIdleKeysMax);
    CHECK(many.label_keys <= PodLabelBook::kIdleKeysMax);
    CHECK(many.symbols <= few.symbols + PodLabelBook::kIdleKeysMax);
    CHECK(bed.symbols().kept() <= kept + 1024);
    CHECK(many.label_sets == 0);
    CHECK(many.shapes == 0);
    CHECK(many.constraints == 0);
    CHECK(many.resources <= size_t{model::kDims});
    CHECK(many.dimensions == model::kFixedDims);
    CHECK(many.without_dimension == 0);
  }
}

TEST_CASE("mirror tables: nodes and namespaces take their words with them", "[cache][tables]") {
  TablesBed bed;
  bed.mirror.Publish();
  const size_t before = bed.mirror.table_sizes().symbols;
  for (int i = 0; i < 50; ++i) {
    types::Node node = Read<types::Node>(
        StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"m)", i,
               R"(","labels":{"host":"m)", i, R"("}},"spec":{"taints":[{"key":"k)", i,
               R"(","effect":"NoSchedule"}]},"status":{"images":[{"names":["i)", i,
               R"("],"sizeBytes":1}]}})"));
    bed.mirror.PutNode(*Compile(node, bed.symbols()));
    bed.mirror.PutNamespace(StrCat("ns", i), {{"team", StrCat("t", i)}});
    bed.mirror.Publish();
    bed.mirror.RemoveNode(StrCat("m", i));
    bed.mirror.RemoveNamespace(StrCat("ns", i));
  }
  bed.mirror.Publish();
  CHECK(bed.mirror.table_sizes().symbols == before);
}

TEST_CASE("mirror tables: services take the words of their selectors with them",
          "[cache][tables]") {
  TablesBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 1));
  PodText text{.name = "w"};
  text.meta = R"("labels":{"app":"a"},)";
  bed.mirror.PutPod(MakePod(text, bed.symbols()));
  bed.mirror.Publish();
  const TableSizes before = bed.mirror.table_sizes();
  CompiledService service{.ns = "ns", .name = "s", .selector = {{"app", "a"}}};
  bed.mirror.selectors().Put(service);
  bed.mirror.Publish();
  CHECK(bed.mirror.table_sizes().label_keys == before.label_keys + 1);
  bed.mirror.RemovePod("ns/w");
  bed.mirror.selectors().RemoveService("ns", "s");
  bed.mirror.Publish();
  CHECK(bed.mirror.table_sizes().label_sets == 0);
}

TEST_CASE("mirror tables: a foreign pod costs what its place on a node means", "[cache][tables]") {
  TablesBed bed;
  const auto constraints_of = [&bed](bool ours) {
    types::Pod object = Read<types::Pod>(bed.Named(1, ours).Json());
    object.spec.scheduler_name = ours ? "volcano" : "another";
    return Compile(object, Responsibility(), bed.symbols())->constraints;
  };
  const auto own = constraints_of(true);
  CHECK_FALSE(own->node_selector.empty());
  CHECK_FALSE(own->tolerations.empty());
  CHECK_FALSE(own->images.empty());
  CHECK_FALSE(own->peer_terms->spread.empty());
  const auto foreign = constraints_of(false);
  CHECK(foreign->node_selector.empty());
  CHECK(foreign->tolerations.empty());
  CHECK(foreign->images.empty());
  CHECK(foreign->peer_terms->spread.empty());
  CHECK(foreign->peer_terms->required_anti_affinity.size() == 1);
}

}  // namespace
}  // namespace bth::cache
