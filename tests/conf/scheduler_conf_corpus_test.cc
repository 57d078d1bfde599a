#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/conf/scheduler_conf_fuzz.cc"
#include "tests/support/catch.h"

namespace {

std::filesystem::path Corpus() {
  return std::filesystem::path(__FILE__).parent_path() / "corpus" / "scheduler_conf";
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void Run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

TEST_CASE("scheduler.conf corpus: every file passes the fuzzer's checks", "[conf]") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Corpus())) {
    CAPTURE(entry.path().string());
    Run(ReadFile(entry.path()));
    ++files;
  }
  CHECK(files >= 20);
}

TEST_CASE("scheduler.conf corpus: files cut off or with a byte changed pass too", "[conf]") {
  for (const char* name : {"anchors.yaml", "findings.yaml", "all_flags.yaml"}) {
    const std::string text = ReadFile(Corpus() / name);
    REQUIRE(!text.empty());
    for (size_t i = 0; i < text.size(); ++i) {
      Run(text.substr(0, i));
      for (char c : {'\n', '-', '"', '[', '}', '&', ' ', '\t', '#', '\0'}) {
        std::string changed = text;
        changed[i] = c;
        Run(changed);
      }
    }
  }
  SUCCEED();
}

// Files of the specification are accepted without a word.
TEST_CASE("scheduler.conf corpus: complete files load without findings", "[conf]") {
  for (const char* name : {"default.yaml", "helm.yaml", "ci.yaml", "all_flags.yaml",
                           "arguments_policy.yaml", "arguments_placement.yaml"}) {
    CAPTURE(name);
    const auto loaded =
        bth::conf::ParsePolicy(ReadFile(Corpus() / name), bth::conf::BuiltinNames());
    INFO(loaded.status().ToString());
    REQUIRE(loaded.ok());
    for (const auto& finding : loaded->findings) CHECK(bth::conf::ToString(finding) == "");
  }
}

}  // namespace
