// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzCelProgram
#include "tests/cel/program_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("program corpus: each expression and damages of it are safe", "[cel][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "program", &FuzzCelProgram) >= 20);
}

}  // namespace
