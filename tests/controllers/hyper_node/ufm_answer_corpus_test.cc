// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzUfmAnswer
#include "tests/controllers/hyper_node/ufm_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("ufm answer corpus: each file and damages of it are safe",
          "[controllers][hyper_node][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "ufm_answer", &FuzzUfmAnswer) >= 5);
}
