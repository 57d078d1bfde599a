// Random clusters through whole cycles. The simulation itself checks the engine's invariants after
// each cycle; here come the claims about what a run shows as a whole.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "actions/builtin.h"
#include "base/rng.h"
#include "base/strings.h"
#include "conf/load.h"
#include "plugins/builtin.h"
#include "sim/short_form.h"
#include "sim/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::sim {
namespace {

using types::Json;

struct World {
  std::vector<Json> objects;
  std::string text;  // For messages of failures.
  // By PodGroup key. Zero where pods ask for nothing: while they wait they count as ready.
  std::map<std::string, int64_t> minimum;
};

void Add(World* world, const std::string& line) {
  auto objects = ExpandShortForm(line);
  INFO(line << ": " << objects.status().message());
  REQUIRE(objects.ok());
  for (Json& object : *objects) world->objects.push_back(std::move(object));
  StrAppend(&world->text, "- ", line, "\n");
}

World RandomWorld(Rng& rng) {
  const auto below = [&rng](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  World world;
  const int64_t nodes = 1 + below(6);
  for (int64_t n = 0; n < nodes; ++n) {
    Add(&world, StrCat("node n", n, " cpu=", 1 + below(8), " mem=", 1 + below(16),
                       "Gi pods=", 2 + below(10), " label.zone=z", below(2), " label.host=n", n,
                       below(4) == 0 ? " gpu=4" : "", below(8) == 0 ? " cordoned" : "",
                       below(6) == 0 ? " taint=k=v:NoSchedule" : ""));
  }
  const int64_t queues = 1 + below(3);
  for (int64_t q = 0; q < queues; ++q) {
    Add(&world, StrCat("queue q", q, " weight=", 1 + below(4), below(3) == 0 ? " cap.cpu=4" : "",
                       " prio=", below(2)));
  }
  Add(&world, "priority high value=100");
  const int64_t jobs = 1 + below(6);
  for (int64_t j = 0; j < jobs; ++j) {
    const int64_t tasks = 1 + below(6);
    const int64_t minimum = below(static_cast<uint64_t>(tasks) + 2);
    const std::string cpu = below(5) == 0 ? "" : StrCat(" cpu=", 500 * (1 + below(5)), "m");
    world.minimum[StrCat("default/j", j)] = cpu.empty() ? 0 : minimum;
    Add(&world,
        StrCat("job j", j, " queue=q", below(static_cast<uint64_t>(queues)), " min=", minimum,
               " created=", below(3), " tasks=", tasks, cpu, below(2) == 0 ? " mem=1Gi" : "",
               below(6) == 0 ? " gpu=1" : "", below(4) == 0 ? " prio=high" : "",
               below(5) == 0 ? " minres.cpu=3" : "", below(5) == 0 ? " select.zone=z0" : "",
               below(6) == 0 ? " tolerate=k" : "", below(8) == 0 ? " port=80" : "",
               below(3) > 0 ? StrCat(" label.app=a", below(2)) : "",
               below(8) == 0 ? " anti.host=app:a0" : "",
               below(8) == 0 ? " anti.zone=app:a1:50" : "",
               below(8) == 0 ? " affinity.zone=app:a1" : "",
               below(8) == 0 ? " spread.zone=app:a0" : "",
               below(8) == 0 ? " spread.host=app:a1:1:soft" : ""));
    if (below(3) == 0) {
      Add(&world, StrCat("pod j", j, "-old job=j", j, " cpu=500m node=n",
                         below(static_cast<uint64_t>(nodes)), below(2) == 0 ? " deleting" : ""));
    }
  }
  return world;
}

// The cycles of a run, as text.
Json::Array RunWorld(const World& world, bool reversed) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  std::vector<Json> objects = world.objects;
  if (reversed) std::reverse(objects.begin(), objects.end());
  Cluster cluster;
  for (const Json& object : objects) {
    REQUIRE(cluster.Add(object, "world", Cluster::Existing::kRefuse).ok());
  }
  std::vector<conf::Finding> findings;
  auto simulation = Simulation::Create(std::move(cluster),
                                       std::make_shared<const conf::Policy>(conf::DefaultPolicy()),
                                       registry, {.apply = true}, &findings);
  REQUIRE(simulation.ok());
  for (int cycle = 0; cycle < 4; ++cycle) {
    const absl::Status status = (*simulation)->RunCycle();
    INFO(status.message());
    REQUIRE(status.ok());
  }
  return (*simulation)->cycles();
}

std::string JobOf(const std::string& pod) {
  return pod.substr(0, pod.rfind('-'));
}

// A gang that had nothing before has its minimum afterwards, or still nothing.
void CheckGangs(const World& world, const Json::Array& cycles) {
  std::map<std::string, int64_t> bound;
  for (const Json& cycle : cycles) {
    for (const auto& [pod, node] : cycle["binds"].members()) ++bound[JobOf(pod)];
  }
  for (const Json& object : world.objects) {
    if (object["kind"].AsString() != "Pod" || object.At({"spec", "nodeName"}).is_null()) continue;
    const std::string name(object.At({"metadata", "name"}).AsString());
    const bool leaves = !object.At({"metadata", "deletionTimestamp"}).is_null();
    const std::string job = JobOf("default/" + name);
    if (!leaves && bound.contains(job)) ++bound[job];
  }
  for (const auto& [job, pods] : bound) {
    CAPTURE(world.text, job, pods);
    CHECK(pods >= world.minimum.at(job));
  }
}

TEST_CASE("simulation: random worlds keep the engine's rules", "[sim][property]") {
  test::ForEachSeed(120, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = RandomWorld(rng);
    const Json::Array cycles = RunWorld(world, false);
    CheckGangs(world, cycles);
    // Nothing new happens once nothing changes.
    CHECK(cycles[3]["binds"].empty());
  });
}

TEST_CASE("simulation: the order of objects changes nothing", "[sim][property]") {
  test::ForEachSeed(40, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = RandomWorld(rng);
    const std::string first = Json(RunWorld(world, false)).Dump();
    CHECK(Json(RunWorld(world, true)).Dump() == first);
  });
}

}  // namespace
}  // namespace bth::sim
