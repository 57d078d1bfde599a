#include "cli/top/node_load.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "api/types/pod_requests.h"
#include "api/types/quantity.h"
#include "base/strings.h"
#include "cli/print/bars.h"

namespace bth::cli {
namespace {

constexpr std::string_view kTopJobKey = "volcano.sh/job-name";
constexpr std::string_view kTopGroupKey = "scheduling.k8s.io/group-name";

// From this width on there is room for longer bars.
constexpr int kWideScreen = 110;
constexpr int kBarShort = 8;
constexpr int kBarLong = 16;

std::string JobOf(const types::Pod& pod) {
  std::string_view name = pod.meta.Label(kTopJobKey);
  if (name.empty()) name = pod.meta.Annotation(kTopGroupKey);
  return name.empty() ? "" : StrCat(pod.meta.ns, "/", name);
}

double ValueIn(const types::ResourceList& list, std::string_view resource) {
  const types::Quantity* amount = list.Find(resource);
  return amount == nullptr ? 0 : amount->ApproximateValue();
}

// "4", "3.5", "1200".
std::string NumberText(double value) {
  const bool is_whole = std::abs(value - std::round(value)) < 0.05;
  return is_whole ? absl::StrFormat("%.0f", value) : absl::StrFormat("%.1f", value);
}

std::string MemoryText(double bytes) {
  constexpr std::pair<const char*, double> kUnits[] = {{"Ti", 1024.0 * 1024 * 1024 * 1024},
                                                       {"Gi", 1024.0 * 1024 * 1024},
                                                       {"Mi", 1024.0 * 1024},
                                                       {"Ki", 1024.0}};
  for (const auto& [unit, size] : kUnits) {
    if (bytes >= size) return StrCat(NumberText(bytes / size), unit);
  }
  return NumberText(bytes);
}

// What is given out in pieces, such as nvidia.com/gpu.
bool IsDevice(std::string_view resource) {
  return resource != "cpu" && resource != "memory" && resource != "pods" &&
         resource != "ephemeral-storage" && !resource.starts_with("hugepages-") &&
         !resource.starts_with("attachable-volumes-");
}

std::vector<std::string> DevicesOf(const std::vector<NodeLoad>& loads) {
  std::set<std::string> names;
  for (const NodeLoad& load : loads) {
    for (const auto& [resource, amount] : load.allocatable) {
      if (IsDevice(resource) && !amount.is_zero()) names.insert(resource);
    }
  }
  return {names.begin(), names.end()};
}

std::string StatusText(const NodeLoad& load) {
  return StrCat(load.is_ready ? "Ready" : "NotReady",
                load.is_schedulable ? "" : ",SchedulingDisabled");
}

Tone ToneOfShare(double used, double all) {
  if (used > all) return Tone::kBad;
  if (used >= 0.8 * all && used > 0) return Tone::kWaiting;
  return used > 0 ? Tone::kGood : Tone::kPlain;
}

// How the amounts of one resource are shown.
struct ShareStyle {
  int bar = 0;  // Its width; 0: a percentage instead.
  bool utf8 = true;
  std::string (*text)(double) = NumberText;
};

void AddShare(const NodeLoad& load, std::string_view resource, const ShareStyle& style,
              std::vector<Cell>* row) {
  const double used = ValueIn(load.requested, resource);
  const double all = ValueIn(load.allocatable, resource);
  const Tone tone = ToneOfShare(used, all);
  const std::string amounts = StrCat(style.text(used), "/", style.text(all));
  if (style.bar > 0) {
    const BarAmounts bar = {.used = used, .deserved = {}, .capability = all};
    const BarStyle bar_style = {.width = style.bar, .utf8 = style.utf8, .colour = false};
    row->push_back({StrCat(BarText(bar, bar_style), " ", amounts), tone});
    return;
  }
  row->push_back({amounts});
  row->push_back({all > 0 ? StrCat(NumberText(std::round(100 * used / all)), "%") : "-"});
}

}  // namespace

void NodeLoads::Put(const types::Node& node) {
  NodeLoad& load = nodes_[node.meta.name];
  load.name = node.meta.name;
  load.allocatable = node.status.allocatable;
  load.is_schedulable = !node.spec.unschedulable;
  const types::Condition* ready = types::FindCondition(node.status.conditions, "Ready");
  load.is_ready = ready != nullptr && ready->status == "True";
}

void NodeLoads::RemoveNode(const std::string& name) {
  nodes_.erase(name);
}

void NodeLoads::Put(const types::Pod& pod) {
  const client::ObjectKey key = {pod.meta.ns, pod.meta.name, pod.meta.uid};
  const bool is_over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  if (pod.spec.node_name.empty() || is_over) return RemovePod(key);
  PodRecord record;
  record.node = pod.spec.node_name;
  record.job = JobOf(pod);
  // Of amounts beyond what Kubernetes can express nothing can be shown.
  absl::StatusOr<types::ResourceList> requests = types::PodRequests(pod, {.count_pod = false});
  if (requests.ok()) record.requests = *std::move(requests);
  pods_.insert_or_assign(StrCat(key.namespace_name, "/", key.name), std::move(record));
}

void NodeLoads::RemovePod(const client::ObjectKey& key) {
  pods_.erase(StrCat(key.namespace_name, "/", key.name));
}

std::vector<NodeLoad> NodeLoads::Loads() const {
  std::vector<NodeLoad> loads;
  loads.reserve(nodes_.size());
  for (const auto& [name, load] : nodes_) loads.push_back(load);
  std::sort(loads.begin(), loads.end(),
            [](const NodeLoad& a, const NodeLoad& b) { return a.name < b.name; });
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < loads.size(); ++i) places.emplace(loads[i].name, i);
  std::vector<std::set<std::string_view>> jobs(loads.size());
  for (const auto& [key, pod] : pods_) {
    const auto place = places.find(pod.node);
    if (place == places.end()) continue;
    NodeLoad& load = loads[place->second];
    ++load.pods;
    if (!pod.job.empty()) jobs[place->second].insert(pod.job);
    // A sum that nobody could express stays as it is.
    (void)types::AddResources(pod.requests, &load.requested);
  }
  for (size_t i = 0; i < loads.size(); ++i) loads[i].jobs = static_cast<int64_t>(jobs[i].size());
  return loads;
}

Table NodesTable(const std::vector<NodeLoad>& loads, const Terminal& terminal) {
  ShareStyle style;
  if (terminal.width > 0) style.bar = terminal.width >= kWideScreen ? kBarLong : kBarShort;
  style.utf8 = terminal.utf8;
  const bool has_bars = style.bar > 0;
  Table table;
  table.columns = {{"NODE", Align::kLeft, false, 1}, {"STATUS", Align::kLeft, false, 3}};
  for (const char* resource : {"CPU", "MEMORY"}) {
    table.columns.push_back({resource, Align::kLeft, false, 2, 10});
    if (!has_bars) table.columns.push_back({StrCat(resource, "%"), Align::kRight});
  }
  table.columns.push_back({"PODS", Align::kRight});
  const std::vector<std::string> devices = DevicesOf(loads);
  for (const std::string& device : devices) {
    table.columns.push_back({absl::AsciiStrToUpper(device), Align::kRight, false, 4});
  }
  table.columns.push_back({"JOBS", Align::kRight});
  for (const NodeLoad& load : loads) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back({load.name});
    row.push_back({StatusText(load), ToneOf(load.is_ready ? "Ready" : "NotReady")});
    style.text = NumberText;
    AddShare(load, "cpu", style, &row);
    style.text = MemoryText;
    AddShare(load, "memory", style, &row);
    const double pods_max = ValueIn(load.allocatable, "pods");
    row.push_back({StrCat(load.pods, "/", NumberText(pods_max)),
                   static_cast<double>(load.pods) >= pods_max ? Tone::kWaiting : Tone::kPlain});
    for (const std::string& device : devices) {
      const double used = ValueIn(load.requested, device);
      const double all = ValueIn(load.allocatable, device);
      row.push_back(
          {all > 0 ? StrCat(NumberText(used), "/", NumberText(all)) : "-", ToneOfShare(used, all)});
    }
    row.push_back({StrCat(load.jobs)});
  }
  return table;
}

}  // namespace bth::cli
