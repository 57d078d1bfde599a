// size, in, [], and what optional types and comprehensions of two variables do with containers.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/stdlib/index.h"
#include "cel/stdlib/overloads.h"
#include "cel/stdlib/standard.h"
#include "cel/syntax/operators.h"
#include "cel/values/containers.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

using CollectionArgs = std::span<const Value>;

Value SizeOfArg(CollectionArgs args) {
  return Value::Int(static_cast<int64_t>(SizeOf(args[0])));
}

Value InListArgs(CollectionArgs args) {
  return ListContains(args[1].AsList(), args[0]);
}

Value InMapArgs(CollectionArgs args) {
  return Value::Bool(args[1].AsMap().Contains(args[0]));
}

Value IndexArgs(CollectionArgs args) {
  return IndexValue(args[0], args[1]);
}

// What is not there is optional.none().
Value OptionalMember(Member member, bool of_optional) {
  if (!member.fault.empty()) return Value::Error(std::move(member.fault));
  if (!member.value) return Value::OptionalNone();
  if (of_optional) return *std::move(member.value);  // Already an optional.
  return Value::OptionalOf(*std::move(member.value));
}

Value OptionalIndexArgs(CollectionArgs args) {
  return OptionalMember(FindMember(args[0], args[1]), args[0].is(ValueKind::kOptional));
}

Value OptionalSelectArgs(CollectionArgs args) {
  return OptionalMember(FindField(args[0], args[1].AsString()), args[0].is(ValueKind::kOptional));
}

Value InsertEntries(const MapView& map, std::vector<std::pair<Value, Value>> added) {
  auto made = std::make_shared<VectorMap>();
  int depth = 0;
  const auto insert = [&](Value key, Value value) {
    depth = std::max(depth, value.depth());
    return made->Insert(std::move(key), std::move(value));
  };
  for (size_t i = 0; i < map.size(); ++i) insert(map.KeyAt(i), map.ValueAt(i));
  for (auto& [key, value] : added) {
    std::string name = KeyText(key);
    if (!ToMapKey(key)) return Value::Error("unsupported key type");
    if (!insert(std::move(key), std::move(value))) {
      return Value::Error(StrCat("insert failed: key ", name, " already exists"));
    }
  }
  return Value::Of(std::shared_ptr<const MapView>(std::move(made)), depth + 1);
}

Value InsertKeyValue(CollectionArgs args) {
  return InsertEntries(args[0].AsMap(), {{args[1], args[2]}});
}

Value InsertMap(CollectionArgs args) {
  const MapView& other = args[1].AsMap();
  std::vector<std::pair<Value, Value>> added;
  for (size_t i = 0; i < other.size(); ++i) added.emplace_back(other.KeyAt(i), other.ValueAt(i));
  return InsertEntries(args[0].AsMap(), std::move(added));
}

void DeclareSizes(Environment& environment) {
  const TypePtr list = Type::List(Type::Param("A"));
  const TypePtr map = Type::Map(Type::Param("A"), Type::Param("B"));
  Declare(environment, "size",
          {GlobalOverload("size_bytes", {Type::Bytes()}, Type::Int(), SizeOfArg),
           MemberOverload("bytes_size", {Type::Bytes()}, Type::Int(), SizeOfArg),
           GlobalOverload("size_list", {list}, Type::Int(), SizeOfArg),
           MemberOverload("list_size", {list}, Type::Int(), SizeOfArg),
           GlobalOverload("size_map", {map}, Type::Int(), SizeOfArg),
           MemberOverload("map_size", {map}, Type::Int(), SizeOfArg),
           GlobalOverload("size_string", {Type::String()}, Type::Int(), SizeOfArg),
           MemberOverload("string_size", {Type::String()}, Type::Int(), SizeOfArg)});
}

CallCost CostOfMembers() {
  return {[](CollectionArgs args, const Value&) { return SizeOf(args[1]); },
          [](std::span<const SizeRange> sizes) -> CallEstimate {
            return {.cost = {sizes[1].min, sizes[1].max}, .result = {1, 1}};
          }};
}

}  // namespace

void AddContainerFunctions(Environment& environment) {
  const TypePtr a = Type::Param("A");
  const TypePtr b = Type::Param("B");
  const TypePtr list = Type::List(a);
  const TypePtr map = Type::Map(a, b);
  const TypePtr maybe_list = Type::Optional(list);
  const TypePtr maybe_map = Type::Optional(map);
  DeclareSizes(environment);
  Declare(
      environment, op::kIn,
      {WithCost(GlobalOverload("in_list", {a, list}, Type::Bool(), InListArgs), CostOfMembers()),
       GlobalOverload("in_map", {a, map}, Type::Bool(), InMapArgs)});
  Declare(
      environment, op::kIndex,
      {GlobalOverload("index_list", {list, Type::Int()}, a, IndexArgs),
       GlobalOverload("index_map", {map, a}, b, IndexArgs),
       GlobalOverload("optional_list_index_int", {maybe_list, Type::Int()}, Type::Optional(a),
                      IndexArgs),
       GlobalOverload("optional_map_index_value", {maybe_map, a}, Type::Optional(b), IndexArgs)});
  Declare(environment, op::kOptIndex,
          {GlobalOverload("list_optindex_optional_int", {list, Type::Int()}, Type::Optional(a),
                          OptionalIndexArgs),
           GlobalOverload("optional_list_optindex_optional_int", {maybe_list, Type::Int()},
                          Type::Optional(a), OptionalIndexArgs),
           GlobalOverload("map_optindex_optional_value", {map, a}, Type::Optional(b),
                          OptionalIndexArgs),
           GlobalOverload("optional_map_optindex_optional_value", {maybe_map, a}, Type::Optional(b),
                          OptionalIndexArgs)});
  Declare(environment, op::kOptSelect,
          {GlobalOverload("select_optional_field", {Type::Dyn(), Type::String()},
                          Type::Optional(Type::Param("V")), OptionalSelectArgs)});
  Declare(environment, op::kMapInsert,
          {GlobalOverload("@mapInsert_map_key_value", {map, a, b}, map, InsertKeyValue),
           GlobalOverload("@mapInsert_map_map", {map, map}, map, InsertMap)});
}

}  // namespace bth::cel
