// conform runs cases of the expression language: JSON lines on stdin
//   {"expr": "x + 1", "bindings": {"x": 1}, "types": {"x": {"primitive": "INT64"}},
//    "container": "a.b", "disableCheck": false}
// and for each one line on stdout with its "value", or its "error" and the "stage" it came from,
// its "type", "cost", "estimate" and the "overloads" it may call. Values are tagged as in the
// language's public cases (tagged_json.h); bindings may be plain JSON as well. Bindings without a
// type are dyn.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "cel/kubernetes/environment.h"
#include "cel/program.h"
#include "tests/cel/tagged_json.h"

namespace {

using bth::types::Json;
namespace cel = bth::cel;

Json Failed(std::string_view stage, std::string_view error) {
  return Json::MakeObject({{"stage", Json(stage)}, {"error", Json(error)}});
}

Json RunCase(const Json& test) {
  auto environment = cel::KubernetesEnvironment()->Extend();
  environment->set_container(std::string(test["container"].AsString()));
  cel::Bindings bindings;
  for (const auto& [name, value] : test["bindings"].members()) {
    auto bound = bth::test::ValueFromTagged(value);
    if (!bound) return Failed("environment", "a value of a kind that there is not");
    bindings.Set(name, *std::move(bound));
    environment->Add(cel::Variable{name, cel::Type::Dyn()});
  }
  for (const auto& [name, type] : test["types"].members()) {
    cel::TypePtr declared = bth::test::TypeFromTagged(type);
    if (declared == nullptr) return Failed("environment", "a type that there is not");
    environment->Add(cel::Variable{name, std::move(declared)});
  }
  cel::CompileOptions options;
  options.check = !test["disableCheck"].AsBool() && test["check"].AsBool(true);
  const auto program = cel::Compile(test["expr"].AsString(), environment, options);
  if (!program.ok()) return Failed("check", std::string(program.status().message()));
  const cel::Outcome outcome = program->Run(bindings, {.cost_max = 100'000'000});
  Json result = outcome.value.is_error()
                    ? Failed("run", outcome.value.AsString())
                    : Json::MakeObject({{"value", bth::test::TaggedFromValue(outcome.value)}});
  result.Set("type", Json(program->result_type()->ToString()));
  const cel::CostRange estimate = program->Estimate();
  result.Set("estimate", Json::MakeArray({Json(std::to_string(estimate.min)),
                                          Json(std::to_string(estimate.max))}));
  result.Set("cost", Json(static_cast<int64_t>(outcome.cost)));
  Json overloads = Json::MakeArray();
  for (const cel::Reference& reference : program->checked().references) {
    for (const cel::Overload* overload : reference.overloads) {
      overloads.MutableItems().push_back(Json(overload->id));
    }
  }
  result.Set("overloads", std::move(overloads));
  return result;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto test = Json::Parse(line);
    const Json result =
        test.ok() ? RunCase(*test) : Failed("input", std::string(test.status().message()));
    std::cout << result.Dump() << "\n";
  }
  return 0;
}
