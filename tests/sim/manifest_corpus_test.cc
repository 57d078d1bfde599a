#include "tests/sim/manifest_fuzz.cc"
#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("manifest: the fuzzer's corpus and damages of it are survived", "[sim][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "manifest", &LLVMFuzzerTestOneInput, 40) >= 5);
}

}  // namespace
