// Runs the fuzzer's corpus, and mutations of it, through the same function as the fuzzer.
#define LLVMFuzzerTestOneInput FuzzClaims
#include "tests/device_claims/claims_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/catch.h"
#include "tests/support/fuzz_corpus.h"

TEST_CASE("claims: corpora and their mutations hold what is promised", "[claims][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "claims", &FuzzClaims) >= 4);
}
