// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzJsonPath
#include "tests/cli/print/jsonpath_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzColumns
#include "tests/cli/print/columns_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("template corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "jsonpath", &FuzzJsonPath) >= 10);
}

TEST_CASE("column corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "columns", &FuzzColumns) >= 5);
}

}  // namespace
