// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzRequests
#include "tests/apiserver/apiserver_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzz: the corpus of requests and damages of it pass", "[apiserver][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "apiserver", &FuzzRequests, 100) > 10);
}
