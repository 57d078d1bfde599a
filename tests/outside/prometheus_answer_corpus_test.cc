// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzPrometheusAnswer
#include "tests/outside/prometheus_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("prometheus answers: each file and damages of it are safe", "[scheduler][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "prometheus_answer", &FuzzPrometheusAnswer, 1000) >= 3);
}
