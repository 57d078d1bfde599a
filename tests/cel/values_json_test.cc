#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cel/values/json_values.h"
#include "tests/support/catch.h"

namespace {

using bth::cel::FromJson;
using bth::cel::ToJson;
using bth::cel::Type;
using bth::cel::TypePtr;
using bth::cel::Value;
using bth::cel::ValueKind;
using bth::types::Json;

class TableFields final : public bth::cel::ObjectFields {
 public:
  explicit TableFields(std::map<std::string, TypePtr, std::less<>> fields)
      : fields_(std::move(fields)) {}
  TypePtr FieldType(std::string_view field) const override {
    const auto found = fields_.find(field);
    return found == fields_.end() ? nullptr : found->second;
  }
  std::vector<std::string> FieldNames() const override {
    std::vector<std::string> names;
    for (const auto& field : fields_) names.push_back(field.first);
    return names;
  }

 private:
  std::map<std::string, TypePtr, std::less<>> fields_;
};

std::string ReadAs(std::string_view text, const TypePtr& type) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return FromJson(*json, type).DebugText();
}

TEST_CASE("json values: documents are read as their types say", "[cel][values]") {
  struct Case {
    std::string text;
    TypePtr type;
    std::string expected;
  };
  const Case c = GENERATE(values<Case>({
      {"1", nullptr, "1"},
      {"1.0", nullptr, "1.0"},
      {"\"a\"", Type::Dyn(), "\"a\""},
      {"null", Type::String(), "null"},
      {"[1, {\"a\": null}]", nullptr, "[1, {\"a\": null}]"},
      {"1", Type::Double(), "1.0"},
      {"1", Type::Uint(), "1u"},
      {"-1", Type::Uint(), "error: invalid data, expected unsigned integer, got integer"},
      {"3.0", Type::Int(), "3"},
      {"3.5", Type::Int(), "error: invalid data, expected integer, got number"},
      {"1e30", Type::Int(), "error: invalid data, expected integer, got number"},
      {"true", Type::Bool(), "true"},
      {"1", Type::Bool(), "error: invalid data, expected boolean, got integer"},
      {"1", Type::String(), "error: invalid data, expected string, got integer"},
      {"\"aGk=\"", Type::Bytes(), "b\"hi\""},
      {"\"aGk\"", Type::Bytes(), "error: invalid data, not base64"},
      {"\"1h30m\"", Type::Duration(), "duration(\"5400s\")"},
      {"\"soon\"", Type::Duration(), "error: invalid data, not a duration: \"soon\""},
      {"\"2024-02-29T12:00:00+02:00\"", Type::Timestamp(),
       "timestamp(\"2024-02-29T12:00:00+02:00\")"},
      {"\"2024-02-29\"", Type::Timestamp(), "timestamp(\"2024-02-29T00:00:00Z\")"},
      {"\"2023-02-29\"", Type::Timestamp(),
       "error: invalid data, not a date or date-time: \"2023-02-29\""},
      {"[1, 2]", Type::List(Type::Double()), "[1.0, 2.0]"},
      {"{}", Type::List(Type::Double()), "error: invalid data, expected array, got object"},
      {"{\"a\": 1}", Type::Map(Type::String(), Type::Uint()), "{\"a\": 1u}"},
      {"[]", Type::Map(Type::String(), Type::Uint()),
       "error: invalid data, expected object, got array"},
  }));
  CAPTURE(c.text);
  CHECK(ReadAs(c.text, c.type) == c.expected);
}

TEST_CASE("json values: objects have their declared fields alone", "[cel][values]") {
  const TypePtr type = Type::Object(
      "Spec", std::make_shared<const TableFields>(std::map<std::string, TypePtr, std::less<>>{
                  {"replicas", Type::Int()}, {"share", Type::Double()}, {"note", Type::String()}}));
  const auto json = Json::Parse(R"({"share": 1, "replicas": 3, "other": 1})");
  REQUIRE(json.ok());
  const Value value = FromJson(*json, type);
  REQUIRE(value.is(ValueKind::kObject));
  const auto& object = value.AsObject();
  CHECK(object.type()->name() == "Spec");
  CHECK(object.Field("replicas")->DebugText() == "3");
  CHECK(object.Field("share")->DebugText() == "1.0");
  CHECK_FALSE(object.Field("note").has_value());
  CHECK_FALSE(object.Field("other").has_value());
  CHECK(object.SetFields() == std::vector<std::string>{"replicas", "share"});
  CHECK(value.DebugText() == "Spec{replicas: 3, share: 1.0}");
}

TEST_CASE("json values: what has a form in JSON is written", "[cel][values]") {
  const Value value = Value::Map(
      {{Value::String("a"), Value::List({Value::Int(-1), Value::Uint(1), Value::Double(0.5)})},
       {Value::Int(1), Value::Bytes("hi")},
       {Value::Bool(true), Value::Of(bth::cel::Duration{1'500'000'000})},
       {Value::Uint(7), Value::Of(bth::cel::Timestamp{0, 0})},
       {Value::String("big"), Value::Uint(std::numeric_limits<uint64_t>::max())},
       {Value::String("some"), Value::OptionalOf(Value::Bool(false))},
       {Value::String("none"), Value::OptionalNone()}});
  const auto json = ToJson(value);
  REQUIRE(json.ok());
  CHECK(json->Dump() == R"({"a":[-1,1,0.5],"1":"aGk=","true":"1.5s","7":"1970-01-01T00:00:00Z",)"
                        R"("big":"18446744073709551615","some":false,"none":null})");
}

TEST_CASE("json values: what has no form in JSON is refused", "[cel][values]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(ToJson(Value::Double(infinity)).status().message() == "result: +Inf has no form in JSON");
  CHECK_FALSE(ToJson(Value::List({Value::Double(-infinity)})).ok());
  CHECK_FALSE(ToJson(Value::Double(infinity - infinity)).ok());
  CHECK_FALSE(ToJson(Value::Of(Type::Int())).ok());
  CHECK(ToJson(Value::Error("gone")).status().message() == "gone");
  Value wide = Value::Int(1);
  for (int i = 0; i < 40; ++i) wide = Value::List({wide, wide});
  CHECK_FALSE(ToJson(wide).ok());
}

TEST_CASE("json values: a document comes back as it was", "[cel][values]") {
  for (const char* text : {"null", "[]", "{}", "[true,1,1.5,\"x\",null,{\"a\":{\"b\":[]}}]"}) {
    const auto json = Json::Parse(text);
    REQUIRE(json.ok());
    CHECK(ToJson(FromJson(*json, nullptr))->Dump() == text);
  }
}

}  // namespace
