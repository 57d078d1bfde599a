#include "scheduler/table_watch.h"

#include "base/strings.h"
#include "cache/cluster/pod_label_book.h"
#include "metrics/registry.h"
#include "re2/re2.h"
#include "tests/cache/objects.h"
#include "tests/scheduler/short_bed.h"
#include "tests/support/catch.h"

namespace bth::scheduler {
namespace {

using testing::ShortBed;

struct WatchBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  cache::Mirror mirror{clock, {}};
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics{registry};
  TableWatch tables;

  WatchBed() {
    mirror.PutQueue(cache::testing::MakeQueue("default"));
    mirror.PutPodGroup(cache::testing::MakeGroup("g", 1));
  }
  bool Shows(const std::string& sample) const {
    return absl::StrContains(registry.RenderText(), sample);
  }
};

TEST_CASE("table watch: series that a cycle made of objects that are gone go", "[scheduler]") {
  WatchBed bed;
  for (const char* name : {"g", "gone"}) {
    bed.metrics.Job({.job_namespace = "ns", .name = name, .queue = "default"})->SetShare(0.5);
  }
  bed.metrics.Queue("default")->SetShare(0.5);
  bed.metrics.Queue("gone")->SetShare(0.5);
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.metrics.jobs() == 1);
  CHECK(bed.metrics.queues() == 1);
  CHECK(bed.Shows(R"(volcano_job_share{job_id="g")"));
  CHECK(bed.Shows(R"(volcano_queue_share{queue_name="default"})"));
}

TEST_CASE("table watch: resources that find no dimension are counted once", "[scheduler]") {
  WatchBed bed;
  const std::string limit = R"(batholith_limit_reached_total{limit="resource_dimensions"})";
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.Shows(limit + " 0\n"));
  cache::CompiledPod pod =
      cache::testing::MakePod({.name = "p"}, bed.mirror.vocabulary().symbols());
  for (int i = 0; i < model::kDims; ++i) pod.requests.emplace_back(StrCat("a.io/r", i), 1);
  bed.mirror.PutPod(std::move(pod));
  bed.tables.Look(bed.mirror, bed.metrics);
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.Shows(limit + " 1\n"));
  CHECK(bed.Shows(StrCat(R"(batholith_table_entries{table="resources_without_dimension"} )",
                         model::kFixedDims, "\n")));
  CHECK(bed.Shows(StrCat(R"(batholith_table_entries{table="dimensions"} )", model::kDims)));
  bed.mirror.RemovePod("ns/p");
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.Shows(R"(batholith_table_entries{table="resources_without_dimension"} 0)"));
  CHECK(bed.Shows(StrCat(R"(batholith_table_entries{table="dimensions"} )", model::kFixedDims)));
}

TEST_CASE("table watch: HyperNodes that lack members are counted once", "[scheduler][topology]") {
  WatchBed bed;
  const std::string limit = R"(batholith_limit_reached_total{limit="hyper_node_members"})";
  const size_t most = cache::HyperNodeBook::kPatternsMax;
  const std::vector<std::string> some(cache::kHyperNodePatternsMax, "^a$");
  for (size_t i = 0; i <= most / some.size(); ++i) {
    cache::CompiledHyperNode object;
    object.name = StrCat("h", i);
    object.tier = 1;
    object.patterns = some;
    object.expressions.assign(some.size(), std::make_shared<const re2::RE2>("^a$"));
    bed.mirror.PutHyperNode(std::move(object));
    bed.tables.Look(bed.mirror, bed.metrics);
    CHECK(bed.Shows(StrCat(limit, i < most / some.size() ? " 0\n" : " 1\n")));
  }
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.Shows(limit + " 1\n"));
  CHECK(bed.Shows(R"(batholith_table_entries{table="hyper_nodes_cut_off"} 1)"));
  bed.mirror.RemoveHyperNode("h0");
  bed.tables.Look(bed.mirror, bed.metrics);
  CHECK(bed.Shows(R"(batholith_table_entries{table="hyper_nodes_cut_off"} 0)"));
}

TEST_CASE("table watch: events that are dropped are a limit reached", "[scheduler]") {
  WatchBed bed;
  const std::string limit = R"(batholith_limit_reached_total{limit="events_waiting"})";
  client::EventRecorderCounters counters;
  bed.tables.LookAtEvents(3, counters, bed.metrics);
  CHECK(bed.Shows(R"(batholith_table_entries{table="events_waiting"} 3)"));
  CHECK(bed.Shows(limit + " 0\n"));
  counters.overflow = 7;
  bed.tables.LookAtEvents(0, counters, bed.metrics);
  bed.tables.LookAtEvents(0, counters, bed.metrics);
  CHECK(bed.Shows(limit + " 1\n"));
}

// Jobs that come, are bound and go; each names things that no other one names.
class ShortLives : public ShortBed {
 public:
  void Live(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const std::string name = StrCat("j", i);
      Group(name, 1);
      Create("/api/v1/namespaces/default/pods", PodJson(name));
      Settle();
      REQUIRE(NodeOf(name) == "n");
      Delete("/api/v1/namespaces/default/pods/" + name);
      Delete(GroupPath(name));
    }
    Settle();
  }
  static std::string PodJson(const std::string& name) {
    return StrCat(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name, R"(","labels":{"app":")",
        name, R"("},"annotations":{"scheduling.k8s.io/group-name":")", name,
        R"("}},"spec":{"schedulerName":"volcano","tolerations":[{"key":"t-)", name,
        R"(","operator":"Exists"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z-)",
        name, R"(","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"k-)", name,
        R"(":"x"}}}],"containers":[{"name":"c","image":"i-)", name,
        R"(","resources":{"requests":{"cpu":"1"}}}]}})");
  }
  size_t Series() const {
    const std::string text = metric_registry.RenderText();
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_CASE("scheduler: what it keeps does not follow the number of jobs that came and went",
          "[scheduler][slow]") {
  ShortLives bed;
  bed.Node("n", 4);
  bed.Begin();
  constexpr int kFew = 80;  // More than keys are kept for.
  bed.Live(0, kFew);
  const cache::TableSizes few = bed.scheduler->mirror().table_sizes();
  const size_t series = bed.Series();
  bed.Live(kFew, 4 * kFew);
  const cache::TableSizes many = bed.scheduler->mirror().table_sizes();
  CHECK(many.symbols <= few.symbols + cache::PodLabelBook::kIdleKeysMax);
  CHECK(many.label_keys <= cache::PodLabelBook::kIdleKeysMax);
  CHECK(many.label_sets == 0);
  CHECK(many.shapes == 0);
  CHECK(many.constraints == 0);
  CHECK(many.pod_groups == 0);
  CHECK(bed.metrics.jobs() == 0);
  CHECK(bed.Series() <= series);
}

}  // namespace
}  // namespace bth::scheduler
