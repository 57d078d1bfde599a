// The fuzzers of this folder meet in one program here.
#define LLVMFuzzerTestOneInput RunPrometheusAnswer
#include "tests/outside/prometheus_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/outside/corpus_runner.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

TEST_CASE("prometheus answers: every file, cut off or with a byte changed, is safe",
          "[scheduler]") {
  CHECK(RunAnswers("prometheus_answer", RunPrometheusAnswer) >= 3);
}

}  // namespace
}  // namespace bth::test
