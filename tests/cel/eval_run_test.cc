// Programs as their users have them: variables, limits, results.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/kubernetes/environment.h"
#include "cel/values/json_values.h"
#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::cel::Bindings;
using bth::cel::Compile;
using bth::cel::CompileOptions;
using bth::cel::Environment;
using bth::cel::Outcome;
using bth::cel::Program;
using bth::cel::Type;
using bth::cel::TypePtr;
using bth::cel::Value;
using bth::cel::Variable;
using bth::types::Json;

std::shared_ptr<Environment> WithVariables(std::vector<Variable> variables) {
  auto environment = bth::cel::KubernetesEnvironment()->Extend();
  for (Variable& variable : variables) environment->Add(std::move(variable));
  return environment;
}

Program Compiled(std::string_view source, std::shared_ptr<const Environment> environment,
                 const CompileOptions& options = {}) {
  auto program = Compile(source, std::move(environment), options);
  INFO(program.status().ToString());
  REQUIRE(program.ok());
  return *std::move(program);
}

// Counts how often it is asked.
class CountingActivation final : public bth::cel::Activation {
 public:
  std::optional<Value> Find(std::string_view name) const override {
    ++asked_;
    return name == "x" ? std::optional<Value>(Value::Int(1)) : std::nullopt;
  }
  int asked() const { return asked_; }

 private:
  mutable int asked_ = 0;
};

TEST_CASE("run: documents are read through variables", "[cel][eval]") {
  const auto json = Json::Parse(
      R"({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"replicas": 3,
          "hosts": ["x.example", "y.example"], "port": "http"}})");
  REQUIRE(json.ok());
  const auto environment = WithVariables({{"object", Type::Dyn()}});
  Bindings bindings;
  bindings.Set("object", bth::cel::FromJson(*json, nullptr));
  const std::pair<const char*, const char*> cases[] = {
      {"object.spec.replicas <= 5", "true"},
      {"object.spec.replicas <= 2.5", "false"},
      {"object.metadata.labels.app + object.metadata.name", "\"weba\""},
      {"object.spec.hosts.all(h, h.endsWith('.example'))", "true"},
      {"object.spec.hosts[2]", "error: index out of bounds: 2"},
      {"object.spec.missing", "error: no such key: missing"},
      {"has(object.spec.missing)", "false"},
      {"object.?spec.?missing.orValue(7)", "7"},
      {"object.spec.port == 'http' || object.spec.port == 80", "true"},
      {"object.spec.replicas + 'a'", "error: no such overload"},
      {"object.metadata.labels == {'app': 'web'}", "true"},
  };
  for (const auto& [source, expected] : cases) {
    CAPTURE(source);
    CHECK(bth::test::EvaluateIn(environment, source, bindings).text == expected);
  }
}

TEST_CASE("run: a variable is asked for once, and only where it is used", "[cel][eval]") {
  const auto environment = WithVariables({{"x", Type::Int()}, {"y", Type::Int()}});
  const CountingActivation activation;
  const Program all = Compiled("[1, 2, 3].all(i, i + x > x)", environment);
  CHECK(all.Run(activation).value.DebugText() == "true");
  CHECK(activation.asked() == 1);
  CHECK(Compiled("true || y > 0", environment).Run(activation).value.DebugText() == "true");
  CHECK(activation.asked() == 1);
  CHECK(Compiled("y > 0", environment).Run(activation).value.DebugText() ==
        "error: no such attribute(s): y");
  CHECK(Compiled("y + x > x", environment).variables() == std::vector<std::string>{"x", "y"});
}

TEST_CASE("run: the longest qualified name is meant", "[cel][eval]") {
  const TypePtr map = Type::Map(Type::String(), Type::Dyn());
  const auto environment = WithVariables({{"a", map}, {"a.b", map}, {"a.b.c", Type::Int()}});
  Bindings bindings;
  bindings.Set("a", Value::Map({{Value::String("x"), Value::String("short")}}));
  bindings.Set("a.b", Value::Map({{Value::String("d"), Value::String("middle")}}));
  bindings.Set("a.b.c", Value::Int(3));
  for (const bool check : {true, false}) {
    CAPTURE(check);
    const auto run = [&](const char* source) {
      return bth::test::EvaluateIn(environment, source, bindings, {.check = check}).text;
    };
    CHECK(run("a.b.c") == "3");
    CHECK(run("a.b.d") == "\"middle\"");
    CHECK(run("a.x") == "\"short\"");
    CHECK(run("[7].map(a, a)") == "[7]");
    CHECK(run("[{'b': 1}].map(a, a.b)") == "[1]");
  }
}

TEST_CASE("run: results are of the type that was asked for", "[cel][eval]") {
  const auto environment = WithVariables({{"x", Type::Dyn()}});
  CHECK(Compile("1", environment, {.result = Type::Bool()}).status().message() ==
        "must evaluate to bool");
  const Program program = Compiled("x", environment, {.result = Type::Bool()});
  Bindings bindings;
  bindings.Set("x", Value::Bool(true));
  CHECK(program.Run(bindings).value.DebugText() == "true");
  bindings.Set("x", Value::Int(1));
  CHECK(program.Run(bindings).value.DebugText() ==
        "error: expected a result of type bool, got int");
}

TEST_CASE("run: cost beyond its limit ends the run", "[cel][eval]") {
  const auto environment = WithVariables({});
  const auto run = [&](std::string_view source, uint64_t cost_max) {
    return Compiled(source, environment).Run(Bindings(), {.cost_max = cost_max});
  };
  CHECK(run("1 + 1 + 1", 2).value.DebugText() == "3");
  const char* const sources[] = {
      "1 + 1 + 1",
      "1 + 1 + 1 == 0 || true",  // Not absorbed.
      "[1, 2, 3].exists(x, x + 1 + 1 + 1 > 0)",
      "[1, 2, 3].map(x, x).size() > 0 ? 1 : 2",
  };
  for (const char* const source : sources) {
    CAPTURE(source);
    const Outcome outcome = run(source, 1);
    CHECK(outcome.cost_exceeded);
    CHECK(outcome.value.DebugText() == "error: operation cancelled: actual cost limit exceeded");
    CHECK(outcome.cost > 1);
  }
}

// Each would take more time or memory than there is.
TEST_CASE("run: what grows without end is stopped by its cost or size", "[cel][eval][limits]") {
  std::string doubled_text = "['0123456789']", doubled_list = "[[1, 2, 3, 4, 5, 6, 7, 8]]";
  std::string nested = "[1]";
  for (int i = 0; i < 60; ++i) {
    doubled_text += ".map(x, x + x)";
    doubled_list += ".map(x, x + x)";
    nested += ".map(x, [[[[[[[[[[x]]]]]]]]]])";
  }
  const std::string many = "[0,1,2,3,4,5,6,7,8,9]";
  std::string loops = "true";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    loops = many + ".all(" + name + ", " + loops + ")";
  }
  const std::pair<std::string, std::string> cases[] = {
      {doubled_text, "error: operation cancelled: actual cost limit exceeded"},
      {doubled_list + ".size()", "error: list too long"},
      {nested, "error: value nested too deeply"},
      {loops, "error: operation cancelled: actual cost limit exceeded"},
  };
  for (const auto& [source, expected] : cases) {
    const auto program = Compile(source, bth::cel::KubernetesEnvironment());
    if (!program.ok()) continue;  // The parser's bound came first.
    CHECK(program->Run(Bindings(), {.cost_max = 1'000'000}).value.DebugText() == expected);
  }
}

TEST_CASE("run: texts of unknown type count what they make", "[cel][eval][limits]") {
  std::string source = "[dyn('0123456789')]";
  for (int i = 0; i < 40; ++i) source += ".map(x, dyn(x) + dyn(x))";
  const auto program = Compile(source, bth::cel::KubernetesEnvironment());
  REQUIRE(program.ok());
  CHECK(program->Run(Bindings(), {.cost_max = 1'000'000}).cost_exceeded);
}

// As deep as the parser lets them be: the stack of an ordinary thread holds them.
TEST_CASE("run: what the parser takes can be run", "[cel][eval][limits]") {
  const auto nested = [](std::string_view open, std::string_view middle, std::string_view close) {
    std::string source;
    for (int i = 0; i < 120; ++i) source += open;
    source += middle;
    for (int i = 0; i < 120; ++i) source += close;
    return source;
  };
  const std::pair<std::string, std::string> cases[] = {
      {nested("[1].all(x, ", "x == 1", ")"), "true"},
      {nested("[1].map(x, ", "x", ")[0]") + " == 1", "true"},
      {nested("(1 + ", "1", ")") + " > 1", "true"},
      {nested("(true ? ", "true", " : false)"), "true"},
      {nested("{'a': ", "1", "}.a"), "1"},
      {nested("[", "1", "]") + ".size() == 1", "true"},
      {"1" + nested(" + 1", "", " + 1"), "241"},
  };
  for (const auto& [source, expected] : cases) {
    CAPTURE(source.substr(0, 60));
    CHECK(bth::test::EvaluateIn(bth::cel::KubernetesEnvironment(), source, Bindings()).text ==
          expected);
  }
}

}  // namespace
