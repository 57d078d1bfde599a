// Worlds so small in names that rules meet often.
#include "base/strings.h"
#include "tests/support/leave_out.h"
#include "tests/worlds/filter_world.h"
#include "tests/worlds/peer_specs.h"

namespace bth::test {
namespace {

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kOldZone[] = "failure-domain.beta.kubernetes.io/zone";
constexpr char kRegion[] = "topology.kubernetes.io/region";
constexpr char kOldRegion[] = "failure-domain.beta.kubernetes.io/region";
constexpr char kEbs[] = "ebs.csi.aws.com";
constexpr char kPd[] = "pd.csi.storage.gke.io";

const std::vector<std::string>& Effects() {
  static const auto* const kEffects =
      new std::vector<std::string>{"NoSchedule", "NoExecute", "PreferNoSchedule"};
  return *kEffects;
}

// Numbers among them that are none, or too great for one.
std::string RandomWord(Rng& rng) {
  return Pick(rng, {"a", "b", "5", "07", "7", "12", "9223372036854775808"});
}

std::string RandomNode(Rng& rng) {
  return StrCat("n", rng.Below(7));
}

// Now and then with more or fewer values than the operator takes.
NeedSpec RandomNeed(Rng& rng, bool field) {
  NeedSpec need;
  need.key = field ? "metadata.name" : Pick(rng, {"disk", "gen", "rack"});
  need.op = field ? Pick(rng, {"In", "In", "NotIn"})
                  : Pick(rng, {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  uint64_t values = need.op.find("Exist") != std::string::npos ? 0 : 1;
  if (need.op.ends_with("In") && !field) values = 1 + rng.Below(3);
  if (rng.Chance(0.05)) values = rng.Below(3);
  for (; values > 0; --values) {
    need.values.push_back(field ? RandomNode(rng) : RandomWord(rng));
  }
  if (field && rng.Chance(0.02)) need.op = "Exists";
  return need;
}

void AddNodeNeeds(Rng& rng, FilterPod* pod) {
  if (rng.Chance(0.15)) pod->selector["disk"] = RandomWord(rng);
  if (rng.Chance(0.05)) pod->selector["gen"] = RandomWord(rng);
  if (rng.Chance(0.5)) return;
  pod->required.emplace();
  for (uint64_t t = rng.Chance(0.05) ? 0 : 1 + rng.Below(3); t > 0; --t) {
    NodeTermSpec term;
    for (uint64_t n = rng.Below(3); n > 0; --n) term.labels.push_back(RandomNeed(rng, false));
    if (rng.Chance(0.3)) {
      for (uint64_t n = 1 + rng.Below(2); n > 0; --n) term.fields.push_back(RandomNeed(rng, true));
    }
    pod->required->push_back(term);
  }
}

TolerationSpec RandomToleration(Rng& rng) {
  TolerationSpec out;
  out.key = Pick(rng, {"k", "k", "l", "", "node.kubernetes.io/unschedulable"});
  out.op = Pick(rng, {"", "Equal", "Equal", "Exists", "Exists", "Lt", "Gt"});
  out.value = Pick(rng, {"", "5", "v"});
  if (rng.Chance(0.5)) out.effect = Pick(rng, Effects());
  return out;
}

void AddPorts(Rng& rng, FilterPod* pod) {
  for (uint64_t p = rng.Chance(0.6) ? 1 + rng.Below(2) : 0; p > 0; --p) {
    HostPortSpec port;
    port.port = rng.Chance(0.1) ? 0 : static_cast<int32_t>(80 + rng.Below(2));
    port.protocol = Pick(rng, {"", "TCP", "UDP", "SCTP"});
    port.ip = Pick(rng, {"", "0.0.0.0", "10.0.0.1", "10.0.0.2", "::"});
    using Of = HostPortSpec::Of;
    constexpr Of kPlaces[] = {Of::kContainer, Of::kContainer, Of::kSidecar, Of::kInitContainer};
    port.of = kPlaces[rng.Below(4)];
    pod->ports.push_back(port);
  }
}

void AddMounts(Rng& rng, FilterPod* pod, FilterWorld* world) {
  using Source = MountSpec::Source;
  constexpr Source kSources[] = {Source::kClaim, Source::kClaim, Source::kClaim, Source::kEphemeral,
                                 Source::kGce,   Source::kAws,   Source::kIscsi, Source::kRbd};
  for (uint64_t v = 1 + rng.Below(3); v > 0; --v) {
    MountSpec mount;
    mount.name = StrCat("v", v);
    mount.source = kSources[rng.Below(8)];
    mount.id = StrCat("d", rng.Below(3));
    mount.read_only = rng.Chance(0.4);
    if (mount.source == Source::kClaim)
      mount.id = StrCat("c", rng.Below(rng.Chance(0.02) ? 12 : 9));
    if (mount.source == Source::kRbd) {
      mount.monitors = {Pick(rng, {"m1", "m2"})};
      if (rng.Chance(0.5)) mount.monitors.push_back(Pick(rng, {"m1", "m3"}));
      mount.pool = Pick(rng, {"", "rbd", "other"});
    }
    if (mount.source == Source::kEphemeral && rng.Chance(0.95)) {
      FilterClaim claim{
          .name = StrCat(pod->name, "-", mount.name), .volume = "", .phase = "Pending"};
      claim.storage_class = Pick(rng, {"late", "late", "late", "at-once"});
      claim.owner = rng.Chance(0.95) ? pod->name : "somebody";
      claim.modes = {"ReadWriteOnce"};
      world->claims.push_back(claim);
    }
    pod->mounts.push_back(mount);
  }
}

// What makes two pods that are alike differ, as far as a filter can tell.
void ChangeOneWord(Rng& rng, FilterPod* pod) {
  const auto any = [&rng](auto& list) -> auto& {
    return list[rng.Below(list.size())];
  };
  if (!pod->tolerations.empty() && rng.Chance(0.4)) {
    const TolerationSpec other = RandomToleration(rng);
    TolerationSpec& one = any(pod->tolerations);
    std::string* const words[] = {&one.key, &one.op, &one.value, &one.effect};
    const std::string fresh[] = {other.key, other.op, other.value, other.effect};
    const uint64_t which = rng.Below(4);
    *words[which] = fresh[which];
  } else if (!pod->ports.empty() && rng.Chance(0.5)) {
    HostPortSpec& one = any(pod->ports);
    if (rng.Chance(0.5)) one.protocol = Pick(rng, {"TCP", "UDP", "SCTP"});
    if (rng.Chance(0.5)) one.ip = Pick(rng, {"", "10.0.0.1", "10.0.0.2"});
  } else if (!pod->mounts.empty() && rng.Chance(0.5)) {
    any(pod->mounts).read_only = rng.Chance(0.5);
  } else if (pod->required && !pod->required->empty()) {
    NodeTermSpec& term = any(*pod->required);
    if (!term.labels.empty()) any(term.labels) = RandomNeed(rng, false);
  }
}

FilterPod RandomFilterPod(Rng& rng, const std::string& name, FilterWorld* world) {
  FilterPod pod;
  const bool alike = !world->pods.empty() && rng.Chance(0.3);
  if (alike) {
    pod = world->pods[rng.Below(world->pods.size())];
    ChangeOneWord(rng, &pod);
    pod.node.clear();
    pod.phase = "Pending";
    pod.deleting = pod.foreign = false;
  }
  pod.name = name;
  if (rng.Chance(0.5)) {
    pod.node = RandomNode(rng);
    pod.phase =
        Pick(rng, {"Pending", "Running", "Running", "Running", "Succeeded", "Failed", "Unknown"});
    pod.foreign = rng.Chance(0.3);
    pod.deleting = rng.Chance(0.2);
  }
  if (alike) return pod;
  AddNodeNeeds(rng, &pod);
  for (uint64_t t = rng.Below(4); t > 0; --t) pod.tolerations.push_back(RandomToleration(rng));
  AddPorts(rng, &pod);
  if (rng.Chance(0.6)) AddMounts(rng, &pod, world);
  return pod;
}

FilterNode RandomFilterNode(Rng& rng, const std::string& name) {
  FilterNode node;
  node.name = name;
  node.cordoned = rng.Chance(0.15);
  node.pods = static_cast<int32_t>(rng.Below(5));
  for (const char* key : {"disk", "gen", "rack"}) {
    if (rng.Chance(0.6)) node.labels[key] = RandomWord(rng);
  }
  for (const char* key : {kZone, kOldZone, kRegion, kOldRegion}) {
    if (rng.Chance(0.4)) node.labels[key] = Pick(rng, {"a", "b"});
  }
  for (uint64_t t = rng.Chance(0.4) ? 1 + rng.Below(2) : 0; t > 0; --t) {
    node.taints.push_back({Pick(rng, {"k", "l"}), Pick(rng, {"", "5", "v"}), Pick(rng, Effects())});
  }
  return node;
}

void AddVolumes(Rng& rng, FilterWorld* world) {
  for (int v = 0; v < 7; ++v) {
    FilterVolume volume;
    volume.name = StrCat("pv", v);
    using Source = FilterVolume::Source;
    constexpr Source kSources[] = {Source::kCsi, Source::kCsi, Source::kGce, Source::kAws,
                                   Source::kOther};
    volume.source = kSources[rng.Below(5)];
    volume.driver = Pick(rng, {"x.io", kEbs});
    volume.handle = StrCat("h", rng.Below(3));
    for (const char* key : {kZone, kOldZone, kRegion, kOldRegion}) {
      if (rng.Chance(0.15)) volume.labels[key] = Pick(rng, {"a", "b", "a__b", "b__c", "a____b"});
    }
    world->volumes.push_back(volume);
  }
  for (int c = 0; c < 9; ++c) {
    FilterClaim claim;
    claim.name = StrCat("c", c);
    claim.storage_class = Pick(rng, {"late", "late", "ebs", "none", "", "gone", "at-once"});
    claim.modes = {Pick(rng, {"ReadWriteOnce", "ReadWriteOnce", "ReadWriteOncePod"})};
    claim.phase = "Pending";
    if (rng.Chance(0.6)) {
      claim.volume = rng.Chance(0.95) ? StrCat("pv", rng.Below(7)) : "lost";
      claim.bind_completed = rng.Chance(0.95);
      claim.phase = "Bound";
    } else if (rng.Chance(0.7)) {
      claim.storage_class = "late";
    }
    if (rng.Chance(0.02)) claim.phase = "Lost";
    claim.deleting = rng.Chance(0.02);
    world->claims.push_back(claim);
  }
  world->classes = {{"late", "x.io", true},
                    {"at-once", "x.io", false},
                    {"ebs", "kubernetes.io/aws-ebs", true},
                    {"none", "kubernetes.io/no-provisioner", true}};
}

void AddAttached(Rng& rng, FilterWorld* world) {
  for (const FilterNode& node : world->nodes) {
    if (rng.Chance(0.2)) continue;
    CsiNodeSpec csi{.node = node.name, .drivers = {}, .migrated = ""};
    for (const char* driver : {"x.io", kEbs, kPd}) {
      if (rng.Chance(0.3)) continue;
      csi.drivers.emplace_back(driver, std::nullopt);
      if (rng.Chance(0.8)) csi.drivers.back().second = static_cast<int32_t>(rng.Below(4));
    }
    csi.migrated = Pick(rng, {"", "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd",
                              "kubernetes.io/aws-ebs, kubernetes.io/gce-pd"});
    world->csi_nodes.push_back(csi);
  }
  for (const FilterNode& node : world->nodes) {
    if (rng.Chance(0.3)) world->attachments.push_back({node.name, StrCat("pv", rng.Below(8))});
  }
}

// What a failure does not need goes, part by part.
void LeaveOutOf(FilterWorld* world) {
  const auto words = [](const auto& part) { return JsonOf(part); };
  const auto place = [](const auto&) { return ""; };
  for (FilterPod& pod : world->pods) {
    LeaveOut(&pod.tolerations, pod.name + ".toleration", place);
    LeaveOut(&pod.ports, pod.name + ".port", place);
    LeaveOut(&pod.mounts, pod.name + ".mount", place);
    if (!pod.required) continue;
    for (size_t t = 0; t < pod.required->size(); ++t) {
      LeaveOut(&(*pod.required)[t].labels, StrCat(pod.name, ".term", t, ".label"), place);
      LeaveOut(&(*pod.required)[t].fields, StrCat(pod.name, ".term", t, ".field"), place);
    }
    LeaveOut(&*pod.required, pod.name + ".term", place);
  }
  for (FilterNode& node : world->nodes) LeaveOut(&node.taints, node.name + ".taint", place);
  LeaveOut(&world->nodes, "node", words);
  LeaveOut(&world->pods, "pod", words);
  LeaveOut(&world->csi_nodes, "csinode", words);
  LeaveOut(&world->volumes, "volume", words);
  LeaveOut(&world->claims, "claim", words);
  LeaveOut(&world->classes, "class", words);
  LeaveOut(&world->attachments, "attachment", words);
}

}  // namespace

FilterWorld RandomFilterWorld(Rng& rng) {
  FilterWorld world;
  for (uint64_t n = 1 + rng.Below(7); n > 0; --n) {
    world.nodes.push_back(RandomFilterNode(rng, StrCat("n", n - 1)));
  }
  AddVolumes(rng, &world);
  AddAttached(rng, &world);
  for (uint64_t p = 1 + rng.Below(14); p > 0; --p) {
    FilterPod pod = RandomFilterPod(rng, StrCat("p", p - 1), &world);
    world.pods.push_back(std::move(pod));
  }
  LeaveOutOf(&world);
  return world;
}

}  // namespace bth::test
