// Reports on CPUs, and pods that want some to themselves.
#include <string>

#include "api/types/codec.h"
#include "base/strings.h"
#include "cache/intake/compile_numa.h"
#include "cache/intake/cpu_set_text.h"
#include "tests/support/catch.h"
#include "tests/support/fuzz_corpus.h"
#include "tests/support/numa_text.h"

#define LLVMFuzzerTestOneInput FuzzCpuSet
#include "tests/cache/cpu_set_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzNumaDecision
#include "tests/cache/numa_decision_fuzz.cc"
#undef LLVMFuzzerTestOneInput

namespace bth::test {
namespace {

TEST_CASE("CPU sets: numbers and ranges", "[cache][numa]") {
  struct Case {
    std::string text, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"", ""},
      {"0", "0"},
      {"0-3,8", "0-3,8"},
      {"8,0-3", "0-3,8"},
      {"2-5,3,4-6", "2-6"},
      {"7-7", "7"},
      {"0-1023", "0-1023"},
  }));
  CAPTURE(c.text);
  const auto cpus = cache::ParseCpuSet(c.text);
  REQUIRE(cpus.ok());
  CHECK(*cpus == ReadCpus(c.expect));
}

TEST_CASE("CPU sets: what is none is refused with what is wrong", "[cache][numa]") {
  struct Case {
    std::string text, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"1024", "CPU 1024 is beyond 1023, the last one that is counted"},
      {"0-4294967295", "CPU 4294967295 is beyond 1023, the last one that is counted"},
      {"9-1", "the CPUs 9-1 run backwards"},
      {"-1", "\"\" is no CPU number"},
      {"1-2-3", "\"2-3\" is no CPU number"},
      {"a", "\"a\" is no CPU number"},
      {"1, 2", "\" 2\" is no CPU number"},
      {"1,,2", "\"\" is no CPU number"},
      {"+1", "\"+1\" is no CPU number"},
  }));
  CAPTURE(c.text);
  CHECK(cache::ParseCpuSet(c.text).status().message() == ToAbsl(c.expect));
  CHECK_FALSE(cache::ParseCpuSet(std::string(9000, '1')).ok());
}

TEST_CASE("CPU sets: no text crashes the parser", "[cache][numa][fuzz]") {
  CHECK(RunCorpus(__FILE__, "cpu_set", FuzzCpuSet) == 4);
}

TEST_CASE("CPUs of bound pods: no annotation crashes or has more than there is",
          "[cache][numa][fuzz]") {
  CHECK(RunCorpus(__FILE__, "numa_decision", FuzzNumaDecision) == 5);
}

types::Numatopology Report(const std::string& spec) {
  const auto report = types::Decode<types::Numatopology>(
      StrCat(R"({"apiVersion": "nodeinfo.volcano.sh/v1alpha1", "kind": "Numatopology",
                 "metadata": {"name": "n1", "uid": "u1"}, "spec": )",
             spec, "}"));
  REQUIRE(report.ok());
  return *report;
}

constexpr const char* kCpus = R"("cpuDetail": {
  "0": {"numa": 0, "socket": 0, "core": 0}, "1": {"numa": 0, "socket": 0, "core": 0},
  "2": {"numa": 1, "socket": 1, "core": 0}, "3": {"numa": 1, "socket": 1, "core": 0}})";

TEST_CASE("numa reports: what is said of a node", "[cache][numa]") {
  const auto compiled = cache::Compile(Report(StrCat(
      R"({"policies": {"CPUManagerPolicy": "static", "TopologyManagerPolicy": "restricted"},
          "resReserved": {"cpu": "1500m"}, "numares": {"cpu": {"allocatable": "1-9", "capacity": 4}},
          "podAllocations": [{"uid": "u", "name": "p", "namespace": "ns"}], )",
      kCpus, "}")));
  REQUIRE(compiled.ok());
  CHECK(compiled->name == "n1");
  CHECK(compiled->uid == "u1");
  const model::NumaFacts& facts = *compiled->facts;
  CHECK(facts.static_cpus);
  CHECK(facts.topology_policy == "restricted");
  CHECK(facts.reserved_cpus == 2);
  CHECK(facts.allocatable == ReadCpus("1-3"));  // The others have no place.
  CHECK(facts.layout == ReadLayout("2|2"));     // Numbers of cores are those of their socket.
  CHECK(compiled->pod_uids == std::vector<std::string>{"u"});
  CHECK(compiled->pod_keys == std::vector<std::string>{"ns/p"});
}

TEST_CASE("numa reports: nothing needs to be said", "[cache][numa]") {
  const auto compiled = cache::Compile(Report("{}"));
  REQUIRE(compiled.ok());
  CHECK(*compiled->facts == model::NumaFacts());
}

TEST_CASE("numa reports: what makes no sense is refused by its field", "[cache][numa]") {
  struct Case {
    std::string spec, expect;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"cpuDetail": {"x": {"numa": 0}}})", "spec.cpuDetail: \"x\" is no CPU number"},
      {R"({"cpuDetail": {"0-1": {"numa": 0}}})", "spec.cpuDetail: \"0-1\" is not one CPU"},
      {R"({"cpuDetail": {"1": {}, "01": {}}})", "spec.cpuDetail.1: is there twice"},
      {R"({"cpuDetail": {"5000": {}}})",
       "spec.cpuDetail: CPU 5000 is beyond 1023, the last one that is counted"},
      {R"({"cpuDetail": {"0": {"numa": -1}}})",
       "spec.cpuDetail.0: numa, socket and core are 0 or more"},
      {R"({"cpuDetail": {"0": {"numa": 0}, "1": {"numa": 1}, "2": {"numa": 2}, "3": {"numa": 3},
           "4": {"numa": 4}, "5": {"numa": 5}, "6": {"numa": 6}, "7": {"numa": 7},
           "8": {"numa": 2000000000}}})",
       "spec.cpuDetail: 9 NUMA nodes; no more than 8 are looked at"},
      {R"({"numares": {"cpu": {"allocatable": "0-4294967295"}}})",
       "spec.numares.cpu.allocatable: CPU 4294967295 is beyond 1023, the last one that is counted"},
      {R"({"resReserved": {"cpu": "-1"}})", "spec.resReserved.cpu: is below zero"},
  }));
  CAPTURE(c.spec);
  CHECK(cache::Compile(Report(c.spec)).status().message() == ToAbsl(c.expect));
}

types::Container ContainerOf(const std::string& name, const std::string& cpu) {
  types::Container container;
  container.name = name;
  if (!cpu.empty()) container.resources.requests.Set("cpu", *types::Quantity::Parse(cpu));
  return container;
}

TEST_CASE("numa pods: containers have whole CPUs to themselves", "[cache][numa]") {
  types::Pod pod;
  pod.spec.containers = {ContainerOf("a", "2"), ContainerOf("b", "1500m"), ContainerOf("c", ""),
                         ContainerOf("d", "3000m"), ContainerOf("e", "1000000")};
  pod.spec.init_containers = {ContainerOf("init", "7")};
  const auto numa = cache::CompilePodNuma(pod);
  REQUIRE(numa != nullptr);
  CHECK(numa->policy.empty());
  CHECK(numa->containers == std::vector<std::string>{"a", "b", "c", "d", "e"});
  CHECK(numa->cpus == std::vector<int32_t>{2, 0, 0, 3, 1025});
}

TEST_CASE("numa pods: who has neither CPUs nor a policy is like any other", "[cache][numa]") {
  types::Pod pod;
  pod.spec.containers = {ContainerOf("a", "500m")};
  CHECK(cache::CompilePodNuma(pod) == nullptr);
  pod.meta.annotations.Set("volcano.sh/numa-topology-policy", "none");
  CHECK(cache::CompilePodNuma(pod) == nullptr);
  pod.meta.annotations.Set("volcano.sh/numa-topology-policy", "restricted");
  REQUIRE(cache::CompilePodNuma(pod) != nullptr);
  CHECK(cache::CompilePodNuma(pod)->policy == "restricted");
}

}  // namespace
}  // namespace bth::test
