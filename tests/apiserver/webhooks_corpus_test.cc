#define LLVMFuzzerTestOneInput FuzzWebhooks
#include "tests/apiserver/webhooks_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/catch.h"
#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzz: the corpus of webhooks and policies and damages of it pass", "[apiserver][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "webhooks", &FuzzWebhooks, 100) > 10);
}
