#include "framework/nodes/room_columns.h"

#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

using framework::RoomColumns;
using model::NodeRange;
using model::ResourceVec;

std::vector<uint8_t> Idle(const RoomColumns& columns, const ResourceVec& request, size_t nodes) {
  std::vector<uint8_t> out(nodes);
  columns.FitsIdle(request, NodeRange(0, nodes), absl::MakeSpan(out));
  return out;
}

std::vector<uint8_t> Future(const RoomColumns& columns, const ResourceVec& request, size_t nodes) {
  std::vector<uint8_t> out(nodes);
  columns.FitsFuture(request, NodeRange(0, nodes), absl::MakeSpan(out));
  return out;
}

TEST_CASE("room columns: only what is requested must fit, overcommitted or not", "[framework]") {
  const framework::Registry none;
  PluginBed bed(none, conf::Policy(),
                MakeWorld("node n0 cpu=2 mem=1Gi; node n1 cpu=4 mem=1Gi; job a;"
                          "task h job=a cpu=3 mem=2Gi node=n1; task p job=a cpu=1"));
  RoomColumns columns(bed.session());
  ResourceVec request;
  CHECK_FALSE(columns.Covers(request));  // Nothing was read yet.
  columns.CatchUp();
  REQUIRE(columns.Covers(request));
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{1, 1});
  request[model::kCpu] = 1000;
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{1, 1});
  request[model::kCpu] = 1001;
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{1, 0});
  request[model::kCpu] = 1;
  request[model::kMemory] = 1;
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{1, 0});
  request[model::kMemory] = int64_t{1} << 61;
  CHECK(columns.Covers(request));
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{0, 0});
  request[model::kMemory] += 1;
  CHECK_FALSE(columns.Covers(request));
}

TEST_CASE("room columns: they follow what is placed, pipelined and evicted", "[framework]") {
  const framework::Registry none;
  PluginBed bed(none, conf::Policy(),
                MakeWorld("node n0 cpu=2; node n1 cpu=2; job a; task h job=a cpu=2 node=n0;"
                          "task p job=a cpu=1; task q job=a cpu=2"));
  const World& world = bed.world();
  ResourceVec request;
  request[model::kCpu] = 1000;
  RoomColumns columns(bed.session());
  columns.CatchUp();
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{0, 1});
  framework::Statement statement(bed.session(), "test");
  statement.Evict(world.task("h"), world.task("p"));
  CHECK_FALSE(columns.Covers(request));  // Stale.
  columns.CatchUp();
  REQUIRE(columns.Covers(request));
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{0, 1});
  CHECK(Future(columns, request, 2) == std::vector<uint8_t>{1, 1});
  statement.Pipeline(world.task("q"), world.node("n0"), true);
  statement.Allocate(world.task("p"), world.node("n1"));
  columns.CatchUp();
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{0, 1});
  CHECK(Future(columns, request, 2) == std::vector<uint8_t>{0, 1});
  statement.RollbackTo({});
  columns.CatchUp();
  CHECK(Idle(columns, request, 2) == std::vector<uint8_t>{0, 1});
  CHECK(Future(columns, request, 2) == std::vector<uint8_t>{0, 1});
}

}  // namespace
}  // namespace bth::test
