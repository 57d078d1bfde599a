#include "cel/kubernetes/declare.h"
#include "cel/kubernetes/libraries.h"
#include "cel/values/value_index.h"
#include "cel/values/work.h"

namespace bth::cel {
namespace {

// Ends early where the run's work is spent, as the run then does.
ValueIndex IndexOfList(const ListView& list) {
  Work own;
  const Work& work = Work::OfRun(own);
  ValueIndex index;
  for (size_t i = 0; i < list.size() && !work.is_spent(); ++i) index.Add(list.at(i));
  return index;
}

bool ContainsAll(const ListView& list, const ListView& wanted) {
  if (wanted.size() == 0) return true;  // Costs nothing, however long the list is.
  const ValueIndex index = IndexOfList(list);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!index.Contains(wanted.at(i))) return false;
  }
  return true;
}

bool ContainsAny(const ListView& list, const ListView& wanted) {
  if (wanted.size() == 0) return false;
  const ValueIndex index = IndexOfList(list);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (index.Contains(wanted.at(i))) return true;
  }
  return false;
}

// As if each element of one list were compared with each of the other, `times` times.
Price PairsPrice(uint64_t times) {
  return {[times](Arguments args, const Value&) -> uint64_t {
            const uint64_t pairs = CostProduct(SizeOf(args[0]), SizeOf(args[1]));
            return CostSum(CostProduct(times, pairs), 1);
          },
          [times](ArgSizes args) -> CallEstimate {
            const CostRange pairs = {CostProduct(args[0].min, args[1].min),
                                     CostProduct(args[0].max, args[1].max)};
            return {CostSum(CostProduct({times, times}, pairs), {1, 1}), {1, 1}};
          }};
}

template <bool (*kTest)(const ListView&, const ListView&)>
Value TestLists(Arguments args) {
  return Value::Bool(kTest(args[0].AsList(), args[1].AsList()));
}

bool AreEquivalent(const ListView& a, const ListView& b) {
  return ContainsAll(a, b) && ContainsAll(b, a);
}

}  // namespace

absl::Status AddSetsLibrary(Environment& environment) {
  const TypePtr list = Type::List(Type::Param("T")), flag = Type::Bool();
  return AddAll(environment, {{"sets.contains",
                               {GlobalCall("list_sets_contains_list", {list, list}, flag,
                                           TestLists<ContainsAll>, PairsPrice(1))}},
                              {"sets.equivalent",
                               {GlobalCall("list_sets_equivalent_list", {list, list}, flag,
                                           TestLists<AreEquivalent>, PairsPrice(2))}},
                              {"sets.intersects",
                               {GlobalCall("list_sets_intersects_list", {list, list}, flag,
                                           TestLists<ContainsAny>, PairsPrice(1))}}});
}

}  // namespace bth::cel
