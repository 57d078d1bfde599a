// The fuzzers of this folder meet in one program.
#define LLVMFuzzerTestOneInput FuzzShellWords
#include "tests/cli/shell_words_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzResourceList
#include "tests/cli/resource_list_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzFlagValues
#include "tests/cli/flag_values_fuzz.cc"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput FuzzCommandLine
#include "tests/cli/command_line_fuzz.cc"
#undef LLVMFuzzerTestOneInput

#include "tests/support/fuzz_corpus.h"

namespace {

TEST_CASE("shell word corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "shell_words", &FuzzShellWords) >= 5);
}

TEST_CASE("resource list corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "resource_list", &FuzzResourceList) >= 5);
}

TEST_CASE("flag value corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "flag_values", &FuzzFlagValues) >= 5);
}

TEST_CASE("command line corpus: each file and damages of it are safe", "[cli][fuzz]") {
  CHECK(bth::test::RunCorpus(__FILE__, "command_line", &FuzzCommandLine) >= 5);
}

}  // namespace
