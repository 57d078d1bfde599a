// The fuzzers of this folder meet in one program here.
#define LLVMFuzzerTestOneInput RunElasticsearchAnswer
#include "tests/outside/elasticsearch_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/outside/corpus_runner.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

TEST_CASE("elasticsearch answers: every file, cut off or with a byte changed, is safe",
          "[scheduler]") {
  CHECK(RunAnswers("elasticsearch_answer", RunElasticsearchAnswer) >= 3);
}

}  // namespace
}  // namespace bth::test
