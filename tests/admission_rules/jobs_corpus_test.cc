// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzJobReviews
#include "tests/admission_rules/jobs_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("job reviews corpus: each file and damages of it are safe", "[admission][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "jobs", &FuzzJobReviews, 200) >= 9);
}

}  // namespace
