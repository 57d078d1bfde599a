// The fuzzer's function over its corpus, in the ordinary suite.
#define LLVMFuzzerTestOneInput FuzzKinds
#include "tests/admission_rules/kinds_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("kinds corpus: each review and damages of it are safe", "[admission_rules][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "kinds", &FuzzKinds) >= 9);
}
