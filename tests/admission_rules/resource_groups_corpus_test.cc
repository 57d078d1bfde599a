// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzResourceGroups
#include "tests/admission_rules/resource_groups_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("resource groups corpus: each file and damages of it are safe", "[admission][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "resource_groups", &FuzzResourceGroups) >= 4);
}

}  // namespace
