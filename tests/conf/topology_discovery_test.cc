#include "conf/topology_discovery.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/fuzz_corpus.h"

// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzTopologyDiscovery
#include "tests/conf/topology_discovery_fuzz.cc"
#undef LLVMFuzzerTestOneInput

namespace bth::conf {
namespace {

std::string DiscoveryFile(const std::string& name) {
  return test::ReadFile(test::SourceRoot() / "tests/conf/corpus/topology_discovery" / name);
}

TEST_CASE("topology discovery: a whole configuration", "[conf]") {
  const auto read = ParseTopologyDiscovery(DiscoveryFile("full.yaml"));
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CHECK(read->findings.empty());
  REQUIRE(read->sources.size() == 2);
  const TopologySource& ufm = read->sources[0];
  CHECK(ufm.source == "ufm");
  CHECK(ufm.interval == absl::Minutes(10));
  CHECK(ufm.endpoint == "https://ufm-server:8080");
  CHECK(ufm.insecure_skip_verify);
  CHECK(ufm.secret_name == "ufm-credentials");
  CHECK(ufm.secret_namespace == "volcano-system");
  const TopologySource& label = read->sources[1];
  CHECK(label.interval == absl::Hours(1));
  CHECK(label.types ==
        std::vector<TopologyType>{{"topologyA2", {"volcano.sh/tor"}},
                                  {"topologyA3", {"volcano.sh/hypernode", "volcano.sh/spine"}}});
}

TEST_CASE("topology discovery: nothing is configured", "[conf]") {
  const char* text = GENERATE(
      "", "{}", "networkTopologyDiscovery:", "networkTopologyDiscovery: [{source: label}]");
  const auto read = ParseTopologyDiscovery(text);
  REQUIRE(read.ok());
  CHECK(read->sources.empty());
  CHECK(read->findings.empty());
}

TEST_CASE("topology discovery: what is odd is said with place and nearest name", "[conf]") {
  const auto read = ParseTopologyDiscovery(DiscoveryFile("odd.yaml"));
  REQUIRE(read.ok());
  std::vector<std::string> findings;
  for (const Finding& finding : read->findings) findings.push_back(ToString(finding));
  const std::string types = "networkTopologyDiscovery[1].config.networkTopologyTypes.";
  CHECK(findings ==
        std::vector<std::string>{
            "line 2: networkTopologyDiscovery[0].source: no such source, nothing is discovered "
            "from it; there are label and ufm (did you mean \"label\"?)",
            "line 5: networkTopologyDiscovery[1].intervall: unknown key, ignored (did you mean "
            "\"interval\"?)",
            StrCat("line 8: ", types,
                   "a-name-that-is-much-too-long: a type's name has 1 to "
                   "20 bytes; the type is left out"),
            StrCat("line 9: ", types,
                   "twice: a label stands there twice; the type is left "
                   "out"),
            StrCat("line 10: ", types,
                   "short: needs at least one tier above the node; the "
                   "type is left out"),
            StrCat("line 11: ", types,
                   "openEnd: the last entry stands for the node itself "
                   "and makes no tier; end the list with "
                   "kubernetes.io/hostname"),
            "line 12: networkTopologyDiscovery[2]: a second source label; this one counts"});
}

TEST_CASE("topology discovery: errors name line and path", "[conf]") {
  struct Case {
    std::string text, message;
  };
  const Case c = GENERATE(values<Case>({
      {"networkTopologyDiscovery: 5", "line 1: networkTopologyDiscovery: needs a list, got 5"},
      {"networkTopologyDiscovery: [5]", "networkTopologyDiscovery[0]: needs a map"},
      {"networkTopologyDiscovery:\n- {source: ufm, enabled: 1}",
       "line 2: networkTopologyDiscovery[0].enabled: needs true or false"},
      {"networkTopologyDiscovery:\n- {source: ufm, enabled: true, interval: soon}",
       "networkTopologyDiscovery[0].interval: needs a duration such as 10m"},
      {"networkTopologyDiscovery:\n- source: label\n  enabled: true\n  config:\n"
       "    networkTopologyTypes: {t: [{nodeLabel: ''}, {nodeLabel: h}]}",
       "config.networkTopologyTypes.t[0].nodeLabel: must not be empty"},
      {"networkTopologyDiscovery: [", "not valid YAML"},
  }));
  CAPTURE(c.text);
  const auto read = ParseTopologyDiscovery(c.text);
  REQUIRE_FALSE(read.ok());
  INFO(read.status().ToString());
  CHECK(absl::StrContains(std::string(read.status().message()), c.message));
}

TEST_CASE("topology discovery: an interval that is not positive is an hour", "[conf]") {
  for (const char* interval : {"0", "-5m", "0s"}) {
    const auto read = ParseTopologyDiscovery(StrCat(
        "networkTopologyDiscovery: [{source: ufm, enabled: true, interval: ", interval, "}]"));
    REQUIRE(read.ok());
    CHECK(read->sources.at(0).interval == absl::Hours(1));
  }
}

TEST_CASE("topology discovery corpus: each file and damages of it are safe", "[conf][fuzz]") {
  CHECK(test::RunCorpus(__FILE__, "topology_discovery", &FuzzTopologyDiscovery) >= 5);
}

}  // namespace
}  // namespace bth::conf
