// Expressions run as tests write them down.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/strings.h"
#include "cel/program.h"

namespace bth::test {

struct Evaluation {
  std::string text;  // DebugText of the value, or "error: ...".
  uint64_t cost = 0;
  cel::CostRange estimate;
};

inline Evaluation EvaluateIn(const std::shared_ptr<const cel::Environment>& environment,
                             std::string_view source, const cel::Activation& activation,
                             const cel::CompileOptions& options = {}) {
  const auto program = cel::Compile(source, environment, options);
  if (!program.ok()) return {.text = StrCat("compile: ", std::string(program.status().message()))};
  const cel::Outcome outcome = program->Run(activation, {.cost_max = 10'000'000});
  return {outcome.value.DebugText(), outcome.cost, program->Estimate()};
}

// With the functions of the language definition alone.
inline std::string Evaluate(std::string_view source) {
  static const std::shared_ptr<const cel::Environment> environment = cel::Environment::Standard();
  return EvaluateIn(environment, source, cel::Bindings()).text;
}

struct ExpressionCase {
  std::string_view source;
  std::string_view expected;
};

}  // namespace bth::test
