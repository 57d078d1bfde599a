// The fuzzers of this folder meet in one program here.
#define LLVMFuzzerTestOneInput RunExtenderAnswer
#include "tests/outside/extender_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/outside/corpus_runner.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

TEST_CASE("extender answers: every file, cut off or with a byte changed, is safe", "[scheduler]") {
  CHECK(RunAnswers("extender_answer", RunExtenderAnswer) >= 3);
}

}  // namespace
}  // namespace bth::test
