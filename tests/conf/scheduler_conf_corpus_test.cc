#include "tests/conf/scheduler_conf_fuzz.cc"
#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("scheduler.conf corpus: each file and damages of it pass", "[conf][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "scheduler_conf", &LLVMFuzzerTestOneInput) >= 20);
}

// Files of the specification are accepted without a word.
TEST_CASE("scheduler.conf corpus: complete files load without findings", "[conf]") {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "corpus/scheduler_conf";
  for (const char* name : {"default.yaml", "helm.yaml", "ci.yaml", "all_flags.yaml",
                           "arguments_policy.yaml", "arguments_placement.yaml"}) {
    CAPTURE(name);
    const auto loaded =
        bth::conf::ParsePolicy(bth::test::ReadWholeFile(folder / name), bth::conf::BuiltinNames());
    INFO(loaded.status().ToString());
    REQUIRE(loaded.ok());
    for (const auto& finding : loaded->findings) CHECK(bth::conf::ToString(finding) == "");
  }
}

}  // namespace
