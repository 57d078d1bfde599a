// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzSchema
#include "tests/apiserver/schema_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzz: the corpus of schemas and damages of it pass", "[apiserver][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "schema", &FuzzSchema, 100) > 20);
}
