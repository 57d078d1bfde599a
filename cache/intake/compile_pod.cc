#include <algorithm>

#include "api/model/taints.h"
#include "api/types/codec.h"
#include "api/types/pod_requests.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/intake/compile_devices.h"
#include "cache/intake/compile_extras.h"
#include "cache/intake/compile_numa.h"
#include "cache/intake/compile_peer_terms.h"
#include "cache/intake/compile_selectors.h"
#include "cache/intake/compile_terms.h"
#include "cache/intake/compile_volumes.h"
#include "cache/intake/revocable.h"
#include "cache/intake/single_pod.h"
#include "cache/intake/whole_number.h"
#include "conf/arguments.h"
#include "devices/read.h"

namespace bth::cache {
namespace {

using model::PodConstraints;
using model::TaskStatus;

constexpr std::string_view kGroupAnnotation = "scheduling.k8s.io/group-name";
constexpr std::string_view kTaskSpec = "volcano.sh/task-spec";
constexpr std::string_view kTaskPriority = "volcano.sh/task-priority";
constexpr std::string_view kCooldownTime = "volcano.sh/cooldown-time";
constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";
constexpr absl::Duration kGraceMax = absl::Hours(24 * 365);

TaskStatus StatusOf(const types::Pod& pod) {
  const std::string& phase = pod.status.phase;
  const bool deleted = pod.meta.deletion_time.has_value();
  if (phase == "Running") return deleted ? TaskStatus::kReleasing : TaskStatus::kRunning;
  if (phase == "Pending") {
    if (deleted) return TaskStatus::kReleasing;
    return pod.spec.node_name.empty() ? TaskStatus::kPending : TaskStatus::kBound;
  }
  if (phase == "Succeeded") return TaskStatus::kSucceeded;
  if (phase == "Failed") return TaskStatus::kFailed;
  return TaskStatus::kUnknown;
}

// Of names like job-task-3: the 3.
std::optional<int64_t> IndexOf(std::string_view name) {
  if (std::count(name.begin(), name.end(), '-') < 2) return std::nullopt;
  return WholeNumber(name.substr(name.rfind('-') + 1));
}

std::string_view AnnotationOrLabel(const types::ObjectMeta& meta, std::string_view key) {
  const std::string_view annotation = meta.Annotation(key);
  return annotation.empty() ? meta.Label(key) : annotation;
}

std::optional<model::TaintEffect> ToleratedEffectOf(std::string_view effect) {
  if (effect == "NoSchedule") return model::TaintEffect::kNoSchedule;
  if (effect == "PreferNoSchedule") return model::TaintEffect::kPreferNoSchedule;
  if (effect == "NoExecute") return model::TaintEffect::kNoExecute;
  return std::nullopt;
}

model::Toleration CompileToleration(const types::Toleration& in, SymbolHold& symbols) {
  model::Toleration out;
  if (!in.key.empty()) out.key = symbols.Intern(in.key);
  out.value = symbols.Intern(in.value);
  out.exists = in.op == "Exists";
  out.never = !(in.op.empty() || in.op == "Equal" || in.op == "Exists");
  out.effect = ToleratedEffectOf(in.effect);
  if (!in.effect.empty() && !out.effect) out.never = true;
  return out;
}

uint8_t ProtocolOf(std::string_view protocol) {
  if (protocol == "UDP") return 1;
  return protocol == "SCTP" ? 2 : 0;
}

void AddPorts(const types::Container& container, PodConstraints* out) {
  for (const types::ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    out->ports.push_back({.protocol = ProtocolOf(port.protocol),
                          .port = port.host_port,
                          .ip = port.host_ip == "0.0.0.0" ? "" : port.host_ip});
  }
}

// Names without a tag mean :latest; a tag stands after the last ':' behind the last '/'.
std::string WithTag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : StrCat(image, ":latest");
}

// What it asks of the node that it is to be placed on.
void AddPreferences(const types::PodSpec& spec, SymbolHold& symbols, PodConstraints* out) {
  for (const auto& [key, value] : spec.node_selector) {
    out->node_selector.emplace_back(symbols.Intern(key), symbols.Intern(value));
  }
  if (spec.affinity && spec.affinity->node) {
    const types::NodeAffinity& node = *spec.affinity->node;
    if (node.required) {
      out->has_required_terms = true;
      for (const auto& term : node.required->terms) {
        out->required_terms.push_back(CompileTerm(term, symbols));
      }
    }
    for (const types::PreferredNodeTerm& preferred : node.preferred) {
      out->has_preferred_terms = true;
      if (preferred.weight == 0) continue;
      out->preferred_terms.push_back(
          {CompileTerm(preferred.preference, symbols), preferred.weight});
    }
  }
  for (const types::Toleration& toleration : spec.tolerations) {
    out->tolerations.push_back(CompileToleration(toleration, symbols));
    if (!toleration.key.empty() && toleration.key != kCordonTaint) continue;
    // The taint that a cordoned node counts as having.
    const model::Taint cordon{.key = symbols.Intern(kCordonTaint),
                              .value = symbols.Intern(""),
                              .effect = model::TaintEffect::kNoSchedule};
    out->tolerates_unschedulable |= model::Tolerates(out->tolerations.back(), cordon);
  }
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const types::Container& container : *containers) {
      ++out->image_containers;
      if (!container.image.empty()) {
        out->images.push_back(symbols.Intern(WithTag(container.image)));
      }
    }
  }
  for (const types::Volume& volume : spec.volumes) {
    if (volume.image && !volume.image->reference.empty()) {
      out->images.push_back(symbols.Intern(WithTag(volume.image->reference)));
    }
  }
}

// Of another scheduler's pod only what its place on a node means to others.
std::shared_ptr<PodConstraints> CompileConstraints(const types::Pod& pod, bool ours,
                                                   Interner& interner) {
  auto out = std::make_shared<PodConstraints>();
  const auto symbols = std::make_shared<SymbolHold>(interner);
  out->symbols = symbols;
  out->revocable = MayUseRevocableNodes(pod.meta);
  for (const types::Container& container : pod.spec.containers) AddPorts(container, out.get());
  for (const types::Container& container : pod.spec.init_containers) {
    if (container.restart_policy != "Always") continue;
    out->has_sidecar = true;
    AddPorts(container, out.get());
  }
  out->volumes = CompileVolumes(pod);
  const PodPart part = ours ? PodPart::kAll : PodPart::kPlaced;
  out->extras = CompileExtras(pod, part);
  out->peer_terms = CompilePeerTerms(pod, part, *symbols);
  if (!ours) return out;
  AddPreferences(pod.spec, *symbols, out.get());
  return out;
}

// When the cooldown of a running pod ends, counted from the moment it was scheduled. A label that
// cannot be read hides the annotation.
int64_t ProtectedUntil(const types::Pod& pod) {
  if (pod.status.phase != "Running") return 0;
  const std::string* label = pod.meta.labels.Find(kCooldownTime);
  const std::string_view text = label != nullptr ? *label : pod.meta.Annotation(kCooldownTime);
  if (text.empty()) return 0;
  const absl::StatusOr<absl::Duration> cooldown = conf::ParseGoDuration(text);
  if (!cooldown.ok()) return 0;
  for (const types::Condition& condition : pod.status.conditions) {
    if (condition.type != "PodScheduled" || condition.status != "True") continue;
    if (!condition.last_transition_time) return 0;
    return absl::ToUnixMicros(*condition.last_transition_time + *cooldown);
  }
  return 0;
}

// A key under which equal constraints meet, as long as the symbols of one of them are held. Lists
// come with their length and numbers and texts end by themselves, so that no two constraints share
// one.
class ConstraintsKeyWriter {
 public:
  ConstraintsKeyWriter() { key_.reserve(kBytesUsual); }

  // Small numbers of either sign take one byte.
  void Add(int64_t number) {
    const auto bits = static_cast<uint64_t>(number);
    uint64_t left = bits << 1 ^ (number < 0 ? ~uint64_t{0} : 0);
    for (; left >= 0x80; left >>= 7) key_.push_back(static_cast<char>(left | 0x80));
    key_.push_back(static_cast<char>(left));
  }
  void Add(std::string_view text) {
    Add(static_cast<int64_t>(text.size()));
    key_ += text;
  }
  void Add(Symbol symbol) { Add(symbol.valid() ? int64_t{symbol.value()} : -1); }
  void Add(const model::NodeRequirement& r) {
    Add(r.key);
    Add(static_cast<int64_t>(r.op));
    Add(static_cast<int64_t>(r.bound.has_value()));
    Add(r.bound.value_or(0));
    AddAll(r.values);
  }
  void Add(const model::NodeTerm& term) {
    Add(static_cast<int64_t>(term.never));
    AddAll(term.labels);
    AddAll(term.names);
  }
  void Add(const model::PreferredNodeTerm& preferred) {
    Add(preferred.weight);
    Add(preferred.term);
  }
  void Add(const std::pair<Symbol, Symbol>& label) {
    Add(label.first);
    Add(label.second);
  }
  void Add(const model::Toleration& t) {
    Add(t.key);
    Add(t.value);
    Add(t.exists * 2 + t.never);
    Add(t.effect ? static_cast<int64_t>(*t.effect) : -1);
  }
  void Add(const model::HostPort& port) {
    Add(port.protocol);
    Add(port.port);
    Add(port.ip);
  }
  template <typename List>
  void AddAll(const List& list) {
    Add(static_cast<int64_t>(list.size()));
    for (const auto& item : list) Add(item);
  }
  // Null is told apart from what is empty.
  template <typename Part>
  void AddKeyOf(const std::shared_ptr<const Part>& part) {
    Add(static_cast<int64_t>(part != nullptr));
    if (part != nullptr) Add(KeyOf(*part));
  }
  std::string Take() { return std::move(key_); }

 private:
  static constexpr size_t kBytesUsual = 120;

  std::string key_;
};

std::string ConstraintsKey(const PodConstraints& c) {
  ConstraintsKeyWriter key;
  key.AddAll(c.node_selector);
  key.Add(static_cast<int64_t>(c.has_required_terms));
  key.AddAll(c.required_terms);
  key.Add(static_cast<int64_t>(c.has_preferred_terms));
  key.AddAll(c.preferred_terms);
  key.AddAll(c.tolerations);
  key.AddAll(c.ports);
  key.Add(c.image_containers);
  key.AddAll(c.images);
  key.Add(static_cast<int64_t>(c.has_sidecar));
  key.Add(static_cast<int64_t>(c.revocable));
  key.AddKeyOf(c.extras);
  key.AddKeyOf(c.volumes);
  key.Add(static_cast<int64_t>(c.claims_devices));
  key.AddKeyOf(c.peer_terms);
  key.Add(static_cast<int64_t>(c.devices != nullptr));
  if (c.devices != nullptr) key.Add(devices::KeyOf(*c.devices));
  key.Add(int64_t{c.unsupported});
  key.Add(c.unsupported_detail);
  return key.Take();
}

// As an API server without these features keeps it: without the fields that belong to them.
types::Pod WithoutFeatures(types::Pod pod, const Responsibility& features) {
  if (!features.pod_level_resources) pod.spec.resources.reset();
  if (!features.spread_by_own_labels) {
    for (types::TopologySpreadConstraint& spread : pod.spec.topology_spread_constraints) {
      spread.match_label_keys.clear();
    }
  }
  return pod;
}

}  // namespace

absl::StatusOr<CompiledPod> Compile(const types::Pod& pod, const Responsibility& responsibility,
                                    Interner& symbols) {
  if (!responsibility.pod_level_resources || !responsibility.spread_by_own_labels) {
    Responsibility plain = responsibility;
    plain.pod_level_resources = plain.spread_by_own_labels = true;
    return Compile(WithoutFeatures(pod, responsibility), plain, symbols);
  }
  CompiledPod out;
  const types::ObjectMeta& meta = pod.meta;
  out.names.ns = meta.ns;
  out.names.name = meta.name;
  out.names.uid = meta.uid;
  out.names.role = std::string(AnnotationOrLabel(meta, kTaskSpec));
  out.names.created_us = absl::ToUnixMicros(meta.creation_time);
  out.names.index = IndexOf(meta.name);
  const std::string_view group = meta.Annotation(kGroupAnnotation);
  if (!group.empty()) out.job_key = StrCat(meta.ns, "/", group);
  out.node_name = pod.spec.node_name;
  out.nominated_node = pod.status.nominated_node_name;
  out.status = StatusOf(pod);
  out.priority = pod.spec.priority.value_or(1);
  if (const auto own = WholeNumber<int32_t>(meta.Annotation(kTaskPriority))) out.priority = *own;
  out.urgency = UrgencyOf(meta.Annotation(kUrgencyAnnotation));
  out.ours = responsibility.scheduler_names.contains(pod.spec.scheduler_name);
  out.preemptable = PreemptableMark(meta).value_or(true);
  out.gated = !pod.spec.scheduling_gates.empty();
  out.keeps_room = meta.Annotation(kQueueGate) == "true";
  out.own_gate_only =
      pod.spec.scheduling_gates.size() == 1 && pod.spec.scheduling_gates[0].name == kQueueGate;
  out.critical = pod.spec.priority_class_name == "system-cluster-critical" ||
                 pod.spec.priority_class_name == "system-node-critical";
  out.protected_until_us = ProtectedUntil(pod);
  if (pod.status.start_time) out.started_us = absl::ToUnixMicros(*pod.status.start_time);
  if (meta.deletion_time) {
    const absl::Duration grace = absl::Seconds(meta.deletion_grace_seconds.value_or(0));
    out.ends_us = absl::ToUnixMicros(*meta.deletion_time);
    out.grace_us = absl::ToInt64Microseconds(std::clamp(grace, absl::ZeroDuration(), kGraceMax));
  }
  out.pod_priority = pod.spec.priority;
  out.never_preempts = pod.spec.preemption_policy == "Never";
  BTH_ASSIGN_OR_RETURN(const types::ResourceList request, types::PodRequests(pod));
  BTH_ASSIGN_OR_RETURN(out.requests, CountedAmounts(request));
  BTH_ASSIGN_OR_RETURN(const types::ResourceList nonzero, types::NonZeroPodRequests(pod));
  BTH_ASSIGN_OR_RETURN(const NamedAmounts nonzero_amounts, CountedAmounts(nonzero));
  for (const auto& [name, amount] : nonzero_amounts) {
    if (name == "cpu") out.nonzero.cpu_milli = amount;
    if (name == "memory") out.nonzero.memory_bytes = amount;
  }
  if (responsibility.devices != nullptr) {
    std::erase_if(out.requests, [&](const auto& amount) {
      return devices::IsIgnored(amount.first, *responsibility.devices);
    });
  }
  const std::shared_ptr<PodConstraints> constraints = CompileConstraints(pod, out.ours, symbols);
  if (out.ours && responsibility.devices != nullptr) {
    constraints->devices = devices::ReadRequests(pod, *responsibility.devices);
  }
  if (out.ours) out.device_claims = CompileDeviceClaims(pod);
  constraints->claims_devices = out.device_claims != nullptr;
  if (out.ours && responsibility.numa_reports) out.numa_decision = DecisionOf(pod);
  out.constraints = constraints;
  out.constraints_key = ConstraintsKey(*out.constraints);
  for (const auto& [key, value] : meta.labels) out.labels.emplace_back(key, value);
  out.owner = WorkloadThatManages(meta);
  for (const types::Condition& condition : pod.status.conditions) {
    if (condition.type != "PodScheduled" || condition.status != "False") continue;
    out.scheduled_reason = condition.reason;
    out.scheduled_message = condition.message;
  }
  return out;
}

}  // namespace bth::cache
