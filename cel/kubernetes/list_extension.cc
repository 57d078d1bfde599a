#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/strings.h"
#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/values/value_index.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// What making a list costs beside its elements.
constexpr uint64_t kMadeListCost = 10;
// Lists that functions make are at most so long: more would cost more than any limit allows.
constexpr int64_t kMadeMax = int64_t{1} << 24;
// Kubernetes charges flatten() for what it goes over alone. Elements of the result that are beyond
// what rules are written with are charged as well: lists may be in it many times.
constexpr uint64_t kFlatFree = 1000;

class RangeView final : public ListView {
 public:
  explicit RangeView(size_t size) : size_(size) {}
  size_t size() const override { return size_; }
  Value at(size_t index) const override { return Value::Int(static_cast<int64_t>(index)); }

 private:
  size_t size_;
};

// A part of another list, forwards or backwards.
class PartView final : public ListView {
 public:
  PartView(Value list, size_t start, size_t size, bool backwards)
      : list_(std::move(list)), start_(start), size_(size), backwards_(backwards) {}
  size_t size() const override { return size_; }
  Value at(size_t index) const override {
    return list_.AsList().at(start_ + (backwards_ ? size_ - 1 - index : index));
  }

 private:
  Value list_;
  size_t start_;
  size_t size_;
  bool backwards_;
};

Value MakePartView(const Value& list, size_t start, size_t size, bool backwards) {
  return Value::Of(std::shared_ptr<const ListView>(
      std::make_shared<const PartView>(list, start, size, backwards)));
}

Value Slice(Arguments args) {
  const int64_t start = args[1].AsInt(), end = args[2].AsInt();
  const auto size = static_cast<int64_t>(args[0].AsList().size());
  const auto bad = [&](std::string_view why) {
    return Value::Error(StrCat("cannot slice(", start, ", ", end, "), ", why));
  };
  if (start < 0 || end < 0) return bad("negative indexes not supported");
  if (start > end) return bad("start index must be less than or equal to end index");
  if (end > size) return bad(StrCat("list is length ", size));
  return MakePartView(args[0], static_cast<size_t>(start), static_cast<size_t>(end - start), false);
}

Value Reverse(Arguments args) {
  return MakePartView(args[0], 0, args[0].AsList().size(), true);
}

Value Range(Arguments args) {
  if (args[0].AsInt() > kMadeMax) {
    return Value::Error(StrCat("lists.range(", args[0].AsInt(), ") is longer than ", kMadeMax));
  }
  return Value::Of(std::shared_ptr<const ListView>(std::make_shared<const RangeView>(
      static_cast<size_t>(std::max<int64_t>(args[0].AsInt(), 0)))));
}

// False: more than there may be, to look at or to append.
bool AppendFlat(const ListView& list, int64_t depth, Work& work, std::vector<Value>* out) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (out->size() >= static_cast<size_t>(kMadeMax) || !work.Spend(1)) return false;
    Value item = list.at(i);
    if (item.is(ValueKind::kList) && depth > 0) {
      if (!AppendFlat(item.AsList(), depth - 1, work, out)) return false;
    } else {
      out->push_back(std::move(item));
    }
  }
  return true;
}

Value Flatten(Arguments args) {
  const int64_t depth = args.size() > 1 ? args[1].AsInt() : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  Work own;
  std::vector<Value> items;
  if (!AppendFlat(args[0].AsList(), depth, Work::OfRun(own), &items)) {
    return Value::Error(StrCat("the flattened list is longer than ", kMadeMax));
  }
  return Value::List(std::move(items));
}

Value Distinct(Arguments args) {
  const ListView& list = args[0].AsList();
  Work own;
  const Work& work = Work::OfRun(own);
  ValueIndex seen;
  std::vector<Value> items;
  for (size_t i = 0; i < list.size() && !work.is_spent(); ++i) {
    Value item = list.at(i);
    if (seen.Add(item)) items.push_back(std::move(item));
  }
  return Value::List(std::move(items));
}

bool IsComparable(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

bool IsNan(const Value& value) {
  return value.is(ValueKind::kDouble) && std::isnan(value.AsDouble());
}

// What is no number comes first, so that there is an order.
bool ComesBefore(const Value& a, const Value& b) {
  if (IsNan(a) || IsNan(b)) return IsNan(a) && !IsNan(b);
  return Compare(a, b).value_or(0) < 0;
}

// The elements of `list` in the order of `keys`, of which there is one for each.
Value SortByKeys(const ListView& list, const ListView& keys) {
  if (list.size() != keys.size()) {
    return Value::Error(
        StrCat("expected a list of the same size as the associated keys list, but "
               "got ",
               list.size(), " and ", keys.size(), " elements respectively"));
  }
  std::vector<Value> order;
  order.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) order.push_back(keys.at(i));
  if (!order.empty() && !IsComparable(order.front())) {
    return Value::Error("list elements must be comparable");
  }
  for (const Value& key : order) {
    if (key.kind() != order.front().kind()) {
      return Value::Error("list elements must have the same type");
    }
  }
  std::vector<size_t> places(order.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return ComesBefore(order[a], order[b]); });
  std::vector<Value> items;
  items.reserve(places.size());
  for (const size_t place : places) items.push_back(list.at(place));
  return Value::List(std::move(items));
}

constexpr CostRange kMakeList{kMadeListCost + 1, kMadeListCost + 1};

Price OutputPrice() {
  return {[](Arguments, const Value& result) { return CostSum(SizeOf(result), kMadeListCost + 1); },
          [](ArgSizes args) -> CallEstimate {
            const SizeRange size{args[0].min, args[0].max};
            return {CostSum(kMakeList, {size.min, size.max}), size};
          }};
}

// With a size of the result that is known from the arguments, if it is.
Price OutputPrice(std::optional<int64_t> (*known)(ArgSizes), uint64_t (*most)(ArgSizes)) {
  Price price = OutputPrice();
  price.estimate = [known, most](ArgSizes args) -> CallEstimate {
    SizeRange size{0, most(args)};
    if (const std::optional<int64_t> count = known(args); count.has_value()) {
      size.min = size.max = static_cast<uint64_t>(*count);  // A negative one is as good as none.
    }
    return {CostSum(kMakeList, {size.min, size.max}), size};
  };
  return price;
}

Price SlicePrice() {
  return OutputPrice(
      [](ArgSizes args) -> std::optional<int64_t> {
        if (!args[1].literal.has_value() || !args[2].literal.has_value()) return std::nullopt;
        return static_cast<int64_t>(static_cast<uint64_t>(*args[2].literal) -
                                    static_cast<uint64_t>(*args[1].literal));
      },
      [](ArgSizes args) { return args[0].max; });
}

Price RangePrice() {
  return OutputPrice(
      [](ArgSizes args) -> std::optional<int64_t> {
        if (!args[0].literal.has_value()) return std::nullopt;
        return std::max<int64_t>(*args[0].literal, 0);
      },
      [](ArgSizes) { return UINT64_MAX; });
}

// Each level goes over the list once.
Price FlattenPrice() {
  return {
      [](Arguments args, const Value& result) -> uint64_t {
        const int64_t depth = args.size() > 1 ? std::max<int64_t>(args[1].AsInt(), 0) : 1;
        const uint64_t walked = CostProduct(SizeOf(args[0]), static_cast<uint64_t>(depth));
        const uint64_t made = SizeOf(result);
        return CostSum(walked, kMadeListCost + 1 + (made > kFlatFree ? made - kFlatFree : 0));
      },
      [](ArgSizes args) -> CallEstimate {
        uint64_t depth = 1;
        if (args.size() > 1) {
          depth = args[1].literal.has_value()
                      ? static_cast<uint64_t>(std::max<int64_t>(*args[1].literal, 0))
                      : UINT64_MAX;
        }
        const CostRange walked{CostProduct(args[0].min, depth), CostProduct(args[0].max, depth)};
        return {CostSum(kMakeList, walked), {}};
      }};
}

// Of comparing each element with each other; `factor` is what is thought of a pair before.
Price PairwisePrice(double factor) {
  return {[](Arguments args, const Value&) -> uint64_t {
            const uint64_t size = SizeOf(args[0]);
            return CostSum(CostProduct(2, CostProduct(size, size)), kMadeListCost + 1);
          },
          [factor](ArgSizes args) -> CallEstimate {
            const auto pairs = [factor](uint64_t size) {
              return ScaledCost(CostProduct(size, size), factor);
            };
            return {CostSum({pairs(args[0].min), pairs(args[0].max)}, kMakeList),
                    {args[0].min, args[0].max}};
          }};
}

std::vector<Overload> SortOverloads(bool by_keys) {
  const TypePtr any = Type::Param("T");
  std::vector<Overload> overloads;
  for (const TypePtr& key : {Type::Int(), Type::Uint(), Type::Double(), Type::Bool(),
                             Type::Duration(), Type::Timestamp(), Type::String(), Type::Bytes()}) {
    // Texts take a little more to compare.
    const bool text = key == Type::String() || key == Type::Bytes();
    if (by_keys) {
      overloads.push_back(MemberCall(
          StrCat("list_", key->ToString(), "_sortByAssociatedKeys"),
          {Type::List(any), Type::List(key)}, Type::List(any),
          [](Arguments args) { return SortByKeys(args[0].AsList(), args[1].AsList()); },
          PairwisePrice(text ? 2.1 : 2.0)));
    } else {
      overloads.push_back(MemberCall(
          StrCat("list_", key->ToString(), "_sort"), {Type::List(key)}, Type::List(key),
          [](Arguments args) { return SortByKeys(args[0].AsList(), args[0].AsList()); },
          PairwisePrice(text ? 2.1 : 2.0)));
    }
  }
  return overloads;
}

}  // namespace

absl::Status AddListExtension(Environment& environment) {
  const TypePtr list = Type::List(Type::Param("T")), number = Type::Int();
  const TypePtr nested = Type::List(list), flat = Type::List(Type::Dyn());
  return AddAll(
      environment,
      {{"slice", {MemberCall("list_slice", {list, number, number}, list, Slice, SlicePrice())}},
       {"reverse", {MemberCall("list_reverse", {list}, list, Reverse, OutputPrice())}},
       {"distinct", {MemberCall("list_distinct", {list}, list, Distinct, PairwisePrice(2.0))}},
       {"flatten",
        {MemberCall("list_flatten", {nested}, list, Flatten, FlattenPrice()),
         MemberCall("list_flatten_int", {flat, number}, flat, Flatten, FlattenPrice())}},
       {"lists.range",
        {GlobalCall("lists_range", {number}, Type::List(number), Range, RangePrice())}},
       {"sort", SortOverloads(false)},
       {"@sortByAssociatedKeys", SortOverloads(true)}});
}

}  // namespace bth::cel
