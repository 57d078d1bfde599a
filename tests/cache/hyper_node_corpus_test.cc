// Runs the fuzzer's corpus, and mutations of it, through the same function as the fuzzer.
#define LLVMFuzzerTestOneInput FuzzHyperNodes
#include "tests/cache/hyper_node_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/catch.h"
#include "tests/support/fuzz_corpus.h"

TEST_CASE("hyper nodes: corpora and their mutations hold what is promised",
          "[cache][topology][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "hyper_node", &FuzzHyperNodes) == 5);
}
