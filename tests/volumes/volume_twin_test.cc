// The choice of volumes against a slow twin that follows Kubernetes' rules object by object.
#include <set>

#include "absl/strings/str_join.h"
#include "base/rng.h"
#include "base/strings.h"
#include "plugins/predicates/volume_book.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"
#include "tests/volumes/storage_world.h"

namespace bth::test {
namespace {

using plugins::predicates::ClaimFit;
using plugins::predicates::VolumeBook;
using types::PersistentVolume;
using types::PersistentVolumeClaim;

constexpr int kNodes = 5;
constexpr int kClaimCount = 9;
const char* const kClasses[] = {"local", "made", "roomy", "zonal"};

// What a pod was given: volume by claim, or "" when one is to be made.
using Given = std::map<std::string, std::string>;

int64_t Size(const types::ResourceList& list) {
  return list.Find("storage")->Value();
}

struct Answer {
  ClaimFit fit = ClaimFit::kFits;
  Given given;
};

// Objects, and what pods placed so far were given.
class Twin {
 public:
  explicit Twin(const StorageWorld& world) : world_(world) {}

  Answer Ask(const std::vector<std::string>& names, const std::string& node) const {
    Answer out;
    std::vector<std::string> pending;
    bool missing = false;
    for (const std::string& name : names) {
      const PersistentVolumeClaim& claim = world_.claims.at(name);
      if (claim.meta.annotations.Contains("pv.kubernetes.io/bind-completed")) {
        const auto volume = world_.volumes.find(claim.spec.volume_name);
        if (volume == world_.volumes.end()) {
          missing = true;
        } else if (!Reaches(volume->second, node)) {
          return {ClaimFit::kUnreachable, {}};
        }
      } else if (std::find(pending.begin(), pending.end(), name) == pending.end()) {
        pending.push_back(name);
      }
    }
    std::stable_sort(pending.begin(), pending.end(), [&](const auto& a, const auto& b) {
      return Size(world_.claims.at(a).spec.requests) < Size(world_.claims.at(b).spec.requests);
    });
    out.fit = AskPending(pending, node, &out.given);
    if (out.fit == ClaimFit::kFits && missing) out.fit = ClaimFit::kMissing;
    return out;
  }
  void Place(const std::string& pod, const std::string& node, Given given) {
    placed_[pod] = {node, std::move(given)};
  }
  void Remove(const std::string& pod) { placed_.erase(pod); }

 private:
  bool Reaches(const PersistentVolume& volume, const std::string& node) const {
    const auto& affinity = volume.spec.required_node_affinity;
    return !affinity || affinity->Matches(world_.node_labels.at(node), node);
  }
  // The claim that the volume belongs to: by its object, or by a pod placed.
  std::string OwnerOf(const PersistentVolume& volume) const {
    for (const auto& [pod, place] : placed_) {
      for (const auto& [claim, name] : place.second) {
        if (name == volume.meta.name) return claim;
      }
    }
    return volume.spec.claim_ref ? volume.spec.claim_ref->name : "";
  }
  std::string SelectedNode(const std::string& claim) const {
    for (const auto& [pod, place] : placed_) {
      const auto given = place.second.find(claim);
      if (given != place.second.end() && given->second.empty()) return place.first;
    }
    return std::string(
        world_.claims.at(claim).meta.Annotation("volume.kubernetes.io/selected-node"));
  }
  ClaimFit AskPending(const std::vector<std::string>& pending, const std::string& node,
                      Given* given) const {
    std::vector<std::string> to_make;
    std::vector<std::string> to_match;
    for (const std::string& name : pending) {
      const std::string selected = SelectedNode(name);
      if (!selected.empty() && selected != node) return ClaimFit::kNoVolume;
      (selected.empty() ? to_match : to_make).push_back(name);
    }
    std::set<std::string> chosen;
    for (const std::string& name : to_match) {
      const std::string volume = Match(world_.claims.at(name), node, chosen);
      if (volume.empty() && IsSettled(world_.claims.at(name))) return ClaimFit::kNoVolume;
      if (volume.empty()) {
        to_make.push_back(name);
      } else {
        chosen.insert(volume);
        (*given)[name] = volume;
      }
    }
    // In the order of sizes, as they are looked at.
    for (const std::string& name : pending) {
      if (std::find(to_make.begin(), to_make.end(), name) == to_make.end()) continue;
      const ClaimFit fit = Make(world_.claims.at(name), node);
      if (fit != ClaimFit::kFits) return fit;
      (*given)[name] = "";
    }
    return ClaimFit::kFits;
  }
  // Which volume the claim gets is out of the scheduler's hands.
  bool IsSettled(const PersistentVolumeClaim& claim) const {
    for (const auto& [pod, place] : placed_) {
      const auto given = place.second.find(claim.meta.name);
      if (given != place.second.end() && !given->second.empty()) return true;
    }
    for (const auto& [name, volume] : world_.volumes) {
      const auto& ref = volume.spec.claim_ref;
      if (ref && ref->name == claim.meta.name && !ref->uid.empty() && Serves(volume, claim)) {
        return true;
      }
    }
    return false;
  }
  static bool Serves(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
    return volume.spec.storage_class_name == claim.spec.storage_class_name.value_or("") &&
           Size(volume.spec.capacity) >= Size(claim.spec.requests) &&
           (volume.spec.volume_mode == "Block") == (claim.spec.volume_mode == "Block") &&
           SameAttributes(volume, claim) && !volume.meta.deletion_time;
  }
  static bool SameAttributes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
    return volume.spec.volume_attributes_class_name == claim.spec.volume_attributes_class_name;
  }
  std::string Match(const PersistentVolumeClaim& claim, const std::string& node,
                    const std::set<std::string>& chosen) const {
    const PersistentVolume* best = nullptr;
    const std::string claim_class = claim.spec.storage_class_name.value_or("");
    for (const auto& [name, volume] : world_.volumes) {
      if (chosen.contains(name) || volume.spec.storage_class_name != claim_class) continue;
      const std::string owner = OwnerOf(volume);
      if (!owner.empty() && owner != claim.meta.name) continue;
      if (Size(volume.spec.capacity) < Size(claim.spec.requests)) continue;
      if ((volume.spec.volume_mode == "Block") != (claim.spec.volume_mode == "Block")) continue;
      if (!SameAttributes(volume, claim)) continue;
      if (volume.meta.deletion_time) continue;
      if (!owner.empty()) return Reaches(volume, node) ? name : "";
    }
    for (const auto& [name, volume] : world_.volumes) {
      if (chosen.contains(name) || volume.spec.storage_class_name != claim_class) continue;
      if (!OwnerOf(volume).empty() || volume.phase != "Available" || volume.meta.deletion_time) {
        continue;
      }
      if (Size(volume.spec.capacity) < Size(claim.spec.requests)) continue;
      if ((volume.spec.volume_mode == "Block") != (claim.spec.volume_mode == "Block")) continue;
      if (!SameAttributes(volume, claim)) continue;
      if (claim.spec.selector && !claim.spec.selector->Matches(volume.meta.labels)) continue;
      if (!Reaches(volume, node)) continue;
      const std::set<std::string> modes(volume.spec.access_modes.begin(),
                                        volume.spec.access_modes.end());
      if (!std::all_of(claim.spec.access_modes.begin(), claim.spec.access_modes.end(),
                       [&modes](const std::string& mode) { return modes.contains(mode); })) {
        continue;
      }
      if (best == nullptr || Size(volume.spec.capacity) < Size(best->spec.capacity)) best = &volume;
    }
    return best == nullptr ? "" : best->meta.name;
  }
  ClaimFit Make(const PersistentVolumeClaim& claim, const std::string& node) const {
    const auto found = world_.classes.find(claim.spec.storage_class_name.value_or(""));
    if (found == world_.classes.end()) return ClaimFit::kNoVolume;
    const types::StorageClass& storage_class = found->second;
    if (storage_class.provisioner == "kubernetes.io/no-provisioner") return ClaimFit::kNoVolume;
    const types::LabelMap& labels = world_.node_labels.at(node);
    bool allowed = storage_class.allowed_topologies.empty();
    for (const auto& term : storage_class.allowed_topologies) {
      bool all = true;
      for (const auto& r : term.match_label_expressions) {
        const std::string* value = labels.Find(r.key);
        all &= value != nullptr &&
               std::find(r.values.begin(), r.values.end(), *value) != r.values.end();
      }
      allowed |= all;
    }
    if (!allowed) return ClaimFit::kNoVolume;
    const auto driver = world_.drivers.find(storage_class.provisioner);
    if (driver == world_.drivers.end() || !driver->second) return ClaimFit::kFits;
    for (const types::CsiStorageCapacity& row : world_.capacities) {
      const auto& limit = row.maximum_volume_size ? row.maximum_volume_size : row.capacity;
      if (row.storage_class_name == storage_class.meta.name && limit &&
          limit->Value() >= Size(claim.spec.requests) && row.node_topology &&
          row.node_topology->Matches(labels)) {
        return ClaimFit::kFits;
      }
    }
    return ClaimFit::kNoSpace;
  }

  const StorageWorld& world_;
  std::map<std::string, std::pair<std::string, Given>> placed_;  // Node and volumes by pod.
};

std::string Quoted(const char* key, const std::string& value) {
  return StrCat("\"", key, "\":\"", value, "\"");
}

// Mostly none, which is left out or written as empty.
std::string AttributesClass(Rng& rng) {
  if (rng.Chance(0.7)) return "";
  return StrCat(",", Quoted("volumeAttributesClassName", rng.Chance(0.7) ? "gold" : ""));
}

void AddVolumes(Rng& rng, StorageWorld* world) {
  for (int v = 0; v < 16; ++v) {
    const std::string name = StrCat("v", v);
    std::string spec =
        StrCat(R"("capacity":{"storage":")", rng.Between(1, 4), R"(Gi"},"accessModes":[)",
               rng.Chance(0.8) ? R"("ReadWriteOnce","ReadOnlyMany")" : R"("ReadOnlyMany")", "],",
               Quoted("storageClassName", kClasses[rng.Below(4)]),
               rng.Chance(0.1) ? R"(,"volumeMode":"Block")" : "");
    spec += AttributesClass(rng);
    const uint64_t place = rng.Below(4);
    const auto affinity = [&spec](const std::string& key, const std::string& op,
                                  const std::string& values) {
      StrAppend(&spec, R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[)",
                R"({"matchExpressions":[{"key":")", key, R"(","operator":")", op, R"(","values":[)",
                values, "]}]}]}}");
    };
    if (place == 0) affinity("host", "In", StrCat("\"n", rng.Below(kNodes), "\""));
    if (place == 1) affinity("zone", "In", rng.Chance(0.5) ? R"("a")" : R"("a","b")");
    if (place == 2) affinity("zone", "NotIn", R"("a")");
    std::string phase = rng.Chance(0.9) ? "Available" : "Released";
    if (rng.Chance(0.2)) {
      const uint64_t claim = rng.Below(kClaimCount);
      StrAppend(&spec, R"(,"claimRef":{"namespace":"ns","name":"c)", claim, R"(")",
                rng.Chance(0.5) ? StrCat(R"(,"uid":"u-c)", claim, R"(")") : "", "}");
    }
    world->Volume(StrCat(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{)",
                         Quoted("name", name), ",", Quoted("uid", "u-" + name),
                         R"(,"labels":{"tier":")", rng.Below(2), R"("})",
                         rng.Chance(0.05) ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "",
                         R"(},"spec":{)", spec, R"(},"status":{)", Quoted("phase", phase), "}}"));
  }
}

void AddClaims(Rng& rng, StorageWorld* world) {
  for (int c = 0; c < kClaimCount; ++c) {
    std::string annotations;
    std::string volume;
    if (rng.Chance(0.2)) {
      annotations = R"("pv.kubernetes.io/bind-completed":"yes")";
      volume = rng.Chance(0.9) ? StrCat("v", rng.Below(16)) : "gone";
    } else if (rng.Chance(0.15)) {
      annotations = StrCat(R"("volume.kubernetes.io/selected-node":"n)", rng.Below(kNodes), "\"");
    }
    world->Claim(StrCat(
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"ns","name":"c)",
        c, R"(","uid":"u-c)", c, R"(","annotations":{)", annotations, R"(}},"spec":{)",
        Quoted("storageClassName", kClasses[rng.Below(4)]), R"(,"accessModes":["ReadWriteOnce"],)",
        rng.Chance(0.2) ? R"("selector":{"matchLabels":{"tier":"1"}},)" : "",
        rng.Chance(0.1) ? R"("volumeMode":"Block",)" : "", Quoted("volumeName", volume),
        AttributesClass(rng), R"(,"resources":{"requests":{"storage":")", rng.Between(1, 3),
        R"(Gi"}}}})"));
  }
}

StorageWorld& Fill(Rng& rng, StorageWorld* world) {
  for (int n = 0; n < kNodes; ++n) {
    world->Node(StrCat("n", n), StrCat(R"("host":"n)", n, R"(","zone":")",
                                       n % 3 == 0   ? "a"
                                       : n % 3 == 1 ? "b"
                                                    : "c",
                                       "\""));
  }
  const auto add = [&](const std::string& name, const std::string& provisioner,
                       const std::string& more) {
    world->Class(StrCat(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass",)",
                        R"("metadata":{)", Quoted("name", name), "},",
                        Quoted("provisioner", provisioner), more,
                        R"(,"volumeBindingMode":"WaitForFirstConsumer"})"));
  };
  add("local", "kubernetes.io/no-provisioner", "");
  add("made", "x.io/made", "");
  add("roomy", "x.io/roomy", "");
  add("zonal", "x.io/made",
      R"(,"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["b","c"]}]}])");
  world->Driver("x.io/roomy", true);
  world->Driver("x.io/made", false);
  for (int k = 0; k < 3; ++k) {
    const std::string node = StrCat("n", rng.Below(kNodes));
    world->Capacity(StrCat(
        R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"namespace":"ns",)",
        R"("name":"k)", k, R"("},"storageClassName":"roomy","capacity":")", rng.Between(1, 3),
        R"(Gi")", rng.Chance(0.3) ? R"(,"maximumVolumeSize":"1Gi")" : "",
        rng.Chance(0.9) ? StrCat(R"(,"nodeTopology":{"matchLabels":{"host":")", node, R"("}})")
                        : "",
        "}"));
  }
  AddVolumes(rng, world);
  AddClaims(rng, world);
  return *world;
}

Given GivenBy(const VolumeBook& book, model::TaskId task) {
  Given out;
  const auto plan = book.PlanOf(task);
  if (plan == nullptr) return out;
  for (const auto& choice : plan->choices) out[choice.claim.substr(3)] = choice.volume;
  return out;
}

TEST_CASE("volume book: agrees with the slow twin and gives back bit for bit",
          "[volumes][property]") {
  int given = 0;
  ForEachSeed(150, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    StorageWorld objects;
    Fill(rng, &objects);
    std::map<std::string, std::vector<std::string>> claims_of;
    for (int p = 0; p < 6; ++p) {
      const std::string pod = StrCat("p", p);
      std::vector<std::string> uses;
      for (int64_t n = rng.Between(1, 3); n > 0; --n) {
        claims_of[pod].push_back(StrCat("c", rng.Below(kClaimCount)));
        uses.push_back(StorageWorld::Uses(claims_of[pod].back()));
      }
      objects.Pod(pod, absl::StrJoin(uses, ","));
    }
    PluginBed bed(Builtins(), MakePolicy("", "predicates"), objects.Publish());
    VolumeBook book(bed.session(), absl::Minutes(1));
    Twin twin(objects);
    std::map<std::string, uint64_t> before;  // Digest by pod placed, in order of placing.
    std::vector<std::string> placed;
    for (int step = 0; step < 30; ++step) {
      for (const auto& [pod, names] : claims_of) {
        if (before.contains(pod)) continue;
        for (const auto& [node, id] : bed.world().nodes) {
          CAPTURE(step, pod, node);
          CHECK(book.Fit(bed.world().task(pod), id) == twin.Ask(names, node).fit);
        }
      }
      const std::string pod = StrCat("p", rng.Below(6));
      if (before.contains(pod)) {
        // The last one goes first, as rollbacks do.
        const std::string last = placed.back();
        book.Remove(bed.world().task(last));
        twin.Remove(last);
        CHECK(book.DigestOf() == before.at(last));
        before.erase(last);
        placed.pop_back();
        continue;
      }
      const std::string node = StrCat("n", rng.Below(kNodes));
      const Answer answer = twin.Ask(claims_of[pod], node);
      if (answer.fit != ClaimFit::kFits) continue;
      before[pod] = book.DigestOf();
      placed.push_back(pod);
      book.Place(bed.world().task(pod), bed.world().node(node));
      twin.Place(pod, node, answer.given);
      CHECK(GivenBy(book, bed.world().task(pod)) == answer.given);
      given += static_cast<int>(answer.given.size());
    }
  });
  CHECK((FewSeeds() || given > 300));  // The worlds are not all refusals.
}

}  // namespace
}  // namespace bth::test
