// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzCelParser
#include "tests/cel/parser_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("expression corpus: each file and damages of it are safe", "[cel][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "parser", &FuzzCelParser) >= 8);
}

}  // namespace
