#include <string>
#include <vector>

#include "admission/rules/amounts.h"
#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

using test::PlainKnown;

// `{"cpu":"1"}` for "cpu=1 memory=2Gi".
std::string ListText(std::string_view resources) {
  std::string text;
  for (const absl::string_view one : SplitText(resources, ' ', absl::SkipEmpty())) {
    const size_t equals = one.find('=');
    StrAppend(&text, text.empty() ? "" : ",", "\"", one.substr(0, equals), "\":\"",
              one.substr(equals + 1), "\"");
  }
  return StrCat("{", text, "}");
}

struct TreeQueue {
  std::string name, parent;
  std::string capability = "";
  std::string guarantee = "";
  std::string deserved = "";

  std::string Spec() const {
    return StrCat(R"("parent":")", parent, R"(","capability":)", ListText(capability),
                  R"(,"guarantee":{"resource":)", ListText(guarantee), R"(},"deserved":)",
                  ListText(deserved));
  }
  std::string Document() const {
    return StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{)", Spec(), "}}");
  }
};

PlainKnown TreeOf(const std::vector<TreeQueue>& nodes) {
  PlainKnown known;
  for (const TreeQueue& node : nodes) known.Queue(node.name, node.Spec());
  return known;
}

std::string CreatedIn(const std::vector<TreeQueue>& nodes, const TreeQueue& node) {
  return test::Told(
      test::Ask({.path = "/queues/validate", .object = node.Document()}, TreeOf(nodes)));
}

// The queue of that name among `nodes` becomes `node`.
std::string UpdatedIn(const std::vector<TreeQueue>& nodes, const TreeQueue& node) {
  std::string before = "null";
  for (const TreeQueue& one : nodes) {
    if (one.name == node.name) before = one.Document();
  }
  return test::Told(test::Ask({.path = "/queues/validate",
                               .operation = "UPDATE",
                               .object = node.Document(),
                               .old_object = before},
                              TreeOf(nodes)));
}

TEST_CASE("hierarchy: a capability and the nearest ancestor's", "[admission_rules][queues]") {
  const std::vector<TreeQueue> tree = {{"root", ""},
                                       {"gp", "root", "cpu=100 memory=100Gi nvidia.com/gpu=8"},
                                       {"p", "gp", "cpu=50 memory=50Gi"},
                                       {"open", "gp"}};
  struct Case {
    TreeQueue node;
    std::string told;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {{"q", "p", "cpu=60"}, "queue q capability[cpu]=60 exceeds its ancestor's capability=50"},
      {{"q", "p", "memory=55Gi"},
       "queue q capability[memory]=55Gi exceeds its ancestor's capability=50Gi"},
      {{"q", "p", "nvidia.com/gpu=10"},
       "queue q capability[nvidia.com/gpu]=10000.00 exceeds its ancestor's capability=8000.00"},
      {{"q", "p", "cpu=40 memory=40Gi nvidia.com/gpu=4"}, "allowed"},
      {{"q", "p"}, "allowed"},
      {{"q", "open", "cpu=200"},
       "queue q capability[cpu]=200 exceeds its ancestor's capability=100"},
      {{"q", "open", "cpu=80"}, "allowed"},
      {{"q", "root", "cpu=1000"}, "allowed"},
      {{"q", "", "cpu=1000"}, "allowed"},
      {{"q", "p", "cpu=50500m"},
       "queue q capability[cpu]=50500m exceeds its ancestor's capability=50"},
      // Names that schedulers do not count.
      {{"q", "p", "count/pods=100 limits.cpu=100"}, "allowed"},
  }));
  CAPTURE(c.node.parent, c.node.capability);
  CHECK(CreatedIn(tree, c.node) == c.told);
}

TEST_CASE("hierarchy: the worked cases of creation", "[admission_rules][queues]") {
  CHECK(CreatedIn({{"parent", "root", "cpu=10"}},
                  {"child-capability-exceeds-parent", "parent", "cpu=20"}) ==
        "queue child-capability-exceeds-parent capability[cpu]=20 exceeds its ancestor's "
        "capability=10");
  const std::vector<TreeQueue> siblings = {
      {"parent", "root", "", "cpu=8 memory=16Gi", "cpu=8 memory=16Gi"},
      {"sibling", "parent", "", "cpu=2 memory=4Gi", "cpu=2 memory=4Gi"}};
  CHECK(CreatedIn(siblings, {"new", "parent", "", "cpu=7 memory=14Gi", "cpu=7 memory=14Gi"}) ==
        "parent queue parent validation failed: sum of children's guarantee (cpu 9000.00, memory "
        "19327352832.00) exceeds parent's guarantee limit (cpu 8000.00, memory 17179869184.00)");
  CHECK(CreatedIn(siblings, {"new", "parent", "", "cpu=6 memory=12Gi", "cpu=6 memory=12Gi"}) ==
        "allowed");
  CHECK(CreatedIn(siblings, {"new", "parent", "", "", "cpu=7"}) ==
        "parent queue parent validation failed: sum of children's deserved (cpu 9000.00, memory "
        "4294967296.00) exceeds parent's deserved limit (cpu 8000.00, memory 17179869184.00)");
  // What the parent does not name, its children may not ask for, not even nothing of it.
  CHECK(CreatedIn(siblings, {"new", "parent", "", "", "nvidia.com/gpu=0"}) ==
        "parent queue parent validation failed: sum of children's deserved (cpu 2000.00, memory "
        "4294967296.00, nvidia.com/gpu 0.00) exceeds parent's deserved limit (cpu 8000.00, memory "
        "17179869184.00)");
  CHECK(CreatedIn({{"parent", "root"}}, {"new", "parent", "", "", "cpu=0 memory=0"}) == "allowed");
  CHECK(CreatedIn({{"root", ""}}, {"new", "root", "", "", "cpu=7"}) == "allowed");
  // A resource that siblings exceed already is told of before the new one's.
  CHECK(CreatedIn({{"parent", "root"}, {"a", "parent", "", "", "cpu=1"}}, {"new", "parent"}) ==
        "parent queue parent validation failed: sum of children's deserved (cpu 1000.00, memory "
        "0.00) exceeds parent's deserved limit (cpu 0.00, memory 0.00)");
}

TEST_CASE("hierarchy: the worked cases of updates", "[admission_rules][queues]") {
  const std::vector<TreeQueue> capability = {{"parent-queue-to-update", "root", "cpu=20"},
                                             {"child", "parent-queue-to-update", "cpu=12"}};
  CHECK(UpdatedIn(capability, {"parent-queue-to-update", "root", "cpu=10"}) ==
        "queue parent-queue-to-update capability[cpu]=10 is smaller than its descendants' max "
        "capability=12");
  CHECK(UpdatedIn(capability, {"parent-queue-to-update", "root", "cpu=12"}) == "allowed");
  const std::string parent_limits = "cpu=20 memory=40Gi";
  const std::vector<TreeQueue> guarantees = {
      {"parent-queue-to-update", "root", "", parent_limits, parent_limits},
      {"c1", "parent-queue-to-update", "", "cpu=8 memory=16Gi", "cpu=8 memory=16Gi"},
      {"c2", "parent-queue-to-update", "", "cpu=5 memory=10Gi", "cpu=5 memory=10Gi"}};
  CHECK(
      UpdatedIn(guarantees,
                {"parent-queue-to-update", "root", "", "cpu=10 memory=20Gi", parent_limits}) ==
      "queue parent-queue-to-update validation failed: sum of children's guarantee (cpu 13000.00, "
      "memory 27917287424.00) exceeds parent's guarantee limit (cpu 10000.00, memory "
      "21474836480.00)");
  // A queue without parent has children all the same.
  CHECK(UpdatedIn({{"q", "", "cpu=60"}, {"c", "q", "cpu=50"}}, {"q", "", "cpu=30"}) ==
        "queue q capability[cpu]=30 is smaller than its descendants' max capability=50");
  // Only what changed is looked at; the amounts of the tree may be wrong already.
  const std::vector<TreeQueue> wrong = {{"p", "root", "cpu=1"}, {"q", "p", "cpu=2"}};
  CHECK(UpdatedIn(wrong, {"q", "p", "cpu=2000m"}) == "allowed");
  CHECK(UpdatedIn(wrong, {"q", "p", "cpu=3"}) ==
        "queue q capability[cpu]=3 exceeds its ancestor's capability=1");
  // A parent that is gone is no matter until amounts change.
  CHECK(UpdatedIn({{"q", "gone", "cpu=1"}}, {"q", "gone", "cpu=1"}) == "allowed");
  CHECK(UpdatedIn({{"q", "gone", "cpu=1"}}, {"q", "gone", "cpu=2"}) ==
        "parent queue gone not found: queue.scheduling.volcano.sh \"gone\" not found");
  // The queue itself counts once, with its new amounts.
  const std::vector<TreeQueue> only = {{"p", "root", "", "", "cpu=4"}, {"q", "p", "", "", "cpu=3"}};
  CHECK(UpdatedIn(only, {"q", "p", "", "", "cpu=4"}) == "allowed");
}

TEST_CASE("hierarchy: capabilities of descendants", "[admission_rules][queues]") {
  const std::vector<TreeQueue> tree = {{"p", "root", "cpu=100"},       {"a", "p", "cpu=30"},
                                       {"b", "p", "cpu=20"},           {"bb", "b", "cpu=90"},
                                       {"c", "p", "nvidia.com/gpu=5"}, {"cc", "c", "cpu=25"}};
  struct Case {
    std::string capability, told;
  };
  const Case c = GENERATE(values<Case>({
      {"cpu=50", "allowed"},  // The largest counts, not the sum; b speaks for bb.
      {"cpu=30", "allowed"},
      {"cpu=29", "queue p capability[cpu]=29 is smaller than its descendants' max capability=30"},
      {"", "allowed"},
      {"memory=1", "allowed"},
      {"nvidia.com/gpu=4",
       "queue p capability[nvidia.com/gpu]=4000.00 is smaller than its descendants' max "
       "capability=5000.00"},
  }));
  CAPTURE(c.capability);
  CHECK(UpdatedIn(tree, {"p", "root", c.capability}) == c.told);
  // The middle one says nothing of cpu, so the grandchild counts.
  CHECK(UpdatedIn({{"p", "root", "cpu=30"}, {"c", "p"}, {"cc", "c", "cpu=25"}},
                  {"p", "root", "cpu=20"}) ==
        "queue p capability[cpu]=20 is smaller than its descendants' max capability=25");
}

TEST_CASE("hierarchy: circles among queues come to an end", "[admission_rules][queues]") {
  const std::vector<TreeQueue> circle = {
      {"a", "b", "cpu=1"}, {"b", "a", "cpu=9"}, {"self", "self"}};
  CHECK(UpdatedIn(circle, {"a", "b", "cpu=2"}) ==
        "queue a capability[cpu]=2 is smaller than its descendants' max capability=9");
  CHECK(UpdatedIn(circle, {"a", "b", "cpu=10"}) ==
        "queue a capability[cpu]=10 exceeds its ancestor's capability=9");
  CHECK(UpdatedIn(circle, {"self", "self", "cpu=2"}) == "allowed");
  CHECK(UpdatedIn(circle, {"b", "a", "", "", "cpu=1"}) ==
        "parent queue a validation failed: sum of children's deserved (cpu 1000.00, memory 0.00) "
        "exceeds parent's deserved limit (cpu 0.00, memory 0.00)");
}

TEST_CASE("hierarchy: ten thousand queues, wide and deep", "[admission_rules][queues]") {
  std::vector<TreeQueue> wide = {{"p", "root", "cpu=1000000", "", "cpu=10000"}};
  std::vector<TreeQueue> deep = {{"d0", "root", "cpu=1"}};
  for (int i = 1; i < 10'000; ++i) {
    wide.push_back({StrCat("w", i), "p", "cpu=1", "", "cpu=1"});
    deep.push_back({StrCat("d", i), StrCat("d", i - 1)});
  }
  CHECK(CreatedIn(wide, {"new", "p", "", "", "cpu=1"}) == "allowed");
  CHECK(CreatedIn(wide, {"new", "p", "", "", "cpu=2"}) ==
        "parent queue p validation failed: sum of children's deserved (cpu 10001000.00, memory "
        "0.00) exceeds parent's deserved limit (cpu 10000000.00, memory 0.00)");
  CHECK(UpdatedIn(deep, {"d9999", "d9998", "cpu=2"}) ==
        "queue d9999 capability[cpu]=2 exceeds its ancestor's capability=1");
  deep.back().capability = "cpu=2";
  CHECK(UpdatedIn(deep, {"d0", "root", "cpu=1500m"}) ==
        "queue d0 capability[cpu]=1500m is smaller than its descendants' max capability=2");
}

TEST_CASE("amounts: exact beyond what a double holds", "[admission_rules][queues]") {
  // Two of them are 2^64 thousandths and more; a limit that is one unit short is seen.
  const std::string huge = "nvidia.com/gpu=9223372036854775807";
  CHECK(CreatedIn({{"p", "root", "", "", huge}, {"a", "p", "", "", huge}},
                  {"b", "p", "", "", "nvidia.com/gpu=1"}) ==
        "parent queue p validation failed: sum of children's deserved (cpu 0.00, memory 0.00, "
        "nvidia.com/gpu 9223372036854775808000.00) exceeds parent's deserved limit (cpu 0.00, "
        "memory 0.00, nvidia.com/gpu 9223372036854775807000.00)");
  CHECK(AmountText("cpu", Amount{20000}) == "20");
  CHECK(AmountText("cpu", Amount{1500}) == "1500m");
  CHECK(AmountText("memory", Amount{55} << 30) == "55Gi");
  CHECK(AmountText("memory", Amount{1025}) == "1025");
  CHECK(AmountText("pods", Amount{10}) == "10.00");
  CHECK(AmountText("x/y", Amount{-5}) == "-5.00");
  CHECK(AmountsText({}) == "cpu 0.00, memory 0.00");
  CHECK(AmountsText({{"b/x", 2}, {"memory", 1}, {"a/x", 3}}) ==
        "cpu 0.00, memory 1.00, a/x 3.00, b/x 2.00");
}

}  // namespace
}  // namespace bth::admission
