#include "cel/types/type.h"

#include <string>

#include "tests/support/catch.h"

namespace bth::cel {
namespace {

TEST_CASE("types: text of messages and name at run", "[cel][types]") {
  struct Case {
    TypePtr type;
    std::string text, name;
  };
  const std::vector<Case> cases = {
      {Type::Dyn(), "dyn", "dyn"},
      {Type::Error(), "!error!", "*error*"},
      {Type::Null(), "null", "null_type"},
      {Type::Bool(), "bool", "bool"},
      {Type::Int(), "int", "int"},
      {Type::Uint(), "uint", "uint"},
      {Type::Double(), "double", "double"},
      {Type::String(), "string", "string"},
      {Type::Bytes(), "bytes", "bytes"},
      {Type::Duration(), "duration", "google.protobuf.Duration"},
      {Type::Timestamp(), "timestamp", "google.protobuf.Timestamp"},
      {Type::List(Type::Int()), "list(int)", "list"},
      {Type::Map(Type::String(), Type::Dyn()), "map(string, dyn)", "map"},
      {Type::TypeOf(nullptr), "type", "type"},
      {Type::TypeOf(Type::List(Type::Null())), "type(list(null))", "type"},
      {Type::Optional(Type::Bool()), "optional_type(bool)", "optional_type"},
      {Type::Object("a.B", nullptr), "a.B", "a.B"},
      {Type::Opaque("net.IP"), "net.IP", "net.IP"},
      {Type::Opaque("set", {Type::Int()}), "set(int)", "set"},
      {Type::Param("T"), "T", "T"},
  };
  for (const Case& c : cases) {
    CHECK(c.type->ToString() == c.text);
    CHECK(c.type->RuntimeName() == c.name);
  }
}

TEST_CASE("types: equal are those of equal parts, whatever their sizes", "[cel][types]") {
  CHECK(*Type::List(Type::Int()) == *Type::List(Type::Int()));
  CHECK_FALSE(*Type::List(Type::Int()) == *Type::List(Type::Uint()));
  CHECK_FALSE(*Type::Int() == *Type::Uint());
  CHECK(*Type::Object("a", nullptr) == *Type::Object("a", nullptr));
  CHECK_FALSE(*Type::Object("a", nullptr) == *Type::Object("b", nullptr));
  CHECK_FALSE(*Type::Object("a", nullptr) == *Type::Opaque("a"));
  const TypePtr sized = Type::WithSizeMax(Type::String(), 10);
  CHECK(sized->size_max() == 10);
  CHECK(*sized == *Type::String());
  CHECK(Type::String()->size_max() == 0);
}

TEST_CASE("types: count their parts, and print no more than fits", "[cel][types]") {
  CHECK(Type::Map(Type::String(), Type::List(Type::Int()))->node_count() == 4);
  TypePtr type = Type::Int();
  for (int i = 0; i < 100; ++i) type = Type::Map(type, type);
  CHECK(type->node_count() == UINT32_MAX);
  CHECK(type->ToString().size() < 4100);
}

}  // namespace
}  // namespace bth::cel
