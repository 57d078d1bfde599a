#include "cache/cluster/dimension_book.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "cache/cluster/vocabulary.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using ResourceNames = std::vector<std::string>;

constexpr int kFreeDims = model::kDims - model::kFixedDims;

NamedAmounts InventedAmounts(int count) {
  NamedAmounts out;
  for (int i = 0; i < count; ++i) out.emplace_back(StrCat("a.io/r", 100 + i), 1);
  return out;
}

const NamedAmounts kGpuAmount = {{"b.io/gpu", 8000}};

TEST_CASE("dimensions: what is asked for gets one while there is room", "[cache]") {
  DimensionBook book;
  book.Ask({{"a.io/x", 0}, {"cpu", 1}}, +1);
  CHECK_FALSE(book.unsettled());
  book.Ask(InventedAmounts(kFreeDims), +1);
  CHECK(book.unsettled());
  CHECK(book.Settle().size() == size_t{kFreeDims});
  CHECK(book.used() == model::kDims);
  book.Ask(kGpuAmount, +1);
  CHECK(book.Settle().empty());
  CHECK(book.FindUncounted({{"cpu", 1}, {"b.io/gpu", 1}}) == "b.io/gpu");
  CHECK_FALSE(book.FindUncounted({{"cpu", 1}, {"b.io/gpu", 0}}).has_value());
  CHECK(book.waiting() == 1);
}

TEST_CASE("dimensions: what no node offers leaves its place to what some node offers", "[cache]") {
  DimensionBook book;
  book.Ask(InventedAmounts(kFreeDims), +1);
  book.Settle();
  book.Offer(kGpuAmount, +1);
  CHECK_FALSE(book.unsettled());  // Nobody asks for it.
  book.Ask(kGpuAmount, +1);
  CHECK(book.Settle() == ResourceNames{"a.io/r100", "b.io/gpu"});
  CHECK_FALSE(book.FindUncounted(kGpuAmount).has_value());
  CHECK(book.waiting() == 1);
}

TEST_CASE("dimensions: among equals who came first stays", "[cache]") {
  DimensionBook book;
  book.Offer(InventedAmounts(kFreeDims), +1);
  book.Ask(InventedAmounts(kFreeDims), +1);
  book.Settle();
  book.Offer(kGpuAmount, +1);
  book.Ask(kGpuAmount, +1);
  CHECK(book.Settle().empty());
  CHECK(book.FindUncounted(kGpuAmount).has_value());
}

TEST_CASE("dimensions: the policy's resources go before all others", "[cache]") {
  DimensionBook book;
  book.Offer(InventedAmounts(kFreeDims), +1);
  book.Ask(InventedAmounts(kFreeDims), +1);
  book.Settle();
  book.Pin({"b.io/gpu", "cpu", "count/pods"});
  CHECK(book.Settle() == ResourceNames{"a.io/r100", "b.io/gpu"});
  book.Pin({});
  CHECK(book.Settle() == ResourceNames{"a.io/r100", "b.io/gpu"});
}

TEST_CASE("dimensions: the last to ask leaves room for the next name", "[cache]") {
  DimensionBook book;
  book.Ask(InventedAmounts(kFreeDims), +1);
  book.Ask(kGpuAmount, +1);
  book.Settle();
  book.Ask({{"a.io/r103", 1}}, +1);
  book.Ask({{"a.io/r103", 1}}, -1);
  CHECK_FALSE(book.unsettled());  // Another one asks for it still.
  book.Ask({{"a.io/r103", 1}}, -1);
  CHECK(book.Settle() == ResourceNames{"a.io/r103", "b.io/gpu"});
  CHECK(book.table().Find("b.io/gpu") == model::kFixedDims + 3);
  CHECK(book.waiting() == 0);
}

TEST_CASE("dimensions: one that nobody needs stays with its resource", "[cache]") {
  DimensionBook book;
  book.Ask(kGpuAmount, +1);
  book.Settle();
  const auto table = book.shared_table();
  for (int i = 0; i < 3; ++i) {
    book.Ask(kGpuAmount, -1);
    CHECK(book.Settle() == ResourceNames{"b.io/gpu"});
    CHECK_FALSE(book.Counts("b.io/gpu"));
    CHECK(book.used() == model::kFixedDims);
    book.Ask(kGpuAmount, +1);
    CHECK(book.Settle() == ResourceNames{"b.io/gpu"});
    CHECK(book.Counts("b.io/gpu"));
  }
  CHECK(book.shared_table() == table);
}

TEST_CASE("dimensions: a table that was given out does not change", "[cache]") {
  DimensionBook book;
  book.Ask(InventedAmounts(kFreeDims), +1);
  book.Settle();
  const auto before = book.shared_table();
  book.Offer(kGpuAmount, +1);
  book.Ask(kGpuAmount, +1);
  book.Settle();
  CHECK(before->name(model::kFixedDims) == "a.io/r100");
  CHECK(book.table().name(model::kFixedDims) == "b.io/gpu");
}

TEST_CASE("dimensions: names that nobody asks for and no node offers are forgotten", "[cache]") {
  DimensionBook book;
  for (int round = 0; round < 50; ++round) {
    NamedAmounts own;
    for (int i = 0; i < 40; ++i) own.emplace_back(StrCat("a.io/", round, "-", i), 1);
    book.Ask(own, +1);
    book.Settle();
    book.Ask(own, -1);
  }
  CHECK(book.names() == size_t{kFreeDims});
  CHECK(book.waiting() == 0);
  CHECK(book.used() == model::kFixedDims);
}

TEST_CASE("dimensions: starting over keeps the table and what the policy needs", "[cache]") {
  DimensionBook book;
  book.Pin({"p.io/x"});
  book.Offer(kGpuAmount, +1);
  book.Ask(kGpuAmount, +1);
  book.Settle();
  book.StartOver();
  CHECK(book.table().Find("b.io/gpu").has_value());
  CHECK(book.used() == model::kFixedDims + 1);
  book.Ask(InventedAmounts(kFreeDims - 1), +1);
  CHECK(book.Settle().size() ==
        size_t{kFreeDims});  // The GPU's goes to another, the pinned one stays.
  CHECK(book.table().Find("p.io/x").has_value());
}

TEST_CASE("vocabulary: use counts while somebody asks for the resource", "[cache]") {
  Vocabulary words;
  const NamedAmounts amounts = {{"cpu", 5}, {"b.io/gpu", 7}};
  words.dimensions().Ask(kGpuAmount, +1);
  words.dimensions().Settle();
  CHECK(words.Use(amounts)[model::kFixedDims] == 7);
  words.dimensions().Ask(kGpuAmount, -1);
  CHECK(words.Use(amounts)[model::kFixedDims] == 0);
  CHECK(words.Use(amounts)[model::kCpu] == 5);
}

TEST_CASE("vocabulary: amounts without a dimension are left out", "[cache]") {
  Vocabulary words;
  words.dimensions().Ask({{"a.io/x", 1}}, +1);
  words.dimensions().Settle();
  const model::ResourceVec amounts = words.Vector({{"cpu", 5}, {"a.io/x", 7}, {"b.io/last", 9}});
  CHECK(amounts[model::kCpu] == 5);
  CHECK(amounts[model::kFixedDims] == 7);
  CHECK(amounts.Positive() == ((1u << model::kCpu) | (1u << model::kFixedDims)));
  CHECK(words.Set({{"cpu", 0}}).Has(model::kCpu));
}

}  // namespace
}  // namespace bth::cache
