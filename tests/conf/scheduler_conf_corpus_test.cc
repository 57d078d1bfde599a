// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzSchedulerConf
#include "tests/conf/scheduler_conf_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("scheduler.conf corpus: each file and damages of it are safe", "[conf][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "scheduler_conf", &FuzzSchedulerConf) >= 20);
}

// Files of the specification are accepted without a word.
TEST_CASE("scheduler.conf corpus: complete files load without findings", "[conf]") {
  const auto folder = bth::test::SourceRoot() / "tests/conf/corpus/scheduler_conf";
  for (const char* name : {"default.yaml", "helm.yaml", "ci.yaml", "all_flags.yaml",
                           "arguments_policy.yaml", "arguments_placement.yaml"}) {
    CAPTURE(name);
    const auto loaded =
        bth::conf::ParsePolicy(bth::test::ReadFile(folder / name), bth::conf::BuiltinNames());
    INFO(loaded.status().ToString());
    REQUIRE(loaded.ok());
    for (const auto& finding : loaded->findings) CHECK(bth::conf::ToString(finding) == "");
  }
}

}  // namespace
