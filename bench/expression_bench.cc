// What running expressions of policies takes, over an object as it comes from the API.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "cel/kubernetes/environment.h"
#include "cel/program.h"
#include "cel/values/json_values.h"

namespace {

using bth::cel::Bindings;
using bth::types::Json;

constexpr char kObject[] =
    R"({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"replicas": 3, "template": {"spec": {"containers": [
          {"name": "a", "image": "registry.example/a:1", "ports": [80, 443]},
          {"name": "b", "image": "registry.example/b:1", "ports": [8080]}]}}}})";

void RunExpression(benchmark::State& state, const char* source) {
  auto environment = bth::cel::KubernetesEnvironment()->Extend();
  environment->Add(bth::cel::Variable{"object", bth::cel::Type::Dyn()});
  const auto program = bth::cel::Compile(source, environment);
  const auto object = Json::Parse(kObject);
  if (!program.ok() || !object.ok()) {
    state.SkipWithError("does not compile");
    return;
  }
  Bindings bindings;
  bindings.Set("object", bth::cel::FromJson(*object, nullptr));
  if (program->Run(bindings).value.DebugText() != "true") state.SkipWithError("not true");
  for (auto _ : state) {
    auto outcome = program->Run(bindings, {.cost_max = 1'000'000});
    benchmark::DoNotOptimize(outcome);
  }
}

void CompileExpression(benchmark::State& state, const char* source) {
  auto environment = bth::cel::KubernetesEnvironment()->Extend();
  environment->Add(bth::cel::Variable{"object", bth::cel::Type::Dyn()});
  for (auto _ : state) {
    auto program = bth::cel::Compile(source, environment);
    benchmark::DoNotOptimize(program);
  }
}

BENCHMARK_CAPTURE(RunExpression, replicas, "object.spec.replicas <= 5");
BENCHMARK_CAPTURE(RunExpression, label,
                  "has(object.metadata.labels) && object.metadata.labels.app == 'web'");
BENCHMARK_CAPTURE(RunExpression, images,
                  "object.spec.template.spec.containers.all(c, "
                  "c.image.startsWith('registry.example/') && c.ports.all(p, p < 10000))");
BENCHMARK_CAPTURE(CompileExpression, replicas, "object.spec.replicas <= 5");

}  // namespace

BENCHMARK_MAIN();
