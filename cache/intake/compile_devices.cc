#include "cache/intake/compile_devices.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile_terms.h"

namespace bth::cache {
namespace {

using model::CapacityAmount;
using model::DeviceClaimUse;
using model::DeviceConstraintFacts;
using model::DeviceFacts;
using model::DeviceReach;
using types::Quantity;

// Names without a domain are the driver's own.
bool IsBare(std::string_view name) {
  return !StrContains(name, "/");
}
std::string FullName(std::string_view name, std::string_view driver) {
  return IsBare(name) ? StrCat(driver, "/", name) : std::string(name);
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

// Nothing: it is of a kind that is not known here, and as if it were not there.
std::optional<model::AttributeValue> ValueOf(const types::DeviceAttribute& attribute) {
  using Value = model::AttributeValue;
  using Kind = Value::Kind;
  const auto number = [](int64_t value) { return Value{.kind = Kind::kInt, .number = value}; };
  const auto truth = [](bool value) { return Value{.kind = Kind::kBool, .number = value}; };
  const auto text = [](std::string value) {
    return Value{.kind = Kind::kText, .text = std::move(value)};
  };
  const auto version = [](std::string value) {
    return Value{.kind = Kind::kVersion, .text = std::move(value)};
  };
  if (attribute.integer) return number(*attribute.integer);
  if (attribute.boolean) return truth(*attribute.boolean);
  if (attribute.version) return version(*attribute.version);
  if (attribute.text) return text(*attribute.text);
  Value list{.kind = Kind::kList};
  for (const int64_t item : attribute.integers) list.items.push_back(number(item));
  for (const std::optional<bool>& item : attribute.booleans) {
    list.items.push_back(truth(item.value_or(false)));
  }
  for (const std::string& item : attribute.versions) list.items.push_back(version(item));
  for (const std::string& item : attribute.texts) list.items.push_back(text(item));
  if (list.items.empty()) return std::nullopt;
  return list;
}

// Nothing: one that keeps nobody off.
std::optional<model::DeviceTaintFacts> TaintOf(const types::DeviceTaint& taint) {
  const bool executes = taint.effect == "NoExecute";
  if (!executes && taint.effect != "NoSchedule") return std::nullopt;
  return model::DeviceTaintFacts{
      .key = taint.key,
      .value = taint.value,
      .effect = executes ? model::TaintEffect::kNoExecute : model::TaintEffect::kNoSchedule};
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
    std::optional<model::AttributeValue> value = ValueOf(attribute);
    if (value) out->attributes.emplace_back(FullName(name, driver), *std::move(value));
  }
  std::sort(out->attributes.begin(), out->attributes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, capacity] : device.capacity) {
    model::DeviceCapacityFacts& row = out->capacities.emplace_back();
    row.name = FullName(name, driver);
    row.bare = IsBare(name);
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
    if (const auto kept = TaintOf(taint)) out->taints.push_back(*kept);
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

// Equal texts: claims that ask for the same. Lists and texts come with their length.
class AskWriter {
 public:
  std::string Write(const model::DeviceClaimFacts& claim) {
    Add(claim.fault);
    AddAll(claim.requests);
    AddAll(claim.constraints);
    AddAll(claim.config);
    return std::move(text_);
  }

 private:
  void Add(int64_t number) { StrAppend(&text_, number, ";"); }
  void Add(const std::string& text) { StrAppend(&text_, text.size(), ":", text); }
  void Add(const model::DeviceSelectorFacts& selector) {
    // Nobody else gets its number while the claim has it.
    Add(selector.test == nullptr ? 0 : static_cast<int64_t>(selector.test->serial()));
    Add(selector.fault);
  }
  void Add(const CapacityAmount& amount) {
    Add(amount.name);
    Add(amount.milli);
  }
  void Add(const model::DeviceDemandFacts& demand) {
    Add(demand.name);
    Add(demand.device_class);
    AddAll(demand.selectors);
    Add(int64_t{demand.all} + 2 * int64_t{demand.admin});
    Add(demand.count);
    Add(demand.unknown_mode);
    AddAll(demand.tolerations_text);
    AddAll(demand.capacities);
  }
  void Add(const model::DeviceRequestFacts& request) {
    Add(request.name);
    Add(int64_t{request.prioritized});
    AddAll(request.demands);
  }
  void Add(const DeviceConstraintFacts& constraint) {
    AddAll(constraint.requests);
    Add(constraint.attribute);
    Add(int64_t{constraint.distinct});
  }
  void Add(const model::DeviceConfigFacts& config) {
    AddAll(config.requests);
    Add(config.text);
  }
  template <typename List>
  void AddAll(const List& list) {
    Add(static_cast<int64_t>(list.size()));
    for (const auto& item : list) Add(item);
  }

  std::string text_;
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
      amount.bare = IsBare(name);
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
  absl::flat_hash_map<std::string_view, std::string_view> made;  // The first of each name.
  for (const auto& status : pod.status.resource_claim_statuses) {
    made.try_emplace(status.name, status.resource_claim_name);
  }
  for (const types::PodResourceClaim& entry : pod.spec.resource_claims) {
    DeviceClaimUse use{.kind = DeviceClaimUse::Kind::kUnknown, .entry = entry.name, .claim = ""};
    if (!entry.resource_claim_name.empty()) {
      use.kind = DeviceClaimUse::Kind::kNamed;
      use.claim = entry.resource_claim_name;
    } else if (!entry.resource_claim_template_name.empty()) {
      const auto status = made.find(entry.name);
      use.kind = DeviceClaimUse::Kind::kNotMadeYet;
      if (status != made.end()) {
        // The pod needs none.
        if (status->second.empty()) continue;
        use.kind = DeviceClaimUse::Kind::kFromTemplate;
        use.claim = std::string(status->second);
      }
    }
    out->uses.push_back(std::move(use));
  }
  if (out->uses.empty()) return nullptr;
  return out;
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
  out->extended_resource = device_class.spec.extended_resource_name;
  out->created_us = absl::ToUnixMicros(device_class.meta.creation_time);
  out->selectors = CompileSelectors(device_class.spec.selectors, tests);
  for (const auto& config : device_class.spec.config) out->config.push_back(ConfigText(config.raw));
  return out;
}

model::DeviceTaintRuleFacts Compile(const types::DeviceTaintRule& rule) {
  model::DeviceTaintRuleFacts out{.selects = rule.spec.device_selector.has_value(),
                                  .taint = TaintOf(rule.spec.taint)};
  if (!out.selects) return out;
  out.driver = rule.spec.device_selector->driver;
  out.pool = rule.spec.device_selector->pool;
  out.device = rule.spec.device_selector->device;
  return out;
}

bool IsForExtended(const types::ObjectMeta& claim) {
  const types::OwnerReference* const owner = claim.Controller();
  return owner != nullptr && !owner->uid.empty() && claim.Annotation(kExtendedClaim) == "true";
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
  out->for_extended = IsForExtended(meta);
  out->deleting = meta.deletion_time.has_value();
  ClaimCompiler compiler(tests, *out);
  for (const types::DeviceRequest& request : claim.spec.requests) compiler.AddRequest(request);
  for (const types::DeviceConstraint& constraint : claim.spec.constraints) {
    compiler.AddConstraint(constraint);
  }
  for (const auto& config : claim.spec.config) {
    out->config.push_back({config.view.requests, ConfigText(config.raw)});
  }
  out->ask = tests.AskOf(AskWriter().Write(*out));
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
