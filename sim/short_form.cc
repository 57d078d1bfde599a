#include "sim/short_form.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "sim/cluster.h"
#include "sim/short_form_groups.h"
#include "sim/short_form_peers.h"
#include "sim/short_form_taints.h"

namespace bth::sim {
namespace {

using types::Json;

constexpr int64_t kTasksMax = 100'000;

// One word of a line: `key`, or `prefix.rest` split at the first dot for prefixes that have one.
struct Word {
  std::string key;
  std::string rest;
  std::string value;
};
using Setter = std::function<absl::Status(Json*, const Word&)>;
using Words = std::map<std::string, Setter, std::less<>>;

std::string ResourceName(const std::string& word) {
  if (word == "mem") return "memory";
  return word == "gpu" ? "nvidia.com/gpu" : word;
}

Setter SetText(std::vector<std::string> path) {
  return [path = std::move(path)](Json* object, const Word& word) {
    Json* at = object;
    for (const std::string& part : path) at = &(*at)[part];
    *at = Json(word.value);
    return absl::OkStatus();
  };
}

Setter SetNumber(std::vector<std::string> path) {
  return [path = std::move(path)](Json* object, const Word& word) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(word.value, &number)) {
      return absl::InvalidArgumentError(StrCat(word.key, "=", word.value, ": not a number"));
    }
    Json* at = object;
    for (const std::string& part : path) at = &(*at)[part];
    *at = Json(number);
    return absl::OkStatus();
  };
}

Setter SetFlag(std::vector<std::string> path, bool flag) {
  return [path = std::move(path), flag](Json* object, const Word& word) {
    Json* at = object;
    for (const std::string& part : path) at = &(*at)[part];
    *at = Json(word.value.empty() ? flag : word.value == "true");
    return absl::OkStatus();
  };
}

// An amount of the resource that the rest of the word, or the word itself, names.
Setter SetAmount(std::vector<std::string> path) {
  return [path = std::move(path)](Json* object, const Word& word) {
    Json* at = object;
    for (const std::string& part : path) at = &(*at)[part];
    at->Set(ResourceName(word.rest.empty() ? word.key : word.rest), Json(word.value));
    return absl::OkStatus();
  };
}

Setter SetMember(std::vector<std::string> path) {
  return [path = std::move(path)](Json* object, const Word& word) {
    Json* at = object;
    for (const std::string& part : path) at = &(*at)[part];
    at->Set(word.rest, Json(word.value));
    return absl::OkStatus();
  };
}

Json& Push(Json* object, std::initializer_list<std::string_view> path, Json value) {
  Json* at = object;
  for (std::string_view part : path) at = &(*at)[part];
  return at->MutableItems().emplace_back(std::move(value));
}

absl::Status SetCreated(Json* object, const Word& word) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(word.value, &seconds))
    return absl::InvalidArgumentError("created: not a number of seconds");
  (*object)["metadata"].Set(
      "creationTimestamp", Json(types::FormatTimestamp(Cluster::Epoch() + absl::Seconds(seconds))));
  return absl::OkStatus();
}

absl::Status AddTaint(Json* node, const Word& word) {
  AddTaintTo(node, word.value);
  return absl::OkStatus();
}

absl::Status AddToleration(Json* pod, const Word& word) {
  AddTolerationTo(pod, word.value);
  return absl::OkStatus();
}

Json Requirement(const std::string& key, absl::string_view values) {
  Json list = Json::MakeArray();
  for (absl::string_view value : absl::StrSplit(values, '|')) {
    list.MutableItems().push_back(Json(std::string(value)));
  }
  return Json::MakeObject({{"key", key}, {"operator", "In"}, {"values", std::move(list)}});
}

absl::Status AddNeed(Json* pod, const Word& word) {
  Json& required = (*pod)["spec"]["affinity"]["nodeAffinity"]
                         ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (required.empty()) required.MutableItems().push_back(Json::MakeObject());
  Json& term = required.MutableItems().front();
  term["matchExpressions"].MutableItems().push_back(Requirement(word.rest, word.value));
  return absl::OkStatus();
}

absl::Status AddPreference(Json* pod, const Word& word) {
  const std::vector<std::string> parts = absl::StrSplit(word.value, absl::MaxSplits(':', 1));
  int64_t weight = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &weight)) {
    return absl::InvalidArgumentError(StrCat("prefer.", word.rest, ": expected <values>:<weight>"));
  }
  Json term = Json::MakeObject();
  term["matchExpressions"].MutableItems().push_back(Requirement(word.rest, parts[0]));
  Json& preferred =
      (*pod)["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"];
  preferred.MutableItems().push_back(
      Json::MakeObject({{"weight", weight}, {"preference", std::move(term)}}));
  return absl::OkStatus();
}

Json& ContainerOf(Json* pod) {
  Json& containers = (*pod)["spec"]["containers"];
  if (containers.empty()) containers.MutableItems().push_back(Json::MakeObject({{"name", "main"}}));
  return containers.MutableItems().front();
}

absl::Status AddRequest(Json* pod, const Word& word) {
  const std::string name = ResourceName(word.rest.empty() ? word.key : word.rest);
  ContainerOf(pod)["resources"]["requests"].Set(name, Json(word.value));
  return absl::OkStatus();
}

absl::Status AddLimit(Json* pod, const Word& word) {
  ContainerOf(pod)["resources"]["limits"].Set(ResourceName(word.rest), Json(word.value));
  return AddRequest(pod, word);
}

absl::Status AddPort(Json* pod, const Word& word) {
  const std::vector<std::string> parts = absl::StrSplit(word.value, absl::MaxSplits('/', 1));
  int64_t port = 0;
  if (!absl::SimpleAtoi(parts[0], &port)) return absl::InvalidArgumentError("port: not a number");
  Json out = Json::MakeObject({{"containerPort", port}, {"hostPort", port}});
  if (parts.size() > 1) out.Set("protocol", Json(parts[1]));
  ContainerOf(pod)["ports"].MutableItems().push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status AddImage(Json* pod, const Word& word) {
  ContainerOf(pod).Set("image", Json(word.value));
  return absl::OkStatus();
}

absl::Status AddVolume(Json* pod, const Word& word) {
  Json volume = Json::MakeObject({{"name", word.value}});
  volume["persistentVolumeClaim"].Set("claimName", Json(word.value));
  Push(pod, {"spec", "volumes"}, std::move(volume));
  return absl::OkStatus();
}

// An entry named after what it refers to.
absl::Status AddClaim(Json* pod, const char* reference, const Word& word) {
  Push(pod, {"spec", "resourceClaims"},
       Json::MakeObject({{"name", word.value}, {reference, word.value}}));
  return absl::OkStatus();
}

absl::Status AddNamed(Json* pod, const char* list, const std::string& name) {
  Push(pod, {"spec", list}, Json::MakeObject({{"name", name}}));
  return absl::OkStatus();
}

absl::Status SetDeleting(Json* pod, const Word&) {
  (*pod)["metadata"].Set("deletionTimestamp",
                         Json(types::FormatTimestamp(Cluster::Epoch() + absl::Seconds(1))));
  return absl::OkStatus();
}

const Words& NodeWords() {
  static const Words& kWords = *new Words{
      {"cpu", SetAmount({"status", "allocatable"})},
      {"mem", SetAmount({"status", "allocatable"})},
      {"pods", SetAmount({"status", "allocatable"})},
      {"gpu", SetAmount({"status", "allocatable"})},
      {"res.", SetAmount({"status", "allocatable"})},
      {"label.", SetMember({"metadata", "labels"})},
      {"annotation.", SetMember({"metadata", "annotations"})},
      {"taint", AddTaint},
      {"cordoned", SetFlag({"spec", "unschedulable"}, true)},
  };
  return kWords;
}

const Words& QueueWords() {
  static const Words& kWords = *new Words{
      {"weight", SetNumber({"spec", "weight"})},
      {"prio", SetNumber({"spec", "priority"})},
      {"parent", SetText({"spec", "parent"})},
      {"state", SetText({"status", "state"})},
      {"reclaimable", SetFlag({"spec", "reclaimable"}, true)},
      {"cap.", SetAmount({"spec", "capability"})},
      {"deserved.", SetAmount({"spec", "deserved"})},
      {"guarantee.", SetAmount({"spec", "guarantee", "resource"})},
      {"dequeue", SetText({"spec", "dequeueStrategy"})},
      {"hierarchy", SetText({"metadata", "annotations", "volcano.sh/hierarchy"})},
      {"weights", SetText({"metadata", "annotations", "volcano.sh/hierarchy-weights"})},
      {"created", SetCreated},
  };
  return kWords;
}

const Words& HyperNodeWords() {
  const auto adding = [](void (*add)(Json*, const std::string&, const std::string&)) -> Setter {
    return [add](Json* object, const Word& word) {
      add(object, word.rest, word.value);
      return absl::OkStatus();
    };
  };
  static const Words& kWords =
      *new Words{{"tier", SetNumber({"spec", "tier"})}, {"tiername", SetText({"spec", "tierName"})},
                 {"nodes", adding(AddNodeMembers)},     {"above", adding(AddHyperNodeMembers)},
                 {"match", adding(AddPatternMember)},   {"select.", adding(AddLabelMember)}};
  return kWords;
}

const Words& PriorityWords() {
  static const Words& kWords = *new Words{
      {"value", SetNumber({"value"})},
      {"default", SetFlag({"globalDefault"}, true)},
      {"never",
       [](Json* object, const Word&) {
         object->Set("preemptionPolicy", Json("Never"));
         return absl::OkStatus();
       }},
  };
  return kWords;
}

const Words& JobWords() {
  static const Words& kWords = *new Words{
      {"ns", SetText({"metadata", "namespace"})},
      {"queue", SetText({"spec", "queue"})},
      {"min", SetNumber({"spec", "minMember"})},
      {"prio", SetText({"spec", "priorityClassName"})},
      {"phase", SetText({"status", "phase"})},
      {"minres.", SetAmount({"spec", "minResources"})},
      {"roles", [](Json* group, const Word& word) { return AddRoles(group, word.value); }},
      {"topology",
       [](Json* group, const Word& word) { return SetTopology(&(*group)["spec"], word.value); }},
      {"group.",
       [](Json* group, const Word& word) { return AddSubGroup(group, word.rest, word.value); }},
      {"created", SetCreated},
      {"wait", SetText({"metadata", "annotations", "sla-waiting-time"})},
      {"annotation.", SetMember({"metadata", "annotations"})},
      {"preemptable",
       [](Json* object, const Word& word) {
         (*object)["metadata"]["annotations"].Set("volcano.sh/preemptable",
                                                  Json(word.value.empty() ? "true" : word.value));
         return absl::OkStatus();
       }},
  };
  return kWords;
}

const Words& PodWords() {
  static const Words& kWords = *new Words{
      {"ns", SetText({"metadata", "namespace"})},
      {"job", SetText({"metadata", "annotations", "scheduling.k8s.io/group-name"})},
      {"role", SetText({"metadata", "annotations", "volcano.sh/task-spec"})},
      {"label.", SetMember({"metadata", "labels"})},
      {"annotation.", SetMember({"metadata", "annotations"})},
      {"node", SetText({"spec", "nodeName"})},
      {"phase", SetText({"status", "phase"})},
      {"deleting", SetDeleting},
      {"created", SetCreated},
      {"prio", SetNumber({"spec", "priority"})},
      {"class", SetText({"spec", "priorityClassName"})},
      {"scheduler", SetText({"spec", "schedulerName"})},
      {"nominated", SetText({"status", "nominatedNodeName"})},
      {"cpu", AddRequest},
      {"mem", AddRequest},
      {"gpu", AddRequest},
      {"res.", AddRequest},
      {"limit.", AddLimit},
      {"select.", SetMember({"spec", "nodeSelector"})},
      {"need.", AddNeed},
      {"prefer.", AddPreference},
      {"tolerate", AddToleration},
      {"port", AddPort},
      {"image", AddImage},
      {"anti", [](Json* pod, const Word& word) { return AddAntiAffinity(pod, word.value); }},
      {"spread", [](Json* pod, const Word& word) { return AddSpread(pod, word.value); }},
      {"affinity.",
       [](Json* pod, const Word& word) {
         return AddAffinityTerm(pod, "podAffinity", word.rest, word.value);
       }},
      {"anti.",
       [](Json* pod, const Word& word) {
         return AddAffinityTerm(pod, "podAntiAffinity", word.rest, word.value);
       }},
      {"spread.",
       [](Json* pod, const Word& word) { return AddSpreadTerm(pod, word.rest, word.value); }},
      {"pvc", AddVolume},
      {"gate",
       [](Json* pod, const Word& word) { return AddNamed(pod, "schedulingGates", word.value); }},
      {"claim",
       [](Json* pod, const Word& word) { return AddClaim(pod, "resourceClaimName", word); }},
      {"claimtemplate",
       [](Json* pod, const Word& word) {
         return AddClaim(pod, "resourceClaimTemplateName", word);
       }},
      {"fixed",
       [](Json* pod, const Word&) {
         (*pod)["metadata"]["annotations"].Set("volcano.sh/preemptable", Json("false"));
         return absl::OkStatus();
       }},
  };
  return kWords;
}

// `label.zone=a` is the word `label.` with the rest `zone`.
Word SplitWord(absl::string_view text) {
  Word word;
  const size_t equals = text.find('=');
  word.key = std::string(text.substr(0, equals));
  if (equals != absl::string_view::npos) word.value = std::string(text.substr(equals + 1));
  const size_t dot = word.key.find('.');
  if (dot != std::string::npos) {
    word.rest = word.key.substr(dot + 1);
    word.key.resize(dot + 1);
  }
  return word;
}

Json NewObject(std::string_view version, std::string_view kind, std::string_view name) {
  Json out = Json::MakeObject({{"apiVersion", version}, {"kind", kind}});
  out["metadata"].Set("name", Json(name));
  return out;
}

Json NewPod(const std::string& name) {
  Json pod = NewObject("v1", "Pod", name);
  pod["spec"].Set("schedulerName", Json("volcano"));
  ContainerOf(&pod);
  return pod;
}

absl::Status Unknown(std::string_view kind, const Word& word, const Words& words) {
  std::vector<std::string_view> names;
  for (const auto& [name, setter] : words) names.push_back(name);
  return absl::InvalidArgumentError(
      StrCat("unknown word \"", word.key, word.rest, "\" of ", kind, DidYouMean(word.key, names)));
}

absl::Status SetAll(std::string_view kind, const std::vector<Word>& line, const Words& words,
                    Json* object) {
  for (const Word& word : line) {
    const auto setter = words.find(word.key);
    if (setter == words.end()) return Unknown(kind, word, words);
    BTH_RETURN_IF_ERROR(setter->second(object, word));
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> MakePod(const std::string& name, const std::vector<Word>& line) {
  Json pod = NewPod(name);
  BTH_RETURN_IF_ERROR(SetAll("pod", line, PodWords(), &pod));
  const bool placed = !pod["spec"]["nodeName"].AsString().empty();
  if (placed && pod["status"]["phase"].is_null()) pod["status"].Set("phase", Json("Running"));
  return pod;
}

// Words of the group go to the PodGroup; the rest, and what both know, to its pods.
absl::Status ExpandJob(const std::string& name, const std::vector<Word>& line,
                       std::vector<Json>* out) {
  Json group = NewObject("scheduling.volcano.sh/v1beta1", "PodGroup", name);
  group["spec"].Set("minMember", Json(1));
  std::vector<Word> pod_line = {{.key = "job", .rest = "", .value = name}};
  int64_t tasks = 0;
  for (const Word& word : line) {
    const auto setter = JobWords().find(word.key);
    if (setter != JobWords().end()) BTH_RETURN_IF_ERROR(setter->second(&group, word));
    if (word.key == "tasks") {
      if (!absl::SimpleAtoi(word.value, &tasks) || tasks < 0 || tasks > kTasksMax) {
        return absl::InvalidArgumentError(StrCat("tasks: not a number within 0 and ", kTasksMax));
      }
    } else if (word.key == "taskprio") {
      pod_line.push_back({.key = "prio", .rest = "", .value = word.value});
    } else if (word.key == "ns" || word.key == "created" || setter == JobWords().end()) {
      if (!PodWords().contains(word.key)) return Unknown("job", word, JobWords());
      pod_line.push_back(word);
    }
  }
  out->push_back(std::move(group));
  for (int64_t i = 0; i < tasks; ++i) {
    BTH_ASSIGN_OR_RETURN(Json pod, MakePod(StrCat(name, "-", i), pod_line));
    out->push_back(std::move(pod));
  }
  return absl::OkStatus();
}

absl::Status ExpandOne(const std::string& kind, const std::string& name,
                       const std::vector<Word>& line, std::vector<Json>* out) {
  if (kind == "job") return ExpandJob(name, line, out);
  if (kind == "pod") {
    BTH_ASSIGN_OR_RETURN(Json pod, MakePod(name, line));
    out->push_back(std::move(pod));
    return absl::OkStatus();
  }
  struct PlainKind {
    const char* version;
    const char* kind;
    const Words& (*words)();
  };
  static const std::map<std::string, PlainKind, std::less<>>& kPlain =
      *new std::map<std::string, PlainKind, std::less<>>{
          {"node", {"v1", "Node", NodeWords}},
          {"hypernode", {"topology.volcano.sh/v1alpha1", "HyperNode", HyperNodeWords}},
          {"queue", {"scheduling.volcano.sh/v1beta1", "Queue", QueueWords}},
          {"priority", {"scheduling.k8s.io/v1", "PriorityClass", PriorityWords}}};
  const auto known = kPlain.find(kind);
  if (known == kPlain.end()) {
    return absl::InvalidArgumentError(
        StrCat("unknown kind \"", kind, "\"; use node, hypernode, queue, priority, job or pod"));
  }
  Json object = NewObject(known->second.version, known->second.kind, name);
  if (kind == "node") object["status"]["allocatable"].Set("pods", Json("110"));
  BTH_RETURN_IF_ERROR(SetAll(kind, line, known->second.words(), &object));
  out->push_back(std::move(object));
  return absl::OkStatus();
}

}  // namespace

std::map<std::string, std::vector<std::string>> ShortFormWords() {
  std::map<std::string, std::vector<std::string>> out = {{"job", {"tasks", "taskprio"}}};
  const std::pair<const char*, const Words&> kinds[] = {
      {"node", NodeWords()},   {"hypernode", HyperNodeWords()},
      {"queue", QueueWords()}, {"priority", PriorityWords()},
      {"job", JobWords()},     {"pod", PodWords()}};
  for (const auto& [kind, words] : kinds) {
    for (const auto& [word, setter] : words) out[kind].push_back(word);
  }
  return out;
}

absl::StatusOr<std::vector<Json>> ExpandShortForm(std::string_view line) {
  const std::vector<std::string> parts = SplitText(line, ' ', absl::SkipWhitespace());
  if (parts.size() < 2) return absl::InvalidArgumentError("expected a kind and a name");
  std::vector<Word> words;
  for (size_t i = 2; i < parts.size(); ++i) words.push_back(SplitWord(parts[i]));
  std::vector<Json> out;
  for (absl::string_view name : absl::StrSplit(parts[1], ',')) {
    BTH_RETURN_IF_ERROR(ExpandOne(parts[0], std::string(name), words, &out));
  }
  return out;
}

}  // namespace bth::sim
