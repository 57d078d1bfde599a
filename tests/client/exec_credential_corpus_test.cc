// The fuzzer's entry has one name in every fuzzer; here two of them are in one program.
#define LLVMFuzzerTestOneInput ExecCredentialFuzz
#include "tests/client/exec_credential_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#include "tests/client/corpus_runner.h"
#include "tests/support/catch.h"

namespace {

TEST_CASE("credential corpus: every file, cut off or with a byte changed, is safe", "[client]") {
  CHECK(bth::client::testing::RunCorpus("exec_credential", ExecCredentialFuzz) >= 5);
}

}  // namespace
