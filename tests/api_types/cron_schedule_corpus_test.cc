// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzCronSchedule
#include "tests/api_types/cron_schedule_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("schedule corpus: each file and damages of it are safe", "[types][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "cron_schedule", &FuzzCronSchedule) >= 7);
}
