// Runs each fuzzer's corpus, and mutations of it, through the same function as the fuzzer.
// Each fuzzer has this one entry; a namespace keeps them apart here.
#define LLVMFuzzerTestOneInput FuzzJson
#include "tests/api_types/json_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzJsonScan
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzQuantity
#include "tests/api_types/quantity_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzSelector
#include "tests/api_types/selector_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzPod
#include "tests/api_types/pod_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzProtobuf
#include "tests/api_types/protobuf_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzBatch
#include "tests/api_types/batch_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

TEST_CASE("fuzzers: corpora and their mutations hold the claims", "[types][fuzz]") {
  struct Case {
    std::string name;
    int (*run)(const uint8_t*, size_t);
  };
  const Case c = GENERATE(values<Case>({{"json", &FuzzJson},
                                        {"quantity", &FuzzQuantity},
                                        {"selector", &FuzzSelector},
                                        {"pod", &FuzzPod},
                                        {"protobuf", &FuzzProtobuf},
                                        {"batch", &FuzzBatch}}));
  CAPTURE(c.name);
  CHECK(bth::test::RunCorpus(__FILE__, c.name, c.run) >= 4);
}
