// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzPluginFlags
#include "tests/controllers/job_plugins/plugin_flags_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("plugin flags corpus: each file and damages of it are safe",
          "[controllers][job_plugins][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "plugin_flags", &FuzzPluginFlags) >= 3);
}
