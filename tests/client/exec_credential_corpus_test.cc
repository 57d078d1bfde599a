// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzExecCredential
#include "tests/client/exec_credential_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("credential corpus: each file and damages of it are safe", "[client][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "exec_credential", &FuzzExecCredential) >= 5);
}
