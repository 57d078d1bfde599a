// kubernetes/cases.jsonl holds what Kubernetes' own environment makes of expressions: types,
// values, errors, actual cost and what it estimates at most. Variables: s and t are strings of at
// most 100 and 30, ls and li lists of at most 20 strings of at most 50 and of 20 ints, d is dyn.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"
#include "cel/program.h"
#include "cel/values/time_text.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::cel {
namespace {

using types::Json;

std::shared_ptr<const Environment> CaseEnvironment() {
  std::shared_ptr<Environment> environment = KubernetesEnvironment()->Extend();
  const TypePtr text = Type::WithSizeMax(Type::String(), 50);
  environment->Add(Variable{"s", Type::WithSizeMax(Type::String(), 100)});
  environment->Add(Variable{"t", Type::WithSizeMax(Type::String(), 30)});
  environment->Add(Variable{"ls", Type::WithSizeMax(Type::List(text), 20)});
  environment->Add(Variable{"li", Type::WithSizeMax(Type::List(Type::Int()), 20)});
  environment->Add(Variable{"d", Type::Dyn()});
  return environment;
}

Bindings CaseBindings() {
  std::string accents;
  for (int i = 0; i < 40; ++i) accents += "é";
  Bindings bindings;
  bindings.Set("s", Value::String(accents));
  bindings.Set("t", Value::String("abc"));
  bindings.Set("ls", Value::List({Value::String("aaa"), Value::String("bb"), Value::String("a")}));
  bindings.Set("li", Value::List({Value::Int(3), Value::Int(1), Value::Int(2)}));
  bindings.Set("d", Value::String("str"));
  return bindings;
}

Json Plain(const Value& value);

// 1.0 is written 1.
Json PlainNumber(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::abs(number) < 1e15 && std::trunc(number) == number) return static_cast<int64_t>(number);
  return number;
}

// Types have shorter names here.
std::string TypeName(std::string_view name) {
  return absl::StrReplaceAll(ToAbsl(name), {{"google.protobuf.Duration", "duration"},
                                            {"google.protobuf.Timestamp", "timestamp"},
                                            {"google.protobuf.Any", "any"},
                                            {"null_type", "null"}});
}

Json PlainMap(const MapView& map) {
  Json out = Json::MakeObject();
  for (size_t i = 0; i < map.size(); ++i) {
    const Value key = map.KeyAt(i);
    out.Set(key.is(ValueKind::kString) ? key.AsString() : key.DebugText(), Plain(map.ValueAt(i)));
  }
  return out;
}

Json PlainList(const ListView& list) {
  Json out = Json::MakeArray();
  for (size_t i = 0; i < list.size(); ++i) out.MutableItems().push_back(Plain(list.at(i)));
  return out;
}

// A value as the table writes it.
Json Plain(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return {};
    case ValueKind::kBool:
      return value.AsBool();
    case ValueKind::kInt:
      return value.AsInt();
    case ValueKind::kUint:
      return static_cast<int64_t>(value.AsUint());
    case ValueKind::kDouble:
      return PlainNumber(value.AsDouble());
    case ValueKind::kString:
      return value.AsString();
    case ValueKind::kBytes:
      return value.AsBytes();
    case ValueKind::kDuration:
      return DurationText(value.AsDuration());
    case ValueKind::kTimestamp:
      return TimestampText(value.AsTimestamp());
    case ValueKind::kList:
      return PlainList(value.AsList());
    case ValueKind::kMap:
      return PlainMap(value.AsMap());
    case ValueKind::kType:
      return value.AsType()->RuntimeName();
    case ValueKind::kOptional:
      return Json::MakeObject(
          {{"optional", value.AsOptional() == nullptr ? Json() : Plain(*value.AsOptional())}});
    default:
      return value.DebugText();
  }
}

// Differences between a case and what became of it, as one line; empty: none.
std::string Compared(const Json& row, const absl::StatusOr<Program>& program) {
  if (!program.ok()) {
    return row.Find("refused") != nullptr ? "" : StrCat("refused: ", program.status().message());
  }
  if (row.Find("refused") != nullptr) return "accepted";
  std::string out;
  const Outcome outcome = program->Run(CaseBindings());
  if (const Json* error = row.Find("error"); error != nullptr) {
    if (!outcome.value.is_error()) {
      StrAppend(&out, " value ", outcome.value.DebugText());
    } else if (outcome.value.AsString() != error->AsString()) {
      StrAppend(&out, " error ", outcome.value.AsString());
    }
  } else if (outcome.value.is_error()) {
    StrAppend(&out, " error ", outcome.value.AsString());
  } else if (const Json value = Plain(outcome.value); !(value == row["value"])) {
    StrAppend(&out, " value ", value.Dump());
  }
  const std::string type = program->result_type()->ToString();
  if (type != TypeName(row["type"].AsString())) StrAppend(&out, " type ", type);
  if (static_cast<int64_t>(outcome.cost) != row["cost"].AsInt()) {
    StrAppend(&out, " cost ", outcome.cost);
  }
  const uint64_t most = program->Estimate().max;
  // Kubernetes knows sizes of types' names where rules are of schemas, but not where this table is
  // from.
  if (row.Find("most") == nullptr) return out;
  // Where there is no bound, the number says only so.
  constexpr int64_t kOpen = int64_t{1} << 56;
  const int64_t wanted = row["most"].AsInt();
  const bool is_open = wanted < 0 || wanted > kOpen;
  if (is_open ? most <= static_cast<uint64_t>(kOpen) : static_cast<int64_t>(most) != wanted) {
    StrAppend(&out, " most ", most);
  }
  return out;
}

}  // namespace

TEST_CASE("kubernetes: expressions are what Kubernetes makes of them", "[cel]") {
  const std::string table = test::ReadFile(test::SourceRoot() / "tests/cel/kubernetes/cases.jsonl");
  const auto environment = CaseEnvironment();
  size_t count = 0;
  for (absl::string_view line : SplitText(table, '\n', absl::SkipEmpty())) {
    const absl::StatusOr<Json> row = Json::Parse(ToStd(line));
    REQUIRE(row.ok());
    const std::string source((*row)["expr"].AsString());
    const std::string different = Compared(*row, Compile(source, environment));
    INFO(ToStd(line));
    CHECK(different == "");
    ++count;
  }
  CHECK(count > 1500);
}

}  // namespace bth::cel
