// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzSchedule
#include "tests/controllers/cron_job/schedule_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("schedule corpus: each file and damages of it are safe",
          "[controllers][cron_job][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "schedule", &FuzzSchedule) >= 7);
}
