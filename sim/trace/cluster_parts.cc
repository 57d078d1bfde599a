#include "sim/trace/cluster_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "api/manifests/manifest.h"
#include "api/model/quantity_text.h"
#include "api/rules/names.h"
#include "api/types/codec.h"
#include "api/types/hyper_node.h"
#include "api/types/node.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "api/types/resource_quota.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "sim/run.h"
#include "sim/trace/job_follower.h"

namespace bth::trace {
namespace {

using types::Json;

constexpr int64_t kWeightMax = 1'000'000;

void AddAmounts(const cache::NamedAmounts& amounts, const Trace& trace, model::ResourceVec* sum) {
  for (const auto& [name, amount] : amounts) {
    if (const auto dim = trace.dims.Find(name)) (*sum)[*dim] += amount;
  }
}

class Assembly {
 public:
  Assembly(const ClusterFlags& flags, const Trace& trace) : flags_(flags), trace_(trace) {
    parts_.claims.resize(trace.queues.size());
  }

  absl::StatusOr<ClusterParts> Assemble() {
    for (const std::string& path : flags_.files) BTH_RETURN_IF_ERROR(TakePath(path));
    BTH_RETURN_IF_ERROR(AddNodes());
    if (parts_.nodes == 0) {
      return absl::InvalidArgumentError(
          "no nodes: say --nodes 100 --node cpu=64,memory=256Gi, or name manifests with --cluster");
    }
    BTH_RETURN_IF_ERROR(AddQueues());
    BTH_RETURN_IF_ERROR(AddPriorities());
    return std::move(parts_);
  }

 private:
  absl::Status TakePath(const std::string& path) {
    BTH_ASSIGN_OR_RETURN(const std::vector<std::string> files, sim::FilesOf(path));
    for (const std::string& file : files) {
      BTH_ASSIGN_OR_RETURN(const std::string text, sim::ReadText(file));
      const auto documents = manifests::ParseManifest(text);
      if (!documents.ok()) return Annotate(documents.status(), file);
      for (const manifests::Document& document : *documents) {
        const std::string origin =
            StrCat(file, ": document ", document.number, " (line ", document.line, ")");
        BTH_RETURN_IF_ERROR(Annotate(Take(document.json, origin), origin));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Take(const Json& object, const std::string& origin) {
    const std::string_view kind = object["kind"].AsString();
    if (kind == "List") {
      for (const Json& item : object["items"].items()) BTH_RETURN_IF_ERROR(Take(item, origin));
      return absl::OkStatus();
    }
    if (kind == "Node") return TakeNode(object, origin);
    if (kind == "Queue") return TakeQueue(object, origin);
    if (kind == "PriorityClass") {
      classes_.emplace(object["metadata"]["name"].AsString());
      return Put<types::PriorityClass>(object, origin);
    }
    if (kind == "HyperNode") return Put<types::HyperNode>(object, origin);
    if (kind == "ResourceQuota") return Put<types::ResourceQuota>(object, origin);
    return absl::InvalidArgumentError(
        StrCat("kind \"", kind.substr(0, 80),
               "\" is no part of a cluster for traces; use Node, Queue, PriorityClass, HyperNode "
               "or ResourceQuota"));
  }

  template <typename T>
  absl::Status Put(const Json& object, const std::string& origin) {
    const types::ResourceType& type = types::ResourceTraits<T>::type();
    parts_.objects.push_back({type.Path(type.namespaced ? "default" : ""), object, origin});
    return absl::OkStatus();
  }

  absl::Status TakeNode(const Json& object, const std::string& origin) {
    const auto node = types::Decode<types::Node>(object);
    if (!node.ok()) return node.status();
    BTH_ASSIGN_OR_RETURN(const auto amounts, cache::CountedAmounts(node->status.allocatable));
    AddAmounts(amounts, trace_, &parts_.capacity);
    ++parts_.nodes;
    return Put<types::Node>(object, origin);
  }

  absl::Status TakeQueue(const Json& object, const std::string& origin) {
    const auto queue = types::Decode<types::Queue>(object);
    if (!queue.ok()) return queue.status();
    if (!queues_.insert(queue->meta.name).second) {
      return absl::InvalidArgumentError(StrCat("queue ", queue->meta.name, " comes twice"));
    }
    if (algo::QueueClaim* const claim = ClaimOf(queue->meta.name)) {
      claim->weight = std::max(queue->spec.weight, 1);
      const auto limit = cache::CountedQueueAmounts(queue->spec.capability).amounts;
      for (const auto& [name, amount] : limit) {
        if (const auto dim = trace_.dims.Find(name)) claim->limit.Set(*dim, amount);
      }
      AddAmounts(cache::CountedQueueAmounts(queue->spec.guarantee).amounts, trace_,
                 &claim->guarantee);
    }
    return Put<types::Queue>(object, origin);
  }

  algo::QueueClaim* ClaimOf(const std::string& queue) {
    const auto number = trace_.queues.Find(queue);
    return number.has_value() ? &parts_.claims[*number] : nullptr;
  }

  absl::Status AddNodes() {
    nodesim::NodeTemplate nodes;
    nodes.count = flags_.nodes;
    if (flags_.nodes == 0) {
      if (flags_.node.empty()) return absl::OkStatus();
      return absl::InvalidArgumentError(
          "--node says what nodes are like; say how many: --nodes 100");
    }
    if (flags_.nodes < 0 || flags_.nodes > nodesim::kNodesMax) {
      return absl::InvalidArgumentError(
          StrCat("--nodes: must be between 1 and ", nodesim::kNodesMax));
    }
    BTH_RETURN_IF_ERROR(ReadTemplate(&nodes));
    BTH_RETURN_IF_ERROR(Annotate(nodesim::CheckTemplate(nodes), "--node"));
    const absl::Time start = absl::FromUnixSeconds(trace_.start_unix_s);
    for (int64_t i = 1; i <= nodes.count; ++i) {
      BTH_RETURN_IF_ERROR(Annotate(TakeNode(MakeNode(nodes, i, start), "--nodes"), "--node"));
    }
    return absl::OkStatus();
  }

  // "cpu=64,memory=256Gi,pods=200,nvidia.com/gpu=8"
  absl::Status ReadTemplate(nodesim::NodeTemplate* nodes) const {
    std::set<std::string> seen;
    for (const absl::string_view word : absl::StrSplit(flags_.node, ',', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> pair =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      const auto& [name, value] = pair;
      if (value.empty() || !model::IsCountedResource(name)) {
        return absl::InvalidArgumentError(StrCat(
            "--node: \"", word, "\" is no RESOURCE=QUANTITY, such as cpu=64 or nvidia.com/gpu=8"));
      }
      if (!seen.insert(name).second) {
        return absl::InvalidArgumentError(StrCat("--node: ", name, " comes twice"));
      }
      if (name == "cpu") {
        nodes->cpu = value;
      } else if (name == "memory") {
        nodes->memory = value;
      } else if (name == "pods") {
        if (!SimpleAtoi(value, &nodes->pods)) {
          return absl::InvalidArgumentError("--node: pods must be a whole number");
        }
      } else {
        nodes->extended.emplace_back(word);
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::map<std::string, int64_t>> ReadWeights() const {
    std::map<std::string, int64_t> weights;
    for (const std::string& text : flags_.queues) {
      const size_t equals = text.rfind('=');
      int64_t weight = 0;
      if (equals == std::string::npos || !rules::CheckDnsLabel(text.substr(0, equals)).empty() ||
          !SimpleAtoi(text.substr(equals + 1), &weight) || weight < 1 || weight > kWeightMax) {
        return absl::InvalidArgumentError(
            StrCat("--queue: \"", text, "\" is no NAME=WEIGHT, such as research=3"));
      }
      const std::string name = text.substr(0, equals);
      if (queues_.contains(name)) {
        return absl::InvalidArgumentError(
            StrCat("--queue: a manifest says already what ", name, " is"));
      }
      if (!weights.emplace(name, weight).second) {
        return absl::InvalidArgumentError(StrCat("--queue: ", name, " comes twice"));
      }
    }
    return weights;
  }

  // Queues that the trace names and no manifest has.
  absl::Status AddQueues() {
    BTH_ASSIGN_OR_RETURN(const auto weights, ReadWeights());
    std::set<std::string> names(trace_.queues.all().begin(), trace_.queues.all().end());
    for (const auto& [name, weight] : weights) names.insert(name);
    for (const std::string& name : names) {
      if (queues_.contains(name)) continue;
      const auto found = weights.find(name);
      const int64_t weight = found == weights.end() ? 1 : found->second;
      if (algo::QueueClaim* const claim = ClaimOf(name)) claim->weight = weight;
      if (name == "default" && weight == 1) continue;  // The scheduler makes it.
      Json object = Json::MakeObject();
      object.Set("apiVersion", types::ResourceTraits<types::Queue>::type().ApiVersion());
      object.Set("kind", "Queue");
      object.Set("metadata", Json::MakeObject({{"name", name}}));
      object.Set("spec", Json::MakeObject({{"weight", weight}}));
      BTH_RETURN_IF_ERROR(Put<types::Queue>(object, StrCat("queue ", name)));
    }
    return absl::OkStatus();
  }

  // A number becomes a class of its own; a name is that of a class in the manifests.
  absl::Status AddPriorities() {
    for (const std::string& priority : trace_.priorities.all()) {
      int32_t value = 0;
      if (priority.empty() || !SimpleAtoi(priority, &value)) {
        if (!priority.empty() && !classes_.contains(priority)) {
          return absl::InvalidArgumentError(
              StrCat(trace_.file, ": priority \"", priority,
                     "\" is the name of no PriorityClass in --cluster; give one, or use numbers"));
        }
        parts_.priority_names.push_back(priority);
        continue;
      }
      const std::string name =
          value < 0 ? StrCat("trace-minus-", -int64_t{value}) : StrCat("trace-", value);
      parts_.priority_names.push_back(name);
      if (!classes_.insert(name).second) continue;
      Json object = Json::MakeObject();
      object.Set("apiVersion", types::ResourceTraits<types::PriorityClass>::type().ApiVersion());
      object.Set("kind", "PriorityClass");
      object.Set("metadata", Json::MakeObject({{"name", name}}));
      object.Set("value", value);
      BTH_RETURN_IF_ERROR(Put<types::PriorityClass>(object, StrCat("priority ", priority)));
    }
    return absl::OkStatus();
  }

  const ClusterFlags& flags_;
  const Trace& trace_;
  ClusterParts parts_;
  std::set<std::string> queues_;   // In manifests.
  std::set<std::string> classes_;  // Of priority.
};

Json ResourcesOf(const Trace& trace, const model::ResourceVec& shape) {
  Json requests = Json::MakeObject();
  Json limits = Json::MakeObject();
  for (int dim = 0; dim < trace.dims.size(); ++dim) {
    if (dim == model::kPods || shape[dim] == 0) continue;
    const std::string amount = model::QuantityText(trace.dims, dim, shape[dim]);
    requests.Set(trace.dims.name(dim), amount);
    // Of devices both must be the same.
    if (dim >= model::kFixedDims) limits.Set(trace.dims.name(dim), amount);
  }
  Json out = Json::MakeObject();
  if (!requests.empty()) out.Set("requests", std::move(requests));
  if (!limits.empty()) out.Set("limits", std::move(limits));
  return out;
}

}  // namespace

absl::StatusOr<ClusterParts> MakeClusterParts(const ClusterFlags& flags, const Trace& trace) {
  return Assembly(flags, trace).Assemble();
}

std::string JobManifest(const Trace& trace, const ClusterParts& parts, size_t number,
                        const JobForm& form) {
  const TraceJob& job = trace.jobs[number];
  Json container = Json::MakeObject({{"name", "main"}, {"image", "trace"}});
  container.Set("command", Json::MakeArray({"sleep", StrCat(job.run_s)}));
  container.Set("resources", ResourcesOf(trace, trace.shapes[job.shape]));
  Json pod = Json::MakeObject({{"restartPolicy", "Never"}});
  pod.Set("containers", Json::MakeArray({std::move(container)}));
  Json task = Json::MakeObject({{"name", "task"}, {"replicas", int64_t{job.tasks}}});
  task.Set("template", Json::MakeObject({{"spec", std::move(pod)}}));
  Json spec = Json::MakeObject({{"schedulerName", "volcano"},
                                {"queue", trace.queues[job.queue]},
                                {"minAvailable", int64_t{job.min_available}},
                                {"ttlSecondsAfterFinished", 0},
                                {"maxRetry", 1'000'000}});
  if (const std::string& name = parts.priority_names[job.priority]; !name.empty()) {
    spec.Set("priorityClassName", name);
  }
  if (!form.restart_task_alone && job.min_available > 1) {
    spec.Set(
        "policies",
        Json::MakeArray({Json::MakeObject({{"event", "PodEvicted"}, {"action", "RestartJob"}})}));
  }
  spec.Set("tasks", Json::MakeArray({std::move(task)}));
  Json object = Json::MakeObject({{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}});
  object.Set("metadata", Json::MakeObject({{"name", JobNameOf(number)}}));
  object.Set("spec", std::move(spec));
  return object.Dump();
}

}  // namespace bth::trace
