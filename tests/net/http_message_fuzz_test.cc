// Runs the fuzzer's corpus, and mutations of it, in the ordinary suite.
#include "tests/net/http_message_fuzz.cc"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/rng.h"
#include "tests/support/catch.h"

namespace bth::net {
namespace {

std::vector<std::string> Corpus() {
  const std::filesystem::path folder =
      std::filesystem::path(BTH_NET_TEST_DIR) / "corpus" / "http_message";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return out;
}

void RunOne(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

TEST_CASE("http message fuzzer: the corpus and its mutations hold every claim", "[net][fuzz]") {
  const std::vector<std::string> corpus = Corpus();
  REQUIRE(corpus.size() >= 10);
  Rng rng(20240611);
  for (const std::string& input : corpus) {
    RunOne(input);
    for (int round = 0; round < 2000; ++round) {
      std::string mutated = input;
      for (uint64_t edits = rng.Below(4) + 1; edits > 0; --edits) {
        if (mutated.empty()) break;
        const size_t at = rng.Below(mutated.size());
        switch (rng.Below(4)) {
          case 0:
            mutated[at] = static_cast<char>(rng.Next());
            break;
          case 1:
            mutated.erase(at, rng.Below(8));
            break;
          case 2:
            mutated.insert(at, input, rng.Below(input.size()), rng.Below(16));
            break;
          default:
            mutated.resize(at);
            break;
        }
      }
      RunOne(mutated);
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace bth::net
