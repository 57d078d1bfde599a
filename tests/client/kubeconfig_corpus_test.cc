// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzKubeconfig
#include "tests/client/kubeconfig_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("kubeconfig corpus: each file and damages of it are safe", "[client][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "kubeconfig", &FuzzKubeconfig) >= 10);
}
