// Lists with keys: sets and list maps, as schemas declare them.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cel/values/containers.h"
#include "cel/values/value.h"
#include "tests/support/catch.h"

namespace {

using bth::cel::ConcatLists;
using bth::cel::Equal;
using bth::cel::ListKeys;
using bth::cel::ListView;
using bth::cel::Value;

class ListWithKeys final : public ListView {
 public:
  ListWithKeys(std::vector<Value> items, std::vector<std::string> fields)
      : items_(std::move(items)),
        keys_(std::make_shared<const ListKeys>(ListKeys{std::move(fields)})) {}
  size_t size() const override { return items_.size(); }
  Value at(size_t index) const override { return items_[index]; }
  std::shared_ptr<const ListKeys> keys() const override { return keys_; }

 private:
  std::vector<Value> items_;
  std::shared_ptr<const ListKeys> keys_;
};

Value KeyedListOf(std::vector<Value> items, std::vector<std::string> fields) {
  return Value::Of(std::shared_ptr<const ListView>(
      std::make_shared<const ListWithKeys>(std::move(items), std::move(fields))));
}

Value SetOf(const std::vector<int>& numbers) {
  std::vector<Value> items;
  for (const int number : numbers) items.push_back(Value::Int(number));
  return KeyedListOf(std::move(items), {});
}

Value PlainOf(const std::vector<int>& numbers) {
  std::vector<Value> items;
  for (const int number : numbers) items.push_back(Value::Int(number));
  return Value::List(std::move(items));
}

Value Row(const char* key, int value) {
  return Value::Map(
      {{Value::String("k"), Value::String(key)}, {Value::String("v"), Value::Int(value)}});
}

std::string EqualText(const Value& a, const Value& b) {
  return Equal(a, b).DebugText();
}

}  // namespace

TEST_CASE("values: sets are equal in any order", "[cel][values]") {
  struct Case {
    std::vector<int> a, b;
    const char* equal;
  };
  const Case cases[] = {
      {{}, {}, "true"},
      {{1, 2, 3}, {3, 1, 2}, "true"},
      {{1, 2}, {1, 2, 3}, "false"},
      {{1, 2}, {1, 3}, "false"},
      {{1}, {}, "false"},
      {{1, 2}, {2, 2}, "true"},
      {{2, 2}, {1, 2}, "false"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.a, c.b);
    CHECK(EqualText(SetOf(c.a), SetOf(c.b)) == c.equal);
    CHECK(EqualText(SetOf(c.a), PlainOf(c.b)) == c.equal);
  }
  // The list on the left decides.
  CHECK(EqualText(PlainOf({1, 2}), SetOf({2, 1})) == "false");
  CHECK(EqualText(PlainOf({1, 2}), SetOf({1, 2})) == "true");
  // Numbers are one across their types, beyond what doubles tell apart they are not.
  CHECK(EqualText(SetOf({1}), Value::List({Value::Double(1)})) == "true");
  const int64_t large = (int64_t{1} << 53) + 1;
  CHECK(EqualText(KeyedListOf({Value::Int(large)}, {}), Value::List({Value::Int(large - 1)})) ==
        "false");
}

TEST_CASE("values: sets are joined", "[cel][values]") {
  const auto joined = [](const Value& a, const Value& b) { return ConcatLists(a, b).DebugText(); };
  CHECK(joined(SetOf({1, 2}), SetOf({3, 2, 4})) == "[1, 2, 3, 4]");
  CHECK(joined(SetOf({1, 2}), PlainOf({5, 5, 1})) == "[1, 2, 5]");
  CHECK(joined(SetOf({}), PlainOf({5, 5})) == "[5]");
  CHECK(joined(SetOf({7, 7}), SetOf({})) == "[7, 7]");
  CHECK(joined(PlainOf({2, 1}), SetOf({1, 2})) == "[2, 1, 1, 2]");
  const Value both = ConcatLists(SetOf({1, 2}), SetOf({3}));
  CHECK(EqualText(both, PlainOf({3, 2, 1})) == "true");
  CHECK(joined(both, both) == "[1, 2, 3]");
  const Value broken = ConcatLists(SetOf({1}), KeyedListOf({Value::Error("no int")}, {}));
  CHECK(broken.DebugText() == "error: no int");
}

TEST_CASE("values: list maps are told apart by their keys", "[cel][values]") {
  const auto map = [](std::vector<Value> rows) { return KeyedListOf(std::move(rows), {"k"}); };
  const Value ab = map({Row("a", 1), Row("b", 2)});
  CHECK(EqualText(ab, map({Row("b", 2), Row("a", 1)})) == "true");
  CHECK(EqualText(ab, map({Row("b", 2), Row("a", 3)})) == "false");
  CHECK(EqualText(ab, map({Row("b", 2), Row("c", 1)})) == "false");
  CHECK(EqualText(ab, map({Row("a", 1)})) == "false");
  CHECK(ConcatLists(ab, map({Row("c", 3), Row("a", 9)})).DebugText() ==
        R"([{"k": "a", "v": 9}, {"k": "b", "v": 2}, {"k": "c", "v": 3}])");
  // Elements without the key have one key together.
  const Value bare = KeyedListOf({Value::Int(1)}, {"k"});
  CHECK(ConcatLists(bare, Value::List({Value::Int(2)})).DebugText() == "[2]");
  const Value two = KeyedListOf({Row("a", 1), Row("a", 2)}, {"k", "v"});
  CHECK(EqualText(two, KeyedListOf({Row("a", 2), Row("a", 1)}, {"k", "v"})) == "true");
  CHECK(ConcatLists(two, Value::List({Row("a", 2), Row("b", 2)})).AsList().size() == 3);
}

TEST_CASE("values: merging lists is bounded and quick", "[cel][values]") {
  std::vector<int> many;
  for (int i = 0; i < 20'000; ++i) many.push_back(i);
  std::vector<int> others(many.rbegin(), many.rend());
  others.push_back(20'000);
  CHECK(ConcatLists(SetOf(many), SetOf(others)).AsList().size() == 20'001);
  CHECK(EqualText(SetOf(many), SetOf(std::vector<int>(many.rbegin(), many.rend()))) == "true");
}
