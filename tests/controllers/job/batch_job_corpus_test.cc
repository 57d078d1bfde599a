// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzBatchJob
#include "tests/controllers/job/batch_job_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("batch job corpus: each file and damages of it are safe", "[controllers][job][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "batch_job", &FuzzBatchJob) >= 5);
}
