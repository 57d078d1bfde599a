// Any bytes as a template, and as the object it is run on: no crash, bounded work and output.
//
// The template ends at the first line break; what follows is the object, if it is JSON.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/json.h"
#include "base/check.h"
#include "cli/print/jsonpath/evaluate.h"
#include "cli/print/jsonpath/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bth::types::Json;
  namespace jsonpath = bth::cli::jsonpath;
  static const Json* const kSample = new Json(*Json::Parse(
      R"({"items":[{"a":1,"b":[1,2.5,"x",null,true],"c":{"d":"e"}},{"a":2,"b":[]},{"a":"3"}],"a":{}})"));
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line_end = std::min(input.find('\n'), input.size());
  const auto program = jsonpath::Template::Parse(input.substr(0, line_end));
  if (!program.ok()) {
    BTH_CHECK(!program.status().message().empty());
    return 0;
  }
  const auto parsed = Json::Parse(input.substr(std::min(line_end + 1, input.size())));
  const Json& object = parsed.ok() ? *parsed : *kSample;
  jsonpath::EvaluateOptions options;
  options.allow_missing_keys = size % 2 == 0;
  options.results_max = 10'000;
  options.steps_max = 100'000;
  const auto results = jsonpath::Evaluate(*program, object, options);
  if (!results.ok()) {
    BTH_CHECK(!results.status().message().empty());
    return 0;
  }
  constexpr size_t kBytesMax = 100'000;
  std::string text, json;
  const bool fits = jsonpath::PrintResults(*results, kBytesMax, text).ok();
  BTH_CHECK(!fits || text.size() <= kBytesMax);
  if (jsonpath::PrintResultsAsJson(*results, kBytesMax, json).ok() && results->size() == 1) {
    // Texts of a template may hold bytes that are no characters; all else is JSON.
    BTH_CHECK(Json::Parse(json).ok());
  }
  return 0;
}
