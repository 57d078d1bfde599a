// Any text as an expression: no crash, bounded work, a run that costs no more than was estimated,
// and the same answer twice. The first line may be a JSON document, bound to `object`.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cel/kubernetes/environment.h"
#include "cel/program.h"
#include "cel/values/json_values.h"

namespace {

std::shared_ptr<const bth::cel::Environment> FuzzEnvironment() {
  auto environment = bth::cel::KubernetesEnvironment()->Extend();
  environment->Add(bth::cel::Variable{"object", bth::cel::Type::Dyn()});
  return environment;
}

void RunFuzzedExpression(std::string_view source, const bth::types::Json& document, bool check) {
  static const std::shared_ptr<const bth::cel::Environment> environment = FuzzEnvironment();
  bth::cel::CompileOptions options;
  options.check = check;
  const auto program = bth::cel::Compile(source, environment, options);
  if (!program.ok()) {
    BTH_CHECK(!program.status().message().empty());
    return;
  }
  bth::cel::Bindings bindings;
  bindings.Set("object", bth::cel::FromJson(document, nullptr));
  constexpr uint64_t kCostMax = 20'000;
  const auto outcome = program->Run(bindings, {.cost_max = kCostMax});
  const auto again = program->Run(bindings, {.cost_max = kCostMax});
  BTH_CHECK(outcome.cost == again.cost);
  BTH_CHECK(outcome.value.DebugText() == again.value.DebugText());
  BTH_CHECK(outcome.cost_exceeded == (outcome.cost > kCostMax));
  const auto estimate = program->Estimate();
  BTH_CHECK(estimate.min <= estimate.max);
  const auto json = bth::cel::ToJson(outcome.value);
  if (json.ok()) (void)json->Dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const auto document = bth::types::Json::Parse(text.substr(0, line));
  const bool has_document = document.ok() && line != std::string_view::npos;
  const std::string_view source = has_document ? text.substr(line + 1) : text;
  const bth::types::Json bound = has_document ? *document : bth::types::Json();
  RunFuzzedExpression(source, bound, true);
  RunFuzzedExpression(source, bound, false);
  return 0;
}
