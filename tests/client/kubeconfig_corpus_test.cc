#include "tests/client/corpus_runner.h"
#include "tests/client/kubeconfig_fuzz.cc"
#include "tests/support/catch.h"

namespace {

TEST_CASE("kubeconfig corpus: every file, cut off or with a byte changed, is safe", "[client]") {
  CHECK(bth::client::testing::RunCorpus("kubeconfig", LLVMFuzzerTestOneInput) >= 10);
}

}  // namespace
