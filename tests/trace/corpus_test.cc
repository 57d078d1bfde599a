// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzSwf
#include "tests/trace/swf_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzCsv
#include "tests/trace/csv_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("trace corpora: each file and damages of it are safe", "[trace][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "swf", &FuzzSwf) >= 4);
  CHECK(bth::test::RunCorpus(__FILE__, "csv", &FuzzCsv) >= 4);
}
