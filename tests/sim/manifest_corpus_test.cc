// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzManifest
#include "tests/sim/manifest_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("manifest corpus: each file and damages of it are safe", "[sim][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "manifest", &FuzzManifest, 40) >= 5);
}
