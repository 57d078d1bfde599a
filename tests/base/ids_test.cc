#include "base/ids.h"

#include <vector>

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
