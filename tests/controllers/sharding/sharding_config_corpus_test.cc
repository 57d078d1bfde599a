// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzShardingConfig
#include "tests/controllers/sharding/sharding_config_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("sharding config corpus: each file and damages of it are safe",
          "[controllers][sharding][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "sharding_config", &FuzzShardingConfig) >= 3);
}
