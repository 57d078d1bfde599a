// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzElasticsearchAnswer
#include "tests/outside/elasticsearch_answer_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("elasticsearch answers: each file and damages of it are safe", "[scheduler][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "elasticsearch_answer", &FuzzElasticsearchAnswer, 1000) >=
        3);
}
