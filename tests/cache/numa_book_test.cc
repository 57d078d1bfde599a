// Which CPUs snapshots show as free: reports, less what is bound and not reported yet.
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile.h"
#include "cache/intake/compile_numa.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"
#include "tests/support/numa_text.h"

namespace bth::cache {
namespace {

using test::ReadCpus;
using testing::MakeNode;
using testing::MakePod;
using testing::PodText;

// Node "n" with four CPUs on two NUMA nodes.
struct NumaBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  NumaBed() { mirror.PutNode(MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols())); }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void PutPod(const std::string& name, const std::string& node = "",
              const std::string& phase = "Pending") {
    PodText text{.name = name, .group = ""};
    if (!node.empty()) text.spec = StrCat(R"("nodeName":")", node, R"(",)");
    text.status = StrCat(R"("phase":")", phase, R"(",)");
    mirror.PutPod(MakePod(text, symbols()));
  }
  void Report(const std::string& allocatable, const std::vector<std::string>& pods = {},
              const std::string& node = "n") {
    auto facts = std::make_shared<model::NumaFacts>();
    facts->layout = test::ReadLayout("2|2");
    facts->allocatable = ReadCpus(allocatable);
    facts->reserved_cpus = 1;
    CompiledNuma report{.name = node, .uid = "report", .facts = std::move(facts)};
    for (const std::string& pod : pods) {
      // By UID, or by name.
      (pod.starts_with("u-") ? report.pod_uids : report.pod_keys).push_back(pod);
    }
    mirror.numa().Put(std::move(report));
    CHECK(mirror.Check().ToString() == "OK");
  }
  void Assume(const std::string& pod, const std::string& cpus) {
    mirror.numa().Assume("u-" + pod, "ns/" + pod, "n", ReadCpus(cpus));
    CHECK(mirror.Check().ToString() == "OK");
  }
  // Bound by an earlier life of the scheduler, which wrote this; it asks for `cpu` of its own.
  void PutBound(const std::string& name, const std::string& decision, const std::string& cpu,
                const std::string& phase = "Running") {
    PodText text{.name = name, .group = "", .cpu = cpu};
    text.spec = R"("nodeName":"n",)";
    text.status = StrCat(R"("phase":")", phase, R"(",)");
    text.annotations =
        StrCat(R"("volcano.sh/topology-decision":)", types::Json(decision).Dump(), ",");
    Responsibility with_reports;
    with_reports.numa_reports = true;
    absl::StatusOr<CompiledPod> pod =
        Compile(testing::Read<types::Pod>(text.Json()), with_reports, symbols());
    REQUIRE(pod.ok());
    mirror.PutPod(*std::move(pod));
    CHECK(mirror.Check().ToString() == "OK");
  }
  // Null: nothing is known of the node.
  std::shared_ptr<const model::NodeNuma> Shown(const std::string& node = "n") {
    CHECK(mirror.Check().ToString() == "OK");
    const auto snapshot = mirror.Publish();
    for (const model::NodeId id : *snapshot->nodes_by_name) {
      if (snapshot->node_facts(id).name == node) return snapshot->nodes[id].numa;
    }
    return nullptr;
  }
  model::CpuSet Free() { return Shown()->free; }
};

TEST_CASE("numa book: a report shows on its node, whichever comes first", "[cache][numa]") {
  NumaBed bed;
  CHECK(bed.Shown() == nullptr);
  bed.Report("0-2");
  REQUIRE(bed.Shown() != nullptr);
  CHECK(bed.Free() == ReadCpus("0-2"));
  CHECK(bed.Shown()->reserved == ReadCpus("0"));
  CHECK(bed.mirror.numa().UidOf("n") == "report");

  bed.Report("1-3", {}, "m");
  CHECK(bed.Shown("m") == nullptr);
  bed.mirror.PutNode(MakeNode("m", R"({"cpu":"4"})", bed.symbols()));
  REQUIRE(bed.Shown("m") != nullptr);
  CHECK(bed.Shown("m")->free == ReadCpus("1-3"));
  CHECK(bed.mirror.Publish()->numa_reports == 2);

  bed.mirror.numa().Remove("m");
  CHECK(bed.Shown("m") == nullptr);
  CHECK(bed.mirror.numa().UidOf("m").empty());
  bed.mirror.RemoveNode("n");
  CHECK(bed.mirror.numa().UidOf("n") == "report");
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"4"})", bed.symbols()));
  CHECK(bed.Free() == ReadCpus("0-2"));
}

TEST_CASE("numa book: a report that says the same rewrites nothing", "[cache][numa]") {
  NumaBed bed;
  bed.Report("0-3");
  bed.mirror.Publish();
  const int64_t rows = bed.mirror.rows_rewritten();
  bed.Report("0-3");
  CHECK(bed.mirror.rows_rewritten() == rows);
  CHECK_FALSE(bed.mirror.changed());
}

TEST_CASE("numa book: pods count until a report lists them, one by one", "[cache][numa]") {
  NumaBed bed;
  bed.Report("0-3");
  for (const char* pod : {"p", "q", "r"}) bed.PutPod(pod);
  bed.Assume("p", "0");
  bed.Assume("q", "1");
  bed.Assume("r", "2");
  CHECK(bed.Free() == ReadCpus("3"));
  // The report knows p by UID and q by name, and has taken their CPUs, whichever these are.
  bed.Report("2-3", {"u-p"});
  CHECK(bed.Free() == ReadCpus("3"));
  bed.Report("0,2-3", {"ns/q"});
  CHECK(bed.Free() == ReadCpus("0,3"));
  CHECK(bed.mirror.numa().waiting() == 1);
  bed.Report("3", {"u-p", "ns/q", "u-r"});
  CHECK(bed.Free() == ReadCpus("3"));
  CHECK(bed.mirror.numa().waiting() == 0);
  bed.Report("0-3");  // All have left.
  CHECK(bed.Free() == ReadCpus("0-3"));
}

TEST_CASE("numa book: a pod that ends, goes, or stands elsewhere gives its CPUs back",
          "[cache][numa]") {
  const std::string how = GENERATE(values<std::string>(
      {"gone", "ended", "elsewhere", "made anew", "failed to bind", "still there"}));
  CAPTURE(how);
  NumaBed bed;
  bed.Report("0-3");
  bed.PutPod("p");
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  bed.Assume("p", "0-1");
  if (how == "gone") bed.mirror.RemovePod("ns/p");
  if (how == "ended") bed.PutPod("p", "n", "Succeeded");
  if (how == "elsewhere") bed.PutPod("p", "m");
  if (how == "made anew") {
    PodText text{.name = "p", .group = ""};
    CompiledPod pod = MakePod(text, bed.symbols());
    pod.names.uid = "another";
    bed.mirror.PutPod(std::move(pod));
  }
  if (how == "failed to bind") bed.mirror.ForgetAssumption("ns/p", "u-p");
  if (how == "still there") bed.PutPod("p", "n", "Running");
  CHECK(bed.Free() == ReadCpus(how == "still there" ? "2-3" : "0-3"));
}

TEST_CASE("numa book: CPUs that no report shows are found again by the pod's annotation",
          "[cache][numa]") {
  const bool report_first = GENERATE(true, false);
  CAPTURE(report_first);
  NumaBed bed;
  if (report_first) bed.Report("0-3");
  bed.PutBound("p", R"({"numa":{"1":{"cpu":"1"}}})", "1");
  bed.PutBound("q", R"({"numa":{"0":{"cpu":"1"},"1":{"cpu":"1"}}})", "2");
  if (!report_first) bed.Report("0-3");
  // CPU 0 is reserved, so q has the other one of its NUMA node.
  CHECK(bed.Free() == ReadCpus("0"));
  CHECK(bed.mirror.numa().waiting() == 2);
  bed.Report("0-1,3", {"u-p"});
  CHECK(bed.Free() == ReadCpus("0"));
  CHECK(bed.mirror.numa().waiting() == 1);
  bed.PutBound("q", R"({"numa":{"0":{"cpu":"1"},"1":{"cpu":"1"}}})", "2", "Succeeded");
  CHECK(bed.Free() == ReadCpus("0-1,3"));
}

TEST_CASE("numa book: a report that lists the pod has its CPUs", "[cache][numa]") {
  NumaBed bed;
  bed.Report("0-2", {"ns/p"});
  bed.PutBound("p", R"({"numa":{"1":{"cpu":"1"}}})", "1");
  CHECK(bed.Free() == ReadCpus("0-2"));
  CHECK(bed.mirror.numa().waiting() == 0);
}

TEST_CASE("numa book: a decision that cannot be so means nothing", "[cache][numa]") {
  struct Case {
    std::string decision;
    bool counts;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"numa":{"1":{"cpu":"2"}}})", true},
      {R"({"numa":{"7":{"cpu":"2"}}})", false},  // No such node.
      {R"({"numa":{"1":{"cpu":"3"}}})", false},  // More than it asks for.
      {R"({"numa":{"1":{"cpu":"-2"}}})", false},
      {R"({"numa":{"x":{"cpu":"2"}}})", false},
      {R"({"numa":[2]})", false},
      {R"({"numa":{"1":{"cpu":"99999999999999999999"}}})", false},
      {"{", false},
      {"", false},
  }));
  CAPTURE(c.decision);
  NumaBed bed;
  bed.Report("0-3");
  bed.PutBound("p", c.decision, "2");
  CHECK(bed.Free() == ReadCpus(c.counts ? "0-1" : "0-3"));
}

TEST_CASE("numa book: what a pod's object is to say goes by NUMA nodes", "[cache][numa]") {
  NumaBed bed;
  CHECK(bed.mirror.numa().DecisionFor("n", ReadCpus("0-2")).empty());
  bed.Report("0-3");
  CHECK(bed.mirror.numa().DecisionFor("n", ReadCpus("0-2")) ==
        R"({"numa":{"0":{"cpu":"2"},"1":{"cpu":"1"}}})");
  CHECK(bed.mirror.numa().DecisionFor("n", ReadCpus("3")) == R"({"numa":{"1":{"cpu":"1"}}})");
}

TEST_CASE("numa book: a victim that cannot be evicted keeps its CPUs", "[cache][numa]") {
  NumaBed bed;
  bed.Report("0-3");
  bed.PutPod("p", "n", "Running");
  bed.Assume("p", "0-1");
  REQUIRE(bed.mirror.AssumeEviction("ns/p", "u-p").ok());
  bed.mirror.ForgetAssumption("ns/p", "u-p");
  CHECK(bed.Free() == ReadCpus("2-3"));
}

TEST_CASE("numa book: rows are what adding up gives", "[cache][numa][property]") {
  Rng rng(20260203);
  NumaBed bed;
  for (int step = 0; step < 600; ++step) {
    const std::string pod = StrCat("p", rng.Below(6));
    const std::string node = rng.Chance(0.5) ? "n" : "m";
    switch (rng.Below(7)) {
      case 6:
        bed.PutBound(pod, R"({"numa":{"1":{"cpu":"1"}}})", "1");
        break;
      case 0:
        bed.Report(rng.Chance(0.5) ? "0-3" : "1,3", {rng.Chance(0.5) ? "u-" + pod : "ns/" + pod},
                   node);
        break;
      case 1:
        bed.mirror.numa().Remove(node);
        break;
      case 2:
        bed.PutPod(pod, rng.Chance(0.5) ? node : "", rng.Chance(0.8) ? "Pending" : "Failed");
        break;
      case 3:
        bed.mirror.RemovePod("ns/" + pod);
        break;
      case 4:
        bed.mirror.numa().Assume("u-" + pod, "ns/" + pod, node,
                                 ReadCpus(std::to_string(rng.Below(4))));
        break;
      default:
        if (rng.Chance(0.5)) {
          bed.mirror.PutNode(MakeNode(node, R"({"cpu":"4","pods":"10"})", bed.symbols()));
        } else {
          bed.mirror.RemoveNode(node);
        }
    }
    if (rng.Chance(0.3)) bed.mirror.Publish();
    REQUIRE(bed.mirror.Check().ToString() == "OK");
  }
}

}  // namespace
}  // namespace bth::cache
