// Runs the fuzzer's corpus, and damages of it, in the ordinary suite.
#include "tests/net/http_message_fuzz.cc"

#include "tests/support/fuzz_corpus.h"

TEST_CASE("http message fuzzer: the corpus and its damages hold every claim", "[net][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "http_message", &LLVMFuzzerTestOneInput, 2000) >= 10);
}
