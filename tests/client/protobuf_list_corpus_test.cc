#define LLVMFuzzerTestOneInput FuzzProtobufList
#include "tests/client/protobuf_list_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("protobuf list: the corpus and its damages hold the claims", "[client][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "protobuf_list", &FuzzProtobufList) >= 3);
}
