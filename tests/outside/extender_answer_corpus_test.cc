// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzExtenderAnswer
#include "tests/outside/extender_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("extender answers: each file and damages of it are safe", "[scheduler][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "extender_answer", &FuzzExtenderAnswer, 1000) >= 3);
}
