// A cluster that changed step by step must look to the engine like one that was always so.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "actions/builtin.h"
#include "base/rng.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/report/figures.h"
#include "plugins/builtin.h"
#include "sim/short_form.h"
#include "sim/simulation.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::sim {
namespace {

using types::Json;
using Objects = std::map<std::pair<std::string, std::string>, Json>;  // By kind and key.

framework::Registry Builtins() {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  return registry;
}

std::unique_ptr<Simulation> Start(const Objects& objects, const framework::Registry& registry) {
  Cluster cluster;
  for (const auto& [name, object] : objects) {
    REQUIRE(cluster.Add(object, "test", Cluster::Existing::kRefuse).ok());
  }
  std::vector<conf::Finding> findings;
  auto out = Simulation::Create(std::move(cluster),
                                std::make_shared<const conf::Policy>(conf::DefaultPolicy()),
                                registry, {}, &findings);
  REQUIRE(out.ok());
  return *std::move(out);
}

// One line, or manifest, about a random object of a small set of names, so that most lines are
// updates.
std::pair<std::string, std::string> RandomLine(Rng& rng) {
  const auto below = [&rng](uint64_t n) { return static_cast<int64_t>(rng.Below(n)); };
  const auto maybe = [&rng](uint64_t one_in, std::string text) {
    return rng.Below(one_in) == 0 ? text : std::string();
  };
  std::string line;
  switch (below(11)) {
    case 0:
    case 1: {
      const std::string name = StrCat("n", below(4));
      line = StrCat("node ", name, " cpu=", 1 + below(6), " mem=", 1 + below(8),
                    "Gi pods=", 2 + below(6));
      line += maybe(3, " gpu=2");
      line += maybe(4, " res.example.com/x=3");
      line += maybe(4, " cordoned");
      line += maybe(4, " taint=k=v:NoSchedule");
      line += maybe(2, " label.zone=z0");
      line += maybe(2, StrCat(" label.kubernetes.io/hostname=", name));
      return {name, line};
    }
    case 2: {
      const std::string name = StrCat("q", below(3));
      line = StrCat("queue ", name, " weight=", 1 + below(3));
      line += maybe(3, " cap.cpu=3");
      line += maybe(4, " state=Closed");
      line += maybe(4, " guarantee.cpu=1");
      return {name, line};
    }
    case 3: {
      line = StrCat("priority p0 value=", below(100));
      line += maybe(3, " default");
      return {"p0", line};
    }
    case 4:
    case 5: {
      const std::string name = StrCat("j", below(4));
      line = StrCat("job ", name, " queue=q", below(3), " min=", below(4), " created=", below(3));
      line += maybe(3, " prio=p0");
      line += maybe(3, " group.g=1:1:part");
      line += maybe(4, " roles=w:1");
      line += maybe(4, " minres.cpu=2");
      line += maybe(4, " phase=Inqueue");
      return {"default/" + name, line};
    }
    case 6: {
      const std::string name = StrCat("s", below(2));
      line =
          StrCat(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")", name,
                 R"(","namespace":"default"},"spec":{"selector":{"part":")", below(2), R"("}}})");
      return {"default/" + name, line};
    }
    default: {
      const std::string name = StrCat("t", below(10));
      line = StrCat("pod ", name, " job=j", below(5), " created=", below(3), " prio=", below(3));
      if (below(5) > 0) StrAppend(&line, " cpu=", 500 * (1 + below(4)), "m");
      line += maybe(3, " mem=1Gi");
      line += maybe(5, " gpu=1");
      line += maybe(5, " res.example.com/x=1");
      line += maybe(3, StrCat(" node=n", below(5)));
      line += maybe(6, " phase=Succeeded");
      line += maybe(8, " deleting");
      line += maybe(5, " role=w");
      line += maybe(3, StrCat(" label.part=", below(2)));
      line += maybe(6, " port=80");
      line += maybe(8, " gate=g");
      line += maybe(6, " select.zone=z0");
      line += maybe(8, " scheduler=other");
      line += maybe(8, StrCat(" nominated=n", below(4)));
      return {"default/" + name, line};
    }
  }
}

Json MakeObject(const std::string& line, Rng& rng) {
  absl::StatusOr<std::vector<Json>> objects;
  if (line[0] == '{') {
    objects = std::vector<Json>{*Json::Parse(line)};
  } else {
    objects = ExpandShortForm(line);
  }
  INFO(line << ": " << objects.status().message());
  REQUIRE(objects.ok());
  Json object = objects->front();
  // Now and then the same name is another object.
  object["metadata"].Set(
      "uid", Json(StrCat(object["kind"].AsString(), "-", object["metadata"]["name"].AsString(), "-",
                         rng.Below(4) == 0 ? 1 : 0)));
  if (object["metadata"]["creationTimestamp"].is_null()) {
    object["metadata"].Set("creationTimestamp", Json("2026-01-01T00:00:00Z"));
  }
  return object;
}

std::string ShortKind(const std::string& line) {
  if (line[0] == '{') return "service";
  const std::string word = line.substr(0, line.find(' '));
  return word == "job" ? "podgroup" : word == "priority" ? "priorityclass" : word;
}

// The lines of each that the other lacks, but for figures that are as old as the words.
std::string Difference(const std::string& changed, const std::string& fresh) {
  const std::string a = framework::WithoutFigures(changed);
  const std::string b = framework::WithoutFigures(fresh);
  if (a == b) return "";
  std::map<std::string, int> count;
  for (absl::string_view line : absl::StrSplit(a, '\n')) ++count[std::string(line)];
  for (absl::string_view line : absl::StrSplit(b, '\n')) --count[std::string(line)];
  std::string out = "order of lines differs\n";
  for (const auto& [line, surplus] : count) {
    if (surplus != 0) StrAppend(&out, surplus > 0 ? "changed: " : "fresh: ", line, "\n");
  }
  return out;
}

std::string LastCycle(Simulation& simulation) {
  const absl::Status status = simulation.RunCycle();
  INFO(status.message());
  REQUIRE(status.ok());
  Json cycle = simulation.cycles().back();
  cycle.Erase("cycle");
  return cycle.Pretty();
}

TEST_CASE("simulation: changed step by step equals given at once", "[sim][property]") {
  const framework::Registry registry = Builtins();
  test::ForEachSeed(60, [&](uint64_t seed) {
    Rng rng(seed);
    Objects objects;
    std::string story;
    std::unique_ptr<Simulation> changed = Start(objects, registry);
    for (int step = 0; step < 60; ++step) {
      const auto [name, line] = RandomLine(rng);
      const std::string kind = ShortKind(line);
      const bool known = objects.contains({kind, name});
      if (known && rng.Below(4) == 0) {
        StrAppend(&story, "delete ", kind, " ", name, "\n");
        REQUIRE(changed->Delete(kind, name).ok());
        objects.erase({kind, name});
      } else {
        Json object = MakeObject(line, rng);
        StrAppend(&story, line, " ", object["metadata"]["uid"].AsString(), "\n");
        REQUIRE(changed->Add(object, "test").ok());
        objects[{kind, name}] = std::move(object);
      }
      if (rng.Below(3) != 0) continue;
      StrAppend(&story, "cycle\n");
      const std::string now = LastCycle(*changed);
      std::unique_ptr<Simulation> fresh = Start(objects, registry);
      const std::string expected = LastCycle(*fresh);
      CAPTURE(seed, story);
      REQUIRE(Difference(now, expected) == "");
    }
  });
}

}  // namespace
}  // namespace bth::sim
