#include "cel/values/value.h"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/values/containers.h"
#include "tests/support/catch.h"

namespace {

using bth::cel::Compare;
using bth::cel::ConcatLists;
using bth::cel::Duration;
using bth::cel::Equal;
using bth::cel::Timestamp;
using bth::cel::Type;
using bth::cel::Value;
using bth::cel::ValueKind;

constexpr int64_t kTwo53 = int64_t{1} << 53;

bool AreEqual(const Value& a, const Value& b) {
  const Value forth = Equal(a, b);
  const Value back = Equal(b, a);
  REQUIRE(forth.is(ValueKind::kBool));
  REQUIRE(back.is(ValueKind::kBool));
  CHECK(forth.AsBool() == back.AsBool());
  return forth.AsBool();
}

// In order; neighbours differ.
std::vector<Value> NumbersInOrder() {
  return {Value::Double(-std::numeric_limits<double>::infinity()),
          Value::Double(-0x1p64),
          Value::Int(std::numeric_limits<int64_t>::min()),
          Value::Int(std::numeric_limits<int64_t>::min() + 1),
          Value::Int(-kTwo53 - 2),
          Value::Double(-0x1p53),
          Value::Double(-1.5),
          Value::Int(-1),
          Value::Double(-0.25),
          Value::Uint(0),
          Value::Double(std::numeric_limits<double>::denorm_min()),
          Value::Int(1),
          Value::Double(1.5),
          Value::Uint(2),
          Value::Double(0x1p53),
          Value::Int(kTwo53 + 2),
          Value::Uint(static_cast<uint64_t>(kTwo53) + 4),
          Value::Int(std::numeric_limits<int64_t>::max()),
          Value::Uint((uint64_t{1} << 63) + 1),
          Value::Double(0x1.0000000000001p63),
          Value::Uint(std::numeric_limits<uint64_t>::max()),
          Value::Double(0x1.0000000000001p64),
          Value::Double(std::numeric_limits<double>::infinity())};
}

TEST_CASE("values: numbers compare across their types", "[cel][values]") {
  const std::vector<Value> numbers = NumbersInOrder();
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = 0; j < numbers.size(); ++j) {
      CAPTURE(numbers[i].DebugText(), numbers[j].DebugText());
      const int expected = i < j ? -1 : i > j ? 1 : 0;
      CHECK(Compare(numbers[i], numbers[j]) == std::optional<int>(expected));
      CHECK(AreEqual(numbers[i], numbers[j]) == (i == j));
    }
  }
}

TEST_CASE("values: beside a double a whole number is one", "[cel][values]") {
  const std::pair<Value, Value> draws[] = {
      {Value::Int(kTwo53 + 1), Value::Double(0x1p53)},
      {Value::Int(std::numeric_limits<int64_t>::max()), Value::Double(0x1p63)},
      {Value::Uint(std::numeric_limits<uint64_t>::max()), Value::Double(0x1p64)}};
  for (const auto& [whole, real] : draws) {
    CAPTURE(whole.DebugText());
    CHECK(Compare(whole, real) == std::optional<int>(0));
    CHECK(Compare(real, whole) == std::optional<int>(0));
    CHECK(AreEqual(whole, real));
  }
  CHECK_FALSE(AreEqual(Value::Int(kTwo53 + 1), Value::Uint(static_cast<uint64_t>(kTwo53))));
}

TEST_CASE("values: a number is equal in every type that holds it", "[cel][values]") {
  for (const int64_t number : {int64_t{0}, int64_t{1}, kTwo53, int64_t{1} << 62}) {
    const Value forms[] = {Value::Int(number), Value::Uint(static_cast<uint64_t>(number)),
                           Value::Double(static_cast<double>(number))};
    for (const Value& a : forms) {
      for (const Value& b : forms) {
        CHECK(AreEqual(a, b));
        CHECK(Compare(a, b) == std::optional<int>(0));
      }
    }
  }
  CHECK(AreEqual(Value::Double(-0.0), Value::Double(0.0)));
  CHECK(AreEqual(Value::Double(-0.0), Value::Int(0)));
  CHECK(AreEqual(Value::Double(-0.0), Value::Uint(0)));
}

TEST_CASE("values: NaN is neither equal nor ordered", "[cel][values]") {
  const Value nan = Value::Double(std::nan(""));
  for (const Value& other : {nan, Value::Int(0), Value::Uint(0), Value::Double(0)}) {
    CHECK_FALSE(AreEqual(nan, other));
    CHECK_FALSE(Compare(nan, other).has_value());
    CHECK_FALSE(Compare(other, nan).has_value());
  }
  CHECK_FALSE(AreEqual(Value::List({nan}), Value::List({nan})));
}

TEST_CASE("values: kinds are not equal to each other", "[cel][values]") {
  const Value values[] = {Value::Null(),          Value::Bool(false),   Value::Int(0),
                          Value::String(""),      Value::Bytes(""),     Value::Of(Duration{}),
                          Value::Of(Timestamp{}), Value::List({}),      Value::Map({}),
                          Value::Of(Type::Int()), Value::OptionalNone()};
  for (const Value& a : values) {
    for (const Value& b : values) {
      CAPTURE(a.DebugText(), b.DebugText());
      CHECK(AreEqual(a, b) == (a.kind() == b.kind()));
    }
  }
}

TEST_CASE("values: containers are equal by members, across types of numbers", "[cel][values]") {
  CHECK(AreEqual(Value::List({Value::Int(1), Value::Uint(2)}),
                 Value::List({Value::Double(1), Value::Int(2)})));
  CHECK_FALSE(AreEqual(Value::List({Value::Int(1)}), Value::List({})));
  const Value ints = Value::Map({{Value::Int(1), Value::String("a")}});
  const Value uints = Value::Map({{Value::Uint(1), Value::String("a")}});
  CHECK(AreEqual(ints, uints));
  CHECK_FALSE(AreEqual(ints, Value::Map({{Value::Int(2), Value::String("a")}})));
  CHECK_FALSE(AreEqual(ints, Value::Map({{Value::Int(1), Value::String("b")}})));
  CHECK(AreEqual(Value::OptionalOf(Value::Int(1)), Value::OptionalOf(Value::Double(1))));
  CHECK_FALSE(AreEqual(Value::OptionalOf(Value::Int(1)), Value::OptionalNone()));
  CHECK(AreEqual(Value::Of(Type::List(Type::Int())), Value::Of(Type::List(Type::Dyn()))));
}

TEST_CASE("values: maps find numbers across types", "[cel][values]") {
  std::vector<std::pair<Value, Value>> entries;
  for (int i = 0; i < 20; ++i) entries.emplace_back(Value::Int(i - 5), Value::Int(i));
  for (const size_t size : {size_t{7}, size_t{20}}) {  // Scanned and hashed.
    const Value map = Value::Map({entries.begin(), entries.begin() + static_cast<int>(size)});
    const auto& view = map.AsMap();
    CHECK(view.size() == size);
    CHECK(view.Find(Value::Int(-5))->AsInt() == 0);
    CHECK(view.Find(Value::Double(-5))->AsInt() == 0);
    CHECK(view.Find(Value::Uint(1))->AsInt() == 6);
    CHECK(view.Find(Value::Double(0))->AsInt() == 5);
    CHECK_FALSE(view.Find(Value::Double(0.5)).has_value());
    CHECK_FALSE(view.Find(Value::Double(std::nan(""))).has_value());
    CHECK_FALSE(view.Find(Value::Double(0x1p70)).has_value());
    CHECK_FALSE(view.Find(Value::Uint(uint64_t(-5))).has_value());
    CHECK_FALSE(view.Find(Value::Bool(true)).has_value());
    CHECK_FALSE(view.Find(Value::String("1")).has_value());
    CHECK_FALSE(view.Find(Value::List({})).has_value());
  }
}

TEST_CASE("values: text for messages", "[cel][values]") {
  const Value value = Value::Map(
      {{Value::String("k\"\n"), Value::List({Value::Int(-1), Value::Uint(2), Value::Double(3)})},
       {Value::Bool(true), Value::Bytes(std::string("a\0\xFF", 3))},
       {Value::Int(1), Value::OptionalOf(Value::Null())},
       {Value::Uint(2), Value::Of(Type::Timestamp())}});
  CHECK(value.DebugText() ==
        R"({"k\"\n": [-1, 2u, 3.0], true: b"a\x00\xff", 1: optional.of(null), )"
        R"(2u: google.protobuf.Timestamp})");
  CHECK(Value::Of(Duration{-1'500'000'000}).DebugText() == "duration(\"-1.5s\")");
  CHECK(Value::Of(Timestamp{0, 1'000'000}).DebugText() ==
        "timestamp(\"1970-01-01T00:00:00.001Z\")");
  CHECK(Value::Double(1e300).DebugText() == "1e+300");
  CHECK(Value::Error("no").DebugText() == "error: no");
}

TEST_CASE("values: lists joined in any order keep their elements", "[cel][values]") {
  Value list = Value::List({});
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 3000; ++i) {
    const Value one = Value::List({Value::Int(i)});
    const bool at_front = i % 3 == 0;
    list = at_front ? ConcatLists(one, list) : ConcatLists(list, one);
    expected.insert(at_front ? expected.begin() : expected.end(), i);
  }
  const Value both = ConcatLists(list, list);
  REQUIRE(both.AsList().size() == 6000);
  for (size_t i = 0; i < 6000; ++i) CHECK(both.AsList().at(i).AsInt() == expected[i % 3000]);
  CHECK(AreEqual(ConcatLists(list, Value::List({})), list));
}

TEST_CASE("values: lists that double end at a bound", "[cel][values]") {
  Value list = Value::List(std::vector<Value>(40, Value::Int(1)));
  for (int i = 0; i < 64 && !list.is_error(); ++i) list = ConcatLists(list, list);
  CHECK(list.DebugText() == "error: list too long");
}

TEST_CASE("values: nesting ends at a bound", "[cel][values]") {
  Value value = Value::Int(1);
  for (int i = 0; i < bth::cel::kValueDepthMax; ++i) value = Value::List({value});
  CHECK(value.depth() == bth::cel::kValueDepthMax);
  CHECK(AreEqual(value, value));
  CHECK(Value::List({value}).DebugText() == "error: value nested too deeply");
  CHECK(Value::Map({{Value::Int(1), value}}).is_error());
  CHECK(Value::OptionalOf(value).is_error());
}

TEST_CASE("values: a comparison of shared parts without end is given up", "[cel][values]") {
  Value a = Value::List({Value::Int(1)});
  Value b = Value::List({Value::Uint(1)});
  for (int i = 0; i < 60; ++i) {
    a = Value::List({a, a});
    b = Value::List({b, b});
  }
  CHECK(Equal(a, b).DebugText() == "error: values too large to be compared");
  CHECK(a.DebugText().size() < 100'000);
}

}  // namespace
