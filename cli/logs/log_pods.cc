#include "cli/logs/log_pods.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr std::string_view kTaskKey = "volcano.sh/task-spec";
constexpr std::string_view kIndexKey = "volcano.sh/task-index";
constexpr std::string_view kDefaultContainerKey = "kubectl.kubernetes.io/default-container";

// Annotations are there since Volcano's first versions, labels of later ones.
std::string_view MarkIn(const Json& pod, std::string_view key) {
  const std::string_view annotation = AnnotationIn(pod, key);
  return annotation.empty() ? LabelIn(pod, key) : annotation;
}

std::optional<int64_t> IndexOf(const Json& pod) {
  std::string_view text = MarkIn(pod, kIndexKey);
  if (text.empty()) text = NameIn(pod).substr(NameIn(pod).rfind('-') + 1);
  int64_t index = 0;
  if (!SimpleAtoi(text, &index)) return std::nullopt;
  return index;
}

absl::Status CheckTask(const Json& job, const std::string& task) {
  std::vector<std::string_view> names;
  for (const Json& one : job.At({"spec", "tasks"}).items()) {
    names.push_back(one["name"].AsString());
  }
  if (std::find(names.begin(), names.end(), task) != names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("--task: job ", NameIn(job), " has no task \"", task,
                                           "\"", DidYouMean(task, names), "; it has ",
                                           ListOf(names)));
}

bool IsMeant(const Json& pod, const LogChoice& choice) {
  if (!choice.pod.empty() && NameIn(pod) != choice.pod) return false;
  if (!choice.task.empty() && MarkIn(pod, kTaskKey) != choice.task) return false;
  return !choice.index || IndexOf(pod) == choice.index;
}

const Json& ContainerStatusIn(const Json& pod, std::string_view name) {
  static const Json none;
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& status : pod["status"][list].items()) {
      if (status["name"].AsString() == name) return status;
    }
  }
  return none;
}

LogPlace PlaceIn(const Json& pod, const std::string& container) {
  LogPlace place;
  place.pod = NameIn(pod);
  place.uid = pod.At({"metadata", "uid"}).AsString();
  place.container = container.empty() ? AnnotationIn(pod, kDefaultContainerKey) : container;
  const auto& containers = pod.At({"spec", "containers"}).items();
  if (place.container.empty() && !containers.empty()) {
    place.container = containers[0]["name"].AsString();
    for (const Json& one : containers) {
      if (containers.size() == 1) break;
      StrAppend(&place.other_containers, place.other_containers.empty() ? "" : ", ",
                one["name"].AsString());
    }
  }
  const std::string_view phase = pod.At({"status", "phase"}).AsString();
  place.is_over = phase == "Succeeded" || phase == "Failed";
  const Json& status = ContainerStatusIn(pod, place.container);
  place.restarts = status["restartCount"].AsInt();
  place.has_run = status.At({"state", "running"}).is_object() ||
                  status.At({"state", "terminated"}).is_object() ||
                  status.At({"lastState", "terminated"}).is_object();
  return place;
}

}  // namespace

absl::StatusOr<std::vector<LogPlace>> LogPlaces(const Json* job, const std::vector<Json>& pods,
                                                const LogChoice& choice) {
  if (job != nullptr && !choice.task.empty()) {
    BTH_RETURN_IF_ERROR(CheckTask(*job, choice.task));
  }
  std::map<std::string, size_t, std::less<>> ranks;
  if (job != nullptr) {
    for (const Json& task : job->At({"spec", "tasks"}).items()) {
      ranks.emplace(task["name"].AsString(), ranks.size());
    }
  }
  using Rank = std::tuple<size_t, int64_t, std::string_view>;
  std::vector<std::pair<Rank, const Json*>> meant;
  for (const Json& pod : pods) {
    if (!IsMeant(pod, choice)) continue;
    const auto rank = ranks.find(MarkIn(pod, kTaskKey));
    const int64_t index = IndexOf(pod).value_or(std::numeric_limits<int64_t>::max());
    meant.push_back(
        {{rank == ranks.end() ? ranks.size() : rank->second, index, NameIn(pod)}, &pod});
  }
  std::sort(meant.begin(), meant.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LogPlace> places;
  places.reserve(meant.size());
  for (const auto& [rank, pod] : meant) places.push_back(PlaceIn(*pod, choice.container));
  return places;
}

std::string ChoiceText(const LogChoice& choice) {
  std::string text;
  const auto add = [&text](std::string_view what, std::string_view value) {
    StrAppend(&text, text.empty() ? "" : ", ", what, " ", value);
  };
  if (!choice.task.empty()) add("task", choice.task);
  if (choice.index) add("index", StrCat(*choice.index));
  if (!choice.pod.empty()) add("pod", choice.pod);
  return text;
}

}  // namespace bth::cli
