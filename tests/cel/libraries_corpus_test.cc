// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzLibraries
#include "tests/cel/libraries_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzz: the corpus of the libraries and damages of it pass", "[cel][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "libraries", &FuzzLibraries, 100) > 20);
}
