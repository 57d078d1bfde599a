#include "base/ids.h"

#include <tuple>
#include <vector>

#include "base/changed_rows.h"
#include "base/cow_vector.h"
#include "tests/support/catch.h"

namespace bth {
namespace {

using Id = StrongId<struct IdTestTag>;
using Column = CowVector<Id, int, 4>;

TEST_CASE("ids: a default id is invalid and in no container", "[base]") {
  IdVector<Id, int> vector(3, 7);
  CHECK_FALSE(Id().valid());
  CHECK_FALSE(vector.Contains(Id()));
  CHECK(Id(2) < Id());
}

TEST_CASE("id vector: grows by append and by need, and never shrinks", "[base]") {
  IdVector<Id, int> vector;
  CHECK(vector.Append(5) == Id(0));
  vector.EnsureContains(Id(3), 9);
  CHECK(vector.rows() == std::vector<int>{5, 9, 9, 9});
  vector.EnsureContains(Id(1), 1);
  CHECK(vector.size() == 4);
  CHECK(vector[Id(3)] == 9);
}

TEST_CASE("id range: iterates over a half-open run", "[base]") {
  std::vector<uint32_t> seen;
  for (Id id : IdRange<Id>(2, 5)) seen.push_back(id.value());
  CHECK(seen == std::vector<uint32_t>{2, 3, 4});
  CHECK(IdRange<Id>(2, 5).Offset(Id(4)) == 2);
  CHECK(IdRange<Id>().size() == 0);
}

TEST_CASE("cow vector: a write copies its own chunk and no other", "[base]") {
  Column a;
  a.Resize(10);
  for (Id id : a.ids()) a.Mutable(id) = static_cast<int>(id.value());
  Column b = a;
  for (size_t chunk = 0; chunk < a.chunk_count(); ++chunk) CHECK(a.SharesChunk(b, chunk));
  b.Mutable(Id(5)) = 50;
  CHECK(a[Id(5)] == 5);
  CHECK(b[Id(5)] == 50);
  CHECK(b[Id(4)] == 4);
  CHECK(a.SharesChunk(b, 0));
  CHECK_FALSE(a.SharesChunk(b, 1));
  CHECK(a.SharesChunk(b, 2));
  CHECK_FALSE(a.SharesChunk(b, 3));
}

TEST_CASE("cow vector: the next different chunk is found across pages", "[base]") {
  constexpr size_t kPageRows = Column::kPageChunks * Column::kRowsPerChunk;
  Column a;
  a.Resize(3 * kPageRows);
  Column b = a;
  const size_t chunks = a.chunk_count();
  CHECK(a.NextDifferentChunk(b, 0) == chunks);
  // One change in the second page, one in the last chunk of the third.
  b.Mutable(Id::FromIndex(kPageRows + 9)) = 1;
  b.Mutable(Id::FromIndex(3 * kPageRows - 1)) = 2;
  const size_t first = (kPageRows + 9) / Column::kRowsPerChunk;
  CHECK(a.NextDifferentChunk(b, 0) == first);
  CHECK(b.NextDifferentChunk(a, first) == first);
  CHECK(a.NextDifferentChunk(b, first + 1) == chunks - 1);
  CHECK(a.NextDifferentChunk(b, chunks) == chunks);
  CHECK(a[Id::FromIndex(kPageRows + 9)] == 0);
  CHECK(b[Id::FromIndex(kPageRows + 9)] == 1);
  // Rows that only one of them has differ.
  Column longer = a;
  longer.Resize(3 * kPageRows + 1);
  CHECK(a.NextDifferentChunk(longer, 0) == chunks);
  CHECK(longer.NextDifferentChunk(a, 0) == chunks);
  CHECK(longer.NextDifferentChunk(a, chunks + 1) == chunks + 1);
  longer.Resize(1);
  CHECK(longer.chunk_count() == 1);
  CHECK(longer.NextDifferentChunk(a, 0) == 0);
  CHECK(a[Id::FromIndex(3 * kPageRows - 1)] == 0);
}

TEST_CASE("changed rows: every row that differs is visited once, with both values", "[base]") {
  Column before;
  before.Resize(3 * Column::kRowsPerChunk + 5);
  before.Mutable(Id::FromIndex(7)) = 1;
  before.Mutable(Id::FromIndex(3 * Column::kRowsPerChunk + 4)) = 2;
  Column now = before;
  now.Mutable(Id::FromIndex(7)) = 3;
  now.Mutable(Id::FromIndex(8)) = 0;  // Written, and the same.
  now.Mutable(Id::FromIndex(Column::kRowsPerChunk)) = 4;
  using Change = std::tuple<size_t, int, int>;
  const auto changes = [](const Column& a, const Column& b) {
    std::vector<Change> out;
    ForDifferentRows(
        a, b, [&out](Id id, int old, int value) { out.emplace_back(id.index(), old, value); });
    return out;
  };
  const size_t second = Column::kRowsPerChunk;
  CHECK(changes(now, before) == std::vector<Change>{{second, 0, 4}, {7, 1, 3}});
  CHECK(changes(now, now).empty());
  // A row that one of the two does not have counts as empty.
  now.Resize(3 * Column::kRowsPerChunk);
  const size_t last = 3 * Column::kRowsPerChunk + 4;
  CHECK(changes(now, before) == std::vector<Change>{{second, 0, 4}, {7, 1, 3}, {last, 2, 0}});
  CHECK(changes(before, now) == std::vector<Change>{{second, 4, 0}, {7, 3, 1}, {last, 0, 2}});
}

TEST_CASE("cow vector: copies and writes in any order equal plain vectors", "[base][property]") {
  uint64_t state = 1;
  const auto below = [&state](uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % limit);
  };
  std::vector<Column> columns(4);
  std::vector<std::vector<int>> plain(4);
  for (int step = 0; step < 20'000; ++step) {
    const size_t at = below(4);
    const size_t what = below(20);
    if (what == 0) {
      const size_t from = below(4);
      columns[at] = columns[from];
      plain[at] = plain[from];
    } else if (what == 1) {
      const size_t size = below(800);
      columns[at].Resize(size);
      plain[at].resize(size);
    } else if (!plain[at].empty()) {
      const size_t row = below(plain[at].size());
      columns[at].Mutable(Id::FromIndex(row)) = step;
      plain[at][row] = step;
    }
    if (step % 97 != 0) continue;
    for (size_t c = 0; c < 4; ++c) {
      REQUIRE(columns[c].size() == plain[c].size());
      for (Id id : columns[c].ids()) REQUIRE(columns[c][id] == plain[c][id.index()]);
    }
  }
}

TEST_CASE("cow vector: a chunk that nobody shares is written in place", "[base]") {
  Column a;
  a.Resize(4);
  const int* rows = a.chunk_rows(0);
  a.Mutable(Id(1)) = 3;
  CHECK(a.chunk_rows(0) == rows);
  { const Column copy = a; }
  a.Mutable(Id(2)) = 3;
  CHECK(a.chunk_rows(0) == rows);
}

TEST_CASE("cow vector: rows beyond a smaller size come back as default rows", "[base]") {
  Column a;
  a.Resize(8);
  for (Id id : a.ids()) a.Mutable(id) = 1;
  const Column before = a;
  a.Resize(2);
  a.Resize(8);
  CHECK(a[Id(1)] == 1);
  for (uint32_t i = 2; i < 8; ++i) CHECK(a[Id(i)] == 0);
  for (uint32_t i = 0; i < 8; ++i) CHECK(before[Id(i)] == 1);
}

TEST_CASE("cow vector: moves and assignments keep both sides usable", "[base]") {
  Column a;
  a.Resize(5);
  a.Mutable(Id(4)) = 4;
  Column b = std::move(a);
  CHECK(b[Id(4)] == 4);
  Column c;
  c = b;
  b = Column();
  CHECK(b.empty());
  CHECK(c[Id(4)] == 4);
  c.EnsureContains(Id(8));
  CHECK(c.size() == 9);
}

}  // namespace
}  // namespace bth
