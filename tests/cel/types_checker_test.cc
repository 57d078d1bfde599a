#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cel/types/checker.h"
#include "tests/cel/ast_text.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

class TestFields final : public ObjectFields {
 public:
  explicit TestFields(std::map<std::string, TypePtr, std::less<>> fields)
      : fields_(std::move(fields)) {}
  TypePtr FieldType(std::string_view field) const override {
    const auto found = fields_.find(field);
    return found == fields_.end() ? nullptr : found->second;
  }
  std::vector<std::string> FieldNames() const override { return {}; }

 private:
  std::map<std::string, TypePtr, std::less<>> fields_;
};

TypePtr Pod() {
  const TypePtr spec = Type::Object(
      "Pod.spec", std::make_shared<TestFields>(std::map<std::string, TypePtr, std::less<>>{
                      {"replicas", Type::Int()},
                      {"names", Type::List(Type::String())},
                      {"labels", Type::Map(Type::String(), Type::String())}}));
  return Type::Object("Pod", std::make_shared<TestFields>(
                                 std::map<std::string, TypePtr, std::less<>>{{"spec", spec}}));
}

std::shared_ptr<Environment> TestEnvironment() {
  std::shared_ptr<Environment> environment = Environment::Standard()->Extend();
  const TypePtr pod = Pod();
  environment->AddObjectType(pod);
  environment->AddObjectType(pod->fields()->FieldType("spec"));
  environment->Add(Variable{"pod", pod});
  environment->Add(Variable{"d", Type::Dyn()});
  environment->Add(Variable{"a.b.c", Type::Int()});
  environment->Add(Variable{"com.example.y", Type::Bool()});
  environment->Add(Variable{"y", Type::String()});
  environment->Add(Variable{"maybe", Type::Optional(Type::Map(Type::String(), Type::Int()))});
  environment->Add(Variable{"open", Type::Param("T")});
  Function pair{"lib.pair", {}};
  pair.overloads.push_back({.id = "lib_pair",
                            .parameters = {Type::Param("A"), Type::Param("B")},
                            .result = Type::Opaque("pair", {Type::Param("A"), Type::Param("B")})});
  CHECK(environment->Add(std::move(pair)).ok());
  Function both{"both", {}};
  const TypePtr same = Type::Opaque("pair", {Type::Param("T"), Type::Param("T")});
  both.overloads.push_back({.id = "both", .parameters = {same}, .result = same});
  CHECK(environment->Add(std::move(both)).ok());
  return environment;
}

absl::StatusOr<CheckedAst> CheckedOf(const std::string& source, const Environment& environment) {
  absl::StatusOr<Ast> ast = Parse(source, environment.parse_options);
  if (!ast.ok()) return ast.status();
  return Check(*std::move(ast), environment);
}

// The type, or the faults without the lines that quote the source.
std::string TypeText(const std::string& source, const std::string& container = "") {
  const std::shared_ptr<Environment> environment = TestEnvironment();
  environment->set_container(container);
  const absl::StatusOr<CheckedAst> checked = CheckedOf(source, *environment);
  if (checked.ok()) return checked->result()->ToString();
  std::string text(checked.status().message());
  text = text.substr(std::string("ERROR: <input>:").size());
  return text.substr(0, text.find('\n'));
}

struct TypeCase {
  std::string source, type;
};

TEST_CASE("checker: type parameters are found out across uses", "[cel][types]") {
  const TypeCase c = GENERATE(values<TypeCase>({
      {"[]", "list(dyn)"},
      {"[[], [[]], [[[]]], [[[[]]]]]", "list(list(list(list(list(dyn)))))"},
      {"[[[[[]]]], [], [[[]]]]", "list(list(list(list(list(dyn)))))"},
      {"[] + [1,2,3,] + [4]", "list(int)"},
      {"([] + pod.spec.names + [])[0]", "string"},
      {"[{}.map(c,c,c)]+[{}.map(c,c,c)]", "list(list(bool))"},
      {"([].map(x,x))[0].foo", "dyn"},
      {"[pod].map(x, x).map(y, y.spec.replicas)", "list(int)"},
      {"[1].map(x, [x, x]).map(x, [x, x])", "list(list(list(int)))"},
      {"[1].map(x, {x: 'a'})[0][1]", "string"},
      {"lib.pair(1, 2u)", "pair(int, uint)"},
      {"both(lib.pair(d, 'a'))", "pair(dyn, dyn)"},
      {"both(lib.pair(1, 'a'))",
       "1:5: found no matching overload for 'both' applied to '(pair(int, string))'"},
      {"open.x + 1 == open[0]", "bool"},
      {"d + 1", "int"},
      {"d.x.y[0]", "dyn"},
  }));
  CAPTURE(c.source);
  CHECK(TypeText(c.source) == c.type);
}

TEST_CASE("checker: fields of objects, maps and optional values", "[cel][types]") {
  const TypeCase c = GENERATE(values<TypeCase>({
      {"pod.spec.replicas", "int"},
      {"pod.spec.labels.app", "string"},
      {"has(pod.spec.replicas)", "bool"},
      {"pod.spac", "1:4: undefined field 'spac'"},
      {"has(pod.spec.x)", "1:4: undefined field 'x'"},
      {"maybe.x", "optional_type(int)"},
      {"maybe.?x", "optional_type(int)"},
      {"pod.?spec.names", "optional_type(list(string))"},
      {"has(maybe.x)", "bool"},
      {"pod.spec.replicas.x", "1:18: type 'int' does not support field selection"},
      {"pod == null", "bool"},
      {"pod.spec.names == null",
       "1:16: found no matching overload for '_==_' applied to '(list(string), null)'"},
      {"true ? pod : null", "Pod"},
      {"true ? null : pod", "Pod"},
  }));
  CAPTURE(c.source);
  CHECK(TypeText(c.source) == c.type);
}

TEST_CASE("checker: objects that are built", "[cel][types]") {
  const TypeCase c = GENERATE(values<TypeCase>({
      {"Pod{}", "Pod"},
      {"Pod{spec: Pod.spec{replicas: 1 + 2}}.spec.replicas", "int"},
      {"Pod.spec{replicas: '1'}",
       "1:18: expected type of field 'replicas' is 'int' but provided type is 'string'"},
      {"Pod{x: 1}", "1:6: undefined field 'x'"},
      {"Pad{}", "1:4: undeclared reference to 'Pad' (in container '')"},
      {"int{}", "1:4: 'int' is not a message type"},
      {"y{}", "1:2: 'string' is not a type"},
      {"Pod{?spec: maybe}",
       "1:10: expected type of field 'spec' is 'Pod.spec' but provided type is 'map(string, int)'"},
      {"Pod.spec{?replicas: maybe.x}", "Pod.spec"},
      {"Pod.spec{?replicas: 1}", "1:21: expected type 'optional_type(int)' but found 'int'"},
      {"Pod == type(pod)", "bool"},
      {"Pod.spec", "type(Pod.spec)"},
  }));
  CAPTURE(c.source);
  CHECK(TypeText(c.source) == c.type);
}

TEST_CASE("checker: names in containers, and what locals hide", "[cel][types]") {
  struct Case {
    std::string source, container, type;
  };
  const Case c = GENERATE(values<Case>({
      {"y", "com.example", "bool"},
      {"y", "com", "string"},
      {"example.y", "com", "bool"},
      {".y", "com.example", "string"},
      {"y", "com.example.deep", "bool"},
      {"[0].exists(y, y == 0)", "com.example", "bool"},
      {"[1].exists(y, [0].exists(y, y == 0))", "com.example", "bool"},
      {"[{'b': {'c': 'x'}}].all(a, a.b.c == 'x')", "", "bool"},
      {"a.b.c + 1", "", "int"},
      {"a.b", "", "1:1: undeclared reference to 'a' (in container '')"},
      {"x", "q.r", "1:1: undeclared reference to 'x' (in container 'q.r')"},
      {"pair(1, 2)", "lib", "pair(int, int)"},
  }));
  CAPTURE(c.source, c.container);
  CHECK(TypeText(c.source, c.container) == c.type);
}

TEST_CASE("checker: names are written out in the tree", "[cel][types]") {
  const std::shared_ptr<Environment> environment = TestEnvironment();
  const absl::StatusOr<CheckedAst> checked =
      CheckedOf("[a.b.c].map(x, lib.pair(x, a.b.c))", *environment);
  REQUIRE(checked.ok());
  CHECK(test::AstText(checked->ast) ==
        "for (x in [a.b.c]; @result = []; true; _+_(@result, [lib.pair(x, a.b.c)])) @result");
  const Comprehension& loop = *checked->ast[checked->ast.root].comprehension;
  const ExprId name = checked->ast[loop.range].args[0];
  CHECK(checked->ast[name].kind == ExprKind::kIdent);
  CHECK(checked->references[static_cast<size_t>(name)].name == "a.b.c");
  CHECK(checked->types[static_cast<size_t>(loop.step)]->ToString() == "list(pair(int, int))");
}

TEST_CASE("checker: dyn arguments leave all overloads that may fit", "[cel][types]") {
  const std::shared_ptr<Environment> environment = TestEnvironment();
  const auto overloads = [&environment](const std::string& source) {
    const absl::StatusOr<CheckedAst> checked = CheckedOf(source, *environment);
    REQUIRE(checked.ok());
    return checked->references[static_cast<size_t>(checked->ast.root)].overloads.size();
  };
  CHECK(overloads("1 + 2") == 1);
  CHECK(overloads("size(d)") > 3);
  CHECK(overloads("d + d") > 5);
}

TEST_CASE("checker: elements of other types are refused or dyn", "[cel][types]") {
  const std::shared_ptr<Environment> environment = TestEnvironment();
  environment->homogeneous_literals = false;
  CHECK(CheckedOf("[1, 'a']", *environment)->result()->ToString() == "list(dyn)");
  CHECK(CheckedOf("{1: 'a', 'b': 2}", *environment)->result()->ToString() == "map(dyn, dyn)");
  environment->homogeneous_literals = true;
  CHECK_FALSE(CheckedOf("[1, 'a']", *environment).ok());
  CHECK_FALSE(CheckedOf("{1: 'a', 'b': 2}", *environment).ok());
}

TEST_CASE("checker: hostile types end with an answer", "[cel][types]") {
  // Types that double in size with each step, within chains and nested loops.
  std::string doubling = "[1]";
  for (int i = 0; i < 60; ++i) doubling += ".map(x, {x: x})";
  std::string nested = "[]";
  for (int i = 0; i < 120; ++i) {
    const std::string x = "x" + std::to_string(i);
    nested = "[" + nested + "].map(" + x + ", [" + x + ", []])";
  }
  std::string equal = "[] == []";
  for (int i = 0; i < 3000; ++i) equal += " && [[]] == [{}]";
  std::string dyn = "d";
  for (int i = 0; i < 240; ++i) dyn = "(" + dyn + " + d.f(d))";
  for (const std::string& source : {doubling, nested, equal, dyn}) {
    CAPTURE(source.substr(0, 20));
    const absl::StatusOr<CheckedAst> checked = CheckedOf(source, *TestEnvironment());
    CHECK(checked.status().message().size() < 1'000'000);
  }
}

TEST_CASE("checker: types that are too large are refused", "[cel][types]") {
  std::string source = "[1]";
  for (int i = 0; i < 60; ++i) source += ".map(x, {x: x})";
  const absl::StatusOr<CheckedAst> checked = CheckedOf(source, *TestEnvironment());
  REQUIRE_FALSE(checked.ok());
  CHECK(std::string(checked.status().message()).find("too complex") != std::string::npos);
}

}  // namespace
}  // namespace bth::cel
