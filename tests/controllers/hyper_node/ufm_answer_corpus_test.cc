// The fuzzers of this folder meet in one program here.
#define LLVMFuzzerTestOneInput RunUfmAnswer
#include "tests/controllers/hyper_node/ufm_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace bth::test {
namespace {

TEST_CASE("ufm answers: every file, cut off or damaged, is safe", "[controllers][hyper_node]") {
  CHECK(RunCorpus(__FILE__, "ufm_answer", RunUfmAnswer) >= 5);
}

}  // namespace
}  // namespace bth::test
