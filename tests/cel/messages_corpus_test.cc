// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzMessages
#include "tests/cel/messages_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzz: the corpus of messages and damages of it pass", "[cel][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "messages", &FuzzMessages, 300) >= 7);
}
