// Runs the fuzzer's corpus, and damages of it, through the fuzzed function.
#include "tests/support/fuzz_corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

TEST_CASE("fuzz: the corpus of requests and damages of it pass", "[apiserver][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "apiserver", &LLVMFuzzerTestOneInput, 100) > 10);
}
