// CPUs by hand: 0-3 on NUMA node 0 and socket 0, cores {0,1} {2,3}; 4-7 likewise on 1.
#include <string>
#include <vector>

#include "algo/numa_cpus.h"
#include "algo/numa_fit.h"
#include "algo/numa_hints.h"
#include "tests/support/catch.h"
#include "tests/support/numa_text.h"

namespace bth::test {
namespace {

using algo::DecideNuma;
using algo::NumaDecision;
using algo::NumaHint;
using algo::NumaHints;
using algo::NumaPolicy;
using model::NumaMask;

const model::CpuLayout& TwoSockets() {
  static const auto* const kLayout = new model::CpuLayout(ReadLayout("4|4"));
  return *kLayout;
}

// "01P,0-": NUMA nodes 0 and 1, preferred; node 0, not preferred. "any" names none.
std::vector<NumaHint> Hints(const std::string& text) {
  std::vector<NumaHint> hints;
  if (text.empty()) return hints;
  for (const std::string& word : SplitText(text, ',')) {
    NumaHint hint{.nodes = {}, .preferred = word.back() == 'P'};
    if (!word.starts_with("any")) {
      unsigned mask = 0;
      for (char c : word.substr(0, word.size() - 1)) mask |= 1u << (c - '0');
      hint.nodes = static_cast<NumaMask>(mask);
    }
    hints.push_back(hint);
  }
  return hints;
}

TEST_CASE("numa: hints name the sets of NUMA nodes with enough CPUs", "[algo][numa]") {
  struct Case {
    int request;
    std::string available, expect;
  };
  const Case c = GENERATE(values<Case>({
      {4, "0-7", "0P,1P,01-"},
      {4, "1-7", "1P,01-"},
      {5, "0-7", "01P"},
      {8, "0-7", "01P"},
      {9, "0-7", ""},
      {4, "2-5", "01-"},
      {1, "", ""},
  }));
  CAPTURE(c.request, c.available);
  CHECK(algo::CpuHints(TwoSockets(), ReadCpus(c.available), c.request) == Hints(c.expect));
}

TEST_CASE("numa: smaller sets come first, then those with lower ids", "[algo][numa]") {
  const model::CpuLayout layout = ReadLayout("2|2|2");
  CHECK(algo::CpuHints(layout, layout.all, 1) == Hints("0P,1P,2P,01-,02-,12-,012-"));
}

TEST_CASE("numa: CPUs are taken on the chosen NUMA nodes first", "[algo][numa]") {
  struct Case {
    int count;
    NumaMask nodes;
    std::string available, expect;
  };
  const Case c = GENERATE(values<Case>({
      {4, 1, "0-7", "0-3"},
      {4, 2, "1-7", "4-7"},
      {5, 3, "0-7", "0-4"},
      {5, 3, "1-7", "1,4-7"},
      {8, 3, "1-7", ""},
      {3, 1, "2-7", "2-4"},  // One beside the chosen ones.
      {0, 3, "0-7", ""},
  }));
  CAPTURE(c.count, c.available);
  CHECK(algo::AllocateCpus(TwoSockets(), ReadCpus(c.available), c.nodes, c.count) ==
        ReadCpus(c.expect));
}

TEST_CASE("numa: whole sockets, then whole cores, then what is left over", "[algo][numa]") {
  struct Case {
    std::string layout, free;
    int count;
    std::string expect;
  };
  const Case c = GENERATE(values<Case>({
      {"4|4", "0-7", 6, "0-5"},      // A socket, and a core of the other.
      {"4|4", "2-7", 4, "4-7"},      // Only the second socket is whole.
      {"4|4", "0,2-6", 2, "2-3"},    // Where fewer cores have some left: both have; lower one.
      {"4|4", "2-3,4-7", 2, "2-3"},  // One core is left there, two on the other socket.
      {"4|4", "0-7", 1, "0"},        // Any core.
      {"4|4", "0-4,6-7", 1, "4"},    // Where less of the socket is left, and least of the core.
      {"4|4", "1,3-7", 7, "none"},   // There are six.
      {"8", "0-7", 3, "0-2"},        // A core, and half of the next.
      {"8", "1-2,4-7", 3, "1,4-5"},  // The core that is broken anyway.
  }));
  CAPTURE(c.layout, c.free, c.count);
  const auto taken = algo::TakeByTopology(ReadLayout(c.layout), ReadCpus(c.free), c.count);
  REQUIRE(taken.has_value() == (c.expect != "none"));
  if (taken) CHECK(*taken == ReadCpus(c.expect));
}

TEST_CASE("numa: lists of hints become one by policy", "[algo][numa]") {
  struct Case {
    std::string cpu, gpu;
    bool restricted, single;        // Whether they admit.
    std::string best, single_best;  // Of best-effort and restricted; of single-numa-node.
  };
  const Case c = GENERATE(values<Case>({
      {"01-,0P", "01-,0P", true, true, "0P", "0P"},
      {"01-,1P", "01-,1P", true, true, "1P", "1P"},
      {"01-,0P,1P", "01-,0P,1P", true, true, "0P", "0P"},
      {"01-,0P", "01-,1P", false, false, "0-", "01-"},
      {"01-,0P", "01P", true, false, "0P", "01-"},
      {"01P", "01P", true, false, "01P", "01-"},
      {"anyP", "0P", true, true, "0P", "0P"},
      {"anyP", "anyP", true, true, "01P", "01P"},
      {"0P", "", false, false, "0-", "01-"},
  }));
  CAPTURE(c.cpu, c.gpu);
  const std::vector<NumaHints> lists = {Hints(c.cpu), Hints(c.gpu)};
  const NumaHint best = Hints(c.best)[0];
  CHECK(DecideNuma(NumaPolicy::kBestEffort, lists, 3) == NumaDecision{true, best});
  CHECK(DecideNuma(NumaPolicy::kRestricted, lists, 3) == NumaDecision{c.restricted, best});
  CHECK(DecideNuma(NumaPolicy::kSingleNumaNode, lists, 3) ==
        NumaDecision{c.single, Hints(c.single_best)[0]});
  CHECK(DecideNuma(NumaPolicy::kNone, lists, 3) == NumaDecision{true, NumaHint()});
}

TEST_CASE("numa: who does not mind is content with any NUMA node", "[algo][numa]") {
  const std::vector<NumaHints> lists = {std::nullopt, Hints("1P")};
  CHECK(DecideNuma(NumaPolicy::kSingleNumaNode, lists, 3) == NumaDecision{true, Hints("1P")[0]});
  CHECK(algo::NumaPolicyNamed("restricted") == NumaPolicy::kRestricted);
  CHECK(algo::NumaPolicyNamed("Restricted") == NumaPolicy::kNone);
}

TEST_CASE("numa: containers take their CPUs one after the other", "[algo][numa]") {
  struct Case {
    std::string node;
    NumaPolicy policy;
    std::vector<int32_t> cpus;
    size_t refused;
    std::string expect;
  };
  constexpr size_t kNone = algo::NumaFit::kNone;
  const Case c = GENERATE_COPY(values<Case>({
      {"free=0-7", NumaPolicy::kSingleNumaNode, {2, 0, 4}, kNone, "0-1,4-7"},
      {"free=0-7", NumaPolicy::kSingleNumaNode, {2, 3, 3}, 2, "0-1,4-6"},
      {"free=0-7", NumaPolicy::kBestEffort, {2, 3, 3}, kNone, "0-7"},
      {"free=0-7 reserved=1", NumaPolicy::kSingleNumaNode, {4}, kNone, "4-7"},
      {"free=0-3 reserved=1", NumaPolicy::kSingleNumaNode, {4}, 0, ""},
      {"free=2-5", NumaPolicy::kRestricted, {4}, 0, ""},
      {"free=2-5", NumaPolicy::kBestEffort, {4}, kNone, "2-5"},
      {"free=2-5", NumaPolicy::kBestEffort, {6}, kNone, ""},
  }));
  CAPTURE(c.node, c.cpus);
  const auto node = ReadNuma(ParseStatements("node n numa=x layout=4|4 " + c.node)[0]);
  const algo::NumaFit fit = algo::FitNuma(*node, node->free, c.policy, c.cpus);
  CHECK(fit.refused == c.refused);
  CHECK(fit.cpus == ReadCpus(c.expect));
}

TEST_CASE("numa: CPUs are counted by NUMA node", "[algo][numa]") {
  CHECK(algo::CountNumaNodes(TwoSockets(), {}) == 0);
  CHECK(algo::CountNumaNodes(TwoSockets(), ReadCpus("1,3")) == 1);
  CHECK(algo::CountNumaNodes(TwoSockets(), ReadCpus("3-4")) == 2);
}

}  // namespace
}  // namespace bth::test
