#include "tests/worlds/filter_twin.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace bth::test {
namespace {

std::optional<int64_t> NumberIn(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  errno = 0;
  const long long value = std::strtoll(text.c_str(), nullptr, 10);
  return errno == 0 ? std::optional<int64_t>(value) : std::nullopt;
}

bool IsAmong(const std::string& value, const std::vector<std::string>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool IsReadable(const NeedSpec& need) {
  if (need.op == "In" || need.op == "NotIn") return !need.values.empty();
  if (need.op == "Exists" || need.op == "DoesNotExist") return need.values.empty();
  return need.values.size() == 1 && NumberIn(need.values[0]).has_value();
}

bool IsReadableField(const NeedSpec& need) {
  return need.key == "metadata.name" && (need.op == "In" || need.op == "NotIn") &&
         need.values.size() == 1;
}

bool Meets(const FilterNode& node, const NeedSpec& need) {
  const auto label = node.labels.find(need.key);
  const bool there = label != node.labels.end();
  if (need.op == "Exists") return there;
  if (need.op == "DoesNotExist") return !there;
  if (need.op == "In") return there && IsAmong(label->second, need.values);
  if (need.op == "NotIn") return !there || !IsAmong(label->second, need.values);
  const std::optional<int64_t> mine = there ? NumberIn(label->second) : std::nullopt;
  const std::optional<int64_t> bound = NumberIn(need.values[0]);
  if (!mine || !bound) return false;
  return need.op == "Gt" ? *mine > *bound : *mine < *bound;
}

// A term that says nothing, or cannot be read, matches no node.
bool Meets(const FilterNode& node, const NodeTermSpec& term) {
  if (term.labels.empty() && term.fields.empty()) return false;
  for (const NeedSpec& need : term.labels) {
    if (!IsReadable(need) || !Meets(node, need)) return false;
  }
  for (const NeedSpec& need : term.fields) {
    if (!IsReadableField(need)) return false;
    if ((need.values[0] == node.name) != (need.op == "In")) return false;
  }
  return true;
}

bool MeetsAll(const FilterNode& node, const FilterPod& pod) {
  for (const auto& [key, value] : pod.selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  if (!pod.required) return true;
  return std::any_of(pod.required->begin(), pod.required->end(),
                     [&node](const NodeTermSpec& term) { return Meets(node, term); });
}

// Each term names nodes, and none that all its requirements name.
bool NamesContradict(const FilterPod& pod) {
  if (!pod.required || pod.required->empty()) return false;
  std::set<std::string> possible;
  for (const NodeTermSpec& term : *pod.required) {
    std::optional<std::set<std::string>> common;
    for (const NeedSpec& need : term.fields) {
      if (need.key != "metadata.name" || need.op != "In") continue;
      std::set<std::string> both;
      for (const std::string& name : need.values) {
        if (!common || common->contains(name)) both.insert(name);
      }
      common = both;
    }
    if (!common) return false;
    possible.insert(common->begin(), common->end());
  }
  return possible.empty();
}

bool Tolerates(const TolerationSpec& toleration, const TaintSpec& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

bool IsTolerated(const FilterPod& pod, const TaintSpec& taint) {
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                     [&taint](const TolerationSpec& t) { return Tolerates(t, taint); });
}

bool ToleratesTaintsOf(const FilterPod& pod, const FilterNode& node) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&pod](const TaintSpec& taint) {
    return taint.effect == "PreferNoSchedule" || IsTolerated(pod, taint);
  });
}

bool IsOfHost(const HostPortSpec& port) {
  return port.port > 0 && port.of != HostPortSpec::Of::kInitContainer;
}

bool Clash(const HostPortSpec& a, const HostPortSpec& b) {
  const auto everywhere = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; };
  const auto protocol = [](const std::string& word) { return word.empty() ? "TCP" : word; };
  return IsOfHost(a) && IsOfHost(b) && a.port == b.port &&
         protocol(a.protocol) == protocol(b.protocol) &&
         (everywhere(a.ip) || everywhere(b.ip) || a.ip == b.ip);
}

}  // namespace

FilterTwin::FilterTwin(const FilterWorld& world, const FilterSwitches& switches)
    : world_(world), switches_(switches) {
  for (const FilterPod& pod : world.pods) {
    pods_[pod.name] = &pod;
    const bool ended = pod.phase == "Succeeded" || pod.phase == "Failed";
    if (!pod.node.empty() && !ended) place_[pod.name] = pod.node;
  }
}

std::string FilterTwin::PlaceOf(const std::string& pod) const {
  const auto found = place_.find(pod);
  return found == place_.end() ? "" : found->second;
}

std::vector<const FilterPod*> FilterTwin::PodsOn(const std::string& node) const {
  std::vector<const FilterPod*> out;
  for (const auto& [pod, place] : place_) {
    if (place == node) out.push_back(pods_.at(pod));
  }
  return out;
}

bool FilterTwin::PortTaken(const FilterPod& pod, const std::string& node) const {
  for (const FilterPod* other : PodsOn(node)) {
    for (const HostPortSpec& theirs : other->ports) {
      for (const HostPortSpec& mine : pod.ports) {
        if (Clash(mine, theirs)) return true;
      }
    }
  }
  return false;
}

std::string FilterTwin::WhyNowhere(const FilterPod& pod) const {
  if (switches_.affinity && NamesContradict(pod)) {
    return "plugin NodeAffinity pre-predicates failed pod affinity terms conflict";
  }
  if (std::string why = WhyNoClaim(pod); switches_.binding && !why.empty()) {
    return "plugin VolumeBinding pre-predicates failed " + why;
  }
  if (std::string why = WhyNoZone(pod); switches_.zones && !why.empty()) {
    return "plugin VolumeZone pre-predicates failed " + why;
  }
  return switches_.limits ? WhyNoCount(pod) : "";
}

std::vector<std::string> FilterTwin::Reasons(const FilterPod& pod, const FilterNode& node) const {
  std::vector<std::string> out;
  const auto require = [&out](bool on, bool fits, const char* reason) {
    if (on && !fits) out.emplace_back(reason);
  };
  const TaintSpec cordon{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  require(true, static_cast<size_t>(node.pods) > PodsOn(node.name).size(),
          "node(s) pod number exceeded");
  require(true, !node.cordoned || IsTolerated(pod, cordon), "node(s) were unschedulable");
  require(switches_.affinity, MeetsAll(node, pod),
          "node(s) didn't match Pod's node affinity/selector");
  require(switches_.taints, ToleratesTaintsOf(pod, node), "node(s) had untolerated taint(s)");
  require(switches_.ports, !PortTaken(pod, node.name),
          "node(s) didn't have free ports for the requested pod ports");
  const bool disk_taken = DiskTaken(pod, node.name);
  require(switches_.restrictions, !disk_taken, "node(s) had no available disk");
  require(switches_.restrictions, disk_taken || !ClaimTaken(pod),
          "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod "
          "access mode");
  require(switches_.limits, WithinLimits(pod, node.name), "node(s) exceed max volume count");
  require(switches_.zones, InZone(pod, node), "node(s) had no available volume zone");
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace bth::test
