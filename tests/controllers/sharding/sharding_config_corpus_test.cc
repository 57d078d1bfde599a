// The fuzzers of this folder meet in one program here.
#define LLVMFuzzerTestOneInput RunShardingConfig
#include "tests/controllers/sharding/sharding_config_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace bth::test {
namespace {

TEST_CASE("sharding config: every file, cut off or damaged, is safe", "[controllers][sharding]") {
  CHECK(RunCorpus(__FILE__, "sharding_config", RunShardingConfig) >= 3);
}

}  // namespace
}  // namespace bth::test
