#include "cache/intake/compile_devices.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_terms.h"

namespace bth::cache {
namespace {

using model::CapacityAmount;
using model::DeviceClaimUse;
using model::DeviceFacts;
using model::DeviceReach;
using types::Quantity;

// Names without a domain are the driver's own.
std::string FullName(std::string_view name, std::string_view driver) {
  return StrContains(name, "/") ? std::string(name) : StrCat(driver, "/", name);
}

absl::Status ReadMilli(const Quantity& quantity, int64_t* out) {
  if (quantity.is_negative()) {
    return absl::InvalidArgumentError(StrCat(quantity.ToString(), ": must not be negative"));
  }
  BTH_ASSIGN_OR_RETURN(*out, quantity.MilliValue());
  return absl::OkStatus();
}

absl::Status ReadRule(const types::CapacityPolicy& policy, model::CapacityRule* out) {
  if (policy.default_amount) BTH_RETURN_IF_ERROR(ReadMilli(*policy.default_amount, &out->standard));
  for (const Quantity& valid : policy.valid_values) {
    BTH_RETURN_IF_ERROR(ReadMilli(valid, &out->valid.emplace_back()));
  }
  std::sort(out->valid.begin(), out->valid.end());
  if (!policy.valid_range) return absl::OkStatus();
  out->has_range = true;
  if (policy.valid_range->min) BTH_RETURN_IF_ERROR(ReadMilli(*policy.valid_range->min, &out->min));
  if (policy.valid_range->max) {
    BTH_RETURN_IF_ERROR(ReadMilli(*policy.valid_range->max, &out->max.emplace()));
  }
  if (policy.valid_range->step) {
    BTH_RETURN_IF_ERROR(ReadMilli(*policy.valid_range->step, &out->step));
  }
  return absl::OkStatus();
}

model::AttributeValue ValueOf(const types::DeviceAttribute& attribute) {
  using Kind = model::AttributeValue::Kind;
  if (attribute.integer) return {.kind = Kind::kInt, .number = *attribute.integer, .text = ""};
  if (attribute.boolean) return {.kind = Kind::kBool, .number = *attribute.boolean, .text = ""};
  if (attribute.version) return {.kind = Kind::kVersion, .number = 0, .text = *attribute.version};
  return {.kind = Kind::kText, .number = 0, .text = attribute.text.value_or("")};
}

// One of a kind that is not known here (lists) is as if it were not there.
bool IsKnown(const types::DeviceAttribute& attribute) {
  return attribute.integer || attribute.boolean || attribute.version || attribute.text;
}

struct ReachSource {
  const std::optional<std::string>& node_name;
  const types::RawView<types::NodeSelector>& node_selector;
  bool all_nodes = false;
  bool by_device = false;
};

DeviceReach CompileReach(const ReachSource& from, SymbolHold& symbols) {
  DeviceReach out;
  if (from.by_device) {
    out.kind = DeviceReach::Kind::kByDevice;
  } else if (from.node_name && !from.node_name->empty()) {
    out.kind = DeviceReach::Kind::kNode;
    out.node = *from.node_name;
  } else if (from.node_selector.present()) {
    out.kind = DeviceReach::Kind::kTerms;
    for (const types::NodeSelectorTerm& term : from.node_selector.view.terms) {
      out.terms.push_back(CompileTerm(term, symbols));
    }
    out.selector = from.node_selector.raw.Dump();
  } else if (from.all_nodes) {
    out.kind = DeviceReach::Kind::kEverywhere;
  }
  return out;
}

absl::Status CompileDevice(const types::Device& device, const std::string& driver,
                           SymbolHold& symbols, DeviceFacts* out) {
  out->name = device.name;
  for (const auto& [name, attribute] : device.attributes) {
    if (IsKnown(attribute)) {
      out->attributes.emplace_back(FullName(name, driver), ValueOf(attribute));
    }
  }
  std::sort(out->attributes.begin(), out->attributes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, capacity] : device.capacity) {
    model::DeviceCapacityFacts& row = out->capacities.emplace_back();
    row.name = FullName(name, driver);
    row.binary = capacity.value.format() == Quantity::Format::kBinarySI;
    const std::string path = StrCat("capacity[", name, "]");
    absl::Status read = ReadMilli(capacity.value, &row.milli);
    if (read.ok() && capacity.request_policy) {
      read = ReadRule(*capacity.request_policy, &row.rule.emplace());
    }
    if (!read.ok()) return Annotate(read, path);
  }
  std::sort(out->capacities.begin(), out->capacities.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const types::CounterConsumption& set : device.consumes_counters) {
    for (const auto& [name, counter] : set.counters) {
      model::CounterAmount& row = out->counters.emplace_back();
      row.set = set.counter_set;
      row.counter = name;
      BTH_RETURN_IF_ERROR(
          Annotate(ReadMilli(counter.value, &row.milli), StrCat("consumesCounters[", name, "]")));
    }
  }
  for (const types::DeviceTaint& taint : device.taints) {
    const bool executes = taint.effect == "NoExecute";
    if (!executes && taint.effect != "NoSchedule") continue;  // Those keep nobody off.
    out->taints.push_back(
        {.key = taint.key,
         .value = taint.value,
         .effect = executes ? model::TaintEffect::kNoExecute : model::TaintEffect::kNoSchedule});
  }
  out->reach = CompileReach({.node_name = device.node_name,
                             .node_selector = device.node_selector,
                             .all_nodes = device.all_nodes},
                            symbols);
  out->shared = device.allow_multiple_allocations;
  out->local = device.binds_to_node;
  out->binding_conditions = device.binding_conditions;
  out->failure_conditions = device.binding_failure_conditions;
  return absl::OkStatus();
}

// The entry without its list of requests: what an allocation repeats.
std::string ConfigText(const types::Json& entry) {
  types::Json out = types::Json::MakeObject();
  for (const auto& [name, value] : entry.members()) {
    if (name != "requests") out.Set(name, value);
  }
  return out.Dump();
}

std::vector<model::DeviceSelectorFacts> CompileSelectors(
    const std::vector<types::DeviceSelector>& selectors, DeviceTests& tests) {
  std::vector<model::DeviceSelectorFacts> out;
  for (const types::DeviceSelector& selector : selectors) {
    if (selector.expression) {
      out.push_back(tests.Of(*selector.expression));
    } else {
      out.push_back({.test = nullptr, .fault = "unsupported selector type"});
    }
  }
  return out;
}

class ClaimCompiler {
 public:
  ClaimCompiler(DeviceTests& tests, model::DeviceClaimFacts& out) : tests_(tests), out_(out) {}

  void AddRequest(const types::DeviceRequest& request) {
    model::DeviceRequestFacts& row = out_.requests.emplace_back();
    row.name = request.name;
    row.prioritized = !request.first_available.empty();
    if (request.exactly) {
      row.demands.push_back(CompileDemand(*request.exactly, request.name));
      row.prioritized = false;
      return;
    }
    for (const types::DeviceDemand& demand : request.first_available) {
      row.demands.push_back(CompileDemand(demand, StrCat(request.name, "/", demand.name)));
    }
  }

  void AddConstraint(const types::DeviceConstraint& constraint) {
    if (!constraint.match_attribute && !constraint.distinct_attribute) {
      Blame("has a constraint of an unsupported type");
      return;
    }
    model::DeviceConstraintFacts& row = out_.constraints.emplace_back();
    row.requests = constraint.requests;
    row.distinct = !constraint.match_attribute;
    row.attribute = row.distinct ? *constraint.distinct_attribute : *constraint.match_attribute;
  }

 private:
  model::DeviceDemandFacts CompileDemand(const types::DeviceDemand& demand,
                                         const std::string& label) {
    model::DeviceDemandFacts out;
    out.name = demand.name;
    out.device_class = demand.device_class_name;
    out.selectors = CompileSelectors(demand.selectors, tests_);
    out.all = demand.allocation_mode == "All";
    if (!out.all && !demand.allocation_mode.empty() && demand.allocation_mode != "ExactCount") {
      out.unknown_mode = demand.allocation_mode;
    }
    out.count = std::max<int64_t>(1, demand.count);
    out.admin = demand.admin_access;
    for (const types::RawView<types::Toleration>& toleration : demand.tolerations) {
      out.tolerations.push_back({.key = toleration.view.key,
                                 .value = toleration.view.value,
                                 .effect = toleration.view.effect,
                                 .exists = toleration.view.op == "Exists"});
      out.tolerations_text.push_back(toleration.raw.Dump());
    }
    for (const auto& [name, quantity] : demand.capacity) {
      CapacityAmount& row = out.capacities.emplace_back();
      row.name = name;
      row.binary = quantity.format() == Quantity::Format::kBinarySI;
      if (!ReadMilli(quantity, &row.milli).ok()) {
        Blame(StrCat("request ", label, " asks for more of ", name, " than can be counted"));
      }
    }
    return out;
  }

  void Blame(std::string fault) {
    if (out_.fault.empty()) out_.fault = std::move(fault);
  }

  DeviceTests& tests_;
  model::DeviceClaimFacts& out_;
};

std::shared_ptr<const model::AllocationFacts> CompileAllocation(const types::ClaimAllocation& from,
                                                                Interner& interner) {
  auto out = std::make_shared<model::AllocationFacts>();
  const auto symbols = std::make_shared<SymbolHold>(interner);
  out->symbols = symbols;
  for (const types::AllocatedDevice& device : from.results) {
    model::AllocatedDeviceFacts& row = out->devices.emplace_back();
    row.request = device.request;
    row.driver = device.driver;
    row.pool = device.pool;
    row.device = device.device;
    row.admin = device.admin_access;
    row.share_id = device.share_id;
    for (const auto& [name, quantity] : device.consumed_capacity) {
      CapacityAmount& amount = row.consumed.emplace_back();
      amount.name = FullName(name, device.driver);
      amount.binary = quantity.format() == Quantity::Format::kBinarySI;
      // More than can be counted is all there can be.
      if (!ReadMilli(quantity, &amount.milli).ok()) amount.milli = INT64_MAX;
    }
    for (const auto& toleration : device.tolerations) {
      row.tolerations.push_back(toleration.raw.Dump());
    }
    row.binding_conditions = device.binding_conditions;
    row.failure_conditions = device.binding_failure_conditions;
  }
  out->anywhere = !from.node_selector.present();
  for (const types::NodeSelectorTerm& term : from.node_selector.view.terms) {
    out->terms.push_back(CompileTerm(term, *symbols));
  }
  return out;
}

}  // namespace

std::shared_ptr<const model::PodDeviceClaims> CompileDeviceClaims(const types::Pod& pod) {
  if (pod.spec.resource_claims.empty()) return nullptr;
  auto out = std::make_shared<model::PodDeviceClaims>();
  out->ns = pod.meta.ns;
  for (const types::PodResourceClaim& entry : pod.spec.resource_claims) {
    DeviceClaimUse use{.kind = DeviceClaimUse::Kind::kUnknown, .entry = entry.name, .claim = ""};
    if (!entry.resource_claim_name.empty()) {
      use.kind = DeviceClaimUse::Kind::kNamed;
      use.claim = entry.resource_claim_name;
    } else if (!entry.resource_claim_template_name.empty()) {
      const auto& made = pod.status.resource_claim_statuses;
      const auto status = std::find_if(made.begin(), made.end(), [&entry](const auto& candidate) {
        return candidate.name == entry.name;
      });
      use.kind = DeviceClaimUse::Kind::kNotMadeYet;
      if (status != made.end()) {
        // The pod needs none.
        if (status->resource_claim_name.empty()) continue;
        use.kind = DeviceClaimUse::Kind::kFromTemplate;
        use.claim = status->resource_claim_name;
      }
    }
    out->uses.push_back(std::move(use));
  }
  if (out->uses.empty()) return nullptr;
  return out;
}

std::string KeyOf(const model::PodDeviceClaims& claims) {
  std::string key = claims.ns;
  for (const DeviceClaimUse& use : claims.uses) {
    StrAppend(&key, "|", static_cast<int>(use.kind), ":", use.entry, ":", use.claim);
  }
  return key;
}

absl::StatusOr<std::shared_ptr<model::SliceFacts>> Compile(const types::ResourceSlice& slice,
                                                           Interner& interner) {
  auto out = std::make_shared<model::SliceFacts>();
  const auto symbols = std::make_shared<SymbolHold>(interner);
  out->symbols = symbols;
  const types::ResourceSliceSpec& spec = slice.spec;
  out->name = slice.meta.name;
  out->driver = spec.driver;
  out->pool = spec.pool.name;
  out->generation = spec.pool.generation;
  out->slices_in_pool = spec.pool.resource_slice_count;
  out->reach = CompileReach({.node_name = spec.node_name,
                             .node_selector = spec.node_selector,
                             .all_nodes = spec.all_nodes,
                             .by_device = spec.per_device_node_selection},
                            *symbols);
  out->devices.reserve(spec.devices.size());
  for (const types::Device& device : spec.devices) {
    BTH_RETURN_IF_ERROR(
        Annotate(CompileDevice(device, spec.driver, *symbols, &out->devices.emplace_back()),
                 StrCat("spec.devices[", device.name, "]")));
  }
  for (const types::CounterSet& set : spec.shared_counters) {
    model::CounterSetFacts& row = out->counters.emplace_back();
    row.name = set.name;
    for (const auto& [name, counter] : set.counters) {
      auto& [counter_name, milli] = row.counters.emplace_back();
      counter_name = name;
      BTH_RETURN_IF_ERROR(Annotate(ReadMilli(counter.value, &milli),
                                   StrCat("spec.sharedCounters[", set.name, "]")));
    }
  }
  return out;
}

std::shared_ptr<model::DeviceClassFacts> Compile(const types::DeviceClass& device_class,
                                                 DeviceTests& tests) {
  auto out = std::make_shared<model::DeviceClassFacts>();
  out->name = device_class.meta.name;
  out->selectors = CompileSelectors(device_class.spec.selectors, tests);
  for (const auto& config : device_class.spec.config) out->config.push_back(ConfigText(config.raw));
  return out;
}

std::shared_ptr<model::DeviceClaimFacts> Compile(const types::ResourceClaim& claim,
                                                 Interner& interner, DeviceTests& tests) {
  auto out = std::make_shared<model::DeviceClaimFacts>();
  const types::ObjectMeta& meta = claim.meta;
  out->key = meta.Key();
  out->name = meta.name;
  out->uid = meta.uid;
  out->resource_version = meta.resource_version;
  if (const types::OwnerReference* owner = meta.Controller()) out->owner_uid = owner->uid;
  out->deleting = meta.deletion_time.has_value();
  ClaimCompiler compiler(tests, *out);
  for (const types::DeviceRequest& request : claim.spec.requests) compiler.AddRequest(request);
  for (const types::DeviceConstraint& constraint : claim.spec.constraints) {
    compiler.AddConstraint(constraint);
  }
  for (const auto& config : claim.spec.config) {
    out->config.push_back({config.view.requests, ConfigText(config.raw)});
  }
  if (claim.status.allocation) {
    out->allocation = CompileAllocation(*claim.status.allocation, interner);
  }
  for (const types::ClaimConsumer& consumer : claim.status.reserved_for) {
    out->reserved_for.push_back(consumer.uid);
  }
  for (const types::AllocatedDeviceStatus& device : claim.status.devices) {
    for (const types::Condition& condition : device.conditions) {
      if (condition.status != "True") continue;
      out->conditions.push_back(
          {.device = StrCat(device.driver, "/", device.pool, "/", device.device),
           .share_id = device.share_id,
           .type = condition.type});
    }
  }
  return out;
}

}  // namespace bth::cache
