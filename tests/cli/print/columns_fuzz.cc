// Any bytes as columns, a file of columns and a path to sort by: no crash, whole rows.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "base/check.h"
#include "cli/print/printer.h"
#include "cli/print/sorting.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bth::types::Json;
  namespace cli = bth::cli;
  static const auto* const kItems = new std::vector<Json>{
      *Json::Parse(R"({"kind":"A","n":1,"q":"500m","list":[1,null,"x"],"map":{"b":1,"a":2}})"),
      *Json::Parse(R"({"kind":"B","n":2.5,"q":"2","text":"tab\tline\nesc\u001b[m"})"),
      *Json::Parse(R"({"n":"x"})")};
  std::string input(reinterpret_cast<const char*>(data), size);
  cli::PrintOptions options;
  options.read_file = [&input](std::string_view) { return input; };
  for (const std::string& output :
       {"custom-columns=" + input, std::string("custom-columns-file=f")}) {
    const auto printer = cli::MakePrinter(output, options);
    if (!printer.ok()) {
      BTH_CHECK(!printer.status().message().empty());
      continue;
    }
    std::string out;
    const absl::Status status = (*printer)->Print({*kItems}, out);
    const auto lines = static_cast<size_t>(std::count(out.begin(), out.end(), '\n'));
    BTH_CHECK(!status.ok() || lines >= 1 + kItems->size());
    BTH_CHECK(out.find('\x1b') == std::string::npos || input.find('\x1b') != std::string::npos);
  }
  const auto order = cli::OrderBy(input, *kItems);
  if (order.ok()) {
    std::vector<size_t> places = *order;
    std::sort(places.begin(), places.end());
    BTH_CHECK((places == std::vector<size_t>{0, 1, 2}));
  }
  return 0;
}
