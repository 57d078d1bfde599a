#define LLVMFuzzerTestOneInput FuzzReview
#include "tests/webhooks/review_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("review corpus: each file and damages of it are safe", "[webhooks][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "review", &FuzzReview) >= 10);
}

}  // namespace
