#include "framework/unschedulable/room_watch.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/framework/session_parts.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"
#include "tests/support/recording_sink.h"

namespace bth::framework {
namespace {

using Ports = std::vector<model::HostPort>;

// From 1 on; as many after that port.
Ports PortsAfter(int32_t first, int32_t count) {
  Ports ports;
  for (int32_t port = first + 1; port <= first + count; ++port) ports.push_back({.port = port});
  return ports;
}

Ports With(Ports ports, model::HostPort more) {
  ports.push_back(std::move(more));
  return ports;
}

TEST_CASE("room watch: a node counts when a host port came free", "[framework]") {
  const int32_t count = GENERATE(2, 500);  // Compared one by one, and by a set.
  struct Case {
    std::string name;
    Ports before, now;
    bool grown;
  };
  const Ports held = PortsAfter(0, count);
  const std::vector<Case> cases = {
      {"the same", held, held, false},
      {"in another order", held, Ports(held.rbegin(), held.rend()), false},
      {"one more", held, PortsAfter(0, count + 1), false},
      {"one less", PortsAfter(0, count + 1), held, true},
      {"another one", held, PortsAfter(1, count), true},
      {"of another protocol", With(held, {.protocol = 1, .port = 1}), With(held, {.port = 9000}),
       true},
      {"of another address", With(held, {.port = 1, .ip = "10.0.0.1"}),
       With(held, {.port = 1, .ip = "10.0.0.2"}), true},
      {"of the same address", With(held, {.port = 1, .ip = "10.0.0.1"}),
       With(held, {.port = 1, .ip = "10.0.0.1"}), false},
      {"all", held, {}, true},
      {"none was held", {}, held, false},
  };
  const test::World world = test::MakeWorld("node n cpu=1");
  const model::NodeId node = world.node("n");
  const auto snapshot = [&](const Ports& ports) {
    auto made = std::make_shared<model::Snapshot>(*world.snapshot);
    made->nodes.Mutable(node).ports =
        ports.empty() ? nullptr : std::make_shared<const Ports>(ports);
    return made;
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, count);
    SessionParts parts;
    test::RecordingSink sink;
    const Session session(parts.Context(snapshot(c.before), sink));
    NodeRoomWatch watch;
    watch.Remember(session);
    const NodeRoomWatch::Changes changes = watch.Compare(*snapshot(c.now), /*any_use=*/false);
    CHECK(changes.grown == (c.grown ? std::vector{node} : std::vector<model::NodeId>()));
    CHECK(changes.other.empty());
  }
}

}  // namespace
}  // namespace bth::framework
