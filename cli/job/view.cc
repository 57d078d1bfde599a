#include "cli/job/view.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "api/types/event.h"
#include "api/types/quantity.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/print/table.h"
#include "cli/print/times.h"
#include "cli/session/cluster.h"
#include "cli/text/object.h"
#include "cli/text/ordered_json.h"
#include "cli/text/padded.h"
#include "cli/text/time_text.h"

namespace bth::cli {
namespace {

using types::Json;

// Lines with two blanks per level.
class Lines final {
 public:
  template <typename... Pieces>
  void Add(int level, const Pieces&... pieces) {
    out_.append(static_cast<size_t>(level) * 2, ' ');
    StrAppend(&out_, pieces..., "\n");
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string CompactMap(const Json& map) {
  return map.empty() ? "<none>" : SortedJson(map);
}

std::string QuantityText(const Json& quantity) {
  const std::string text =
      quantity.is_number() ? quantity.Dump() : std::string(quantity.AsString());
  const absl::StatusOr<types::Quantity> read = types::Quantity::Parse(text);
  return read.ok() ? read->ToString() : "0";
}

std::string ArgumentsText(const Json& arguments) {
  std::string out;
  for (const Json& argument : arguments.items()) {
    StrAppend(&out, out.empty() ? "" : " ", argument.AsString());
  }
  return StrCat("[", out, "]");
}

void AddContainer(const Json& container, Lines& lines) {
  lines.Add(5, "Command:");
  for (const Json& word : container["command"].items()) lines.Add(6, word.AsString());
  lines.Add(5, "Image:\t", container["image"].AsString());
  lines.Add(5, "Name: \t", container["name"].AsString());
  lines.Add(5, "Ports:");
  for (const Json& port : container["ports"].items()) {
    lines.Add(6, "Container Port:\t", port["containerPort"].AsInt());
    lines.Add(6, "Name:          \t", port["name"].AsString());
  }
  lines.Add(5, "Resources:");
  for (const auto& [title, field] : {std::pair("Limits:", "limits"), {"Requests:", "requests"}}) {
    lines.Add(6, title);
    lines.Add(7, "Cpu:   \t", QuantityText(container.At({"resources", field, "cpu"})));
    lines.Add(7, "Memory:\t", QuantityText(container.At({"resources", field, "memory"})));
  }
  lines.Add(6, "Working Dir:\t", container["workingDir"].AsString());
}

std::string WhenIn(std::string_view stamp, const TimeStyle& times) {
  const bool is_usual = times.form == TimeForm::kUsual || stamp.empty();
  return is_usual ? MomentText(stamp, times.zone) : TimeText(stamp, times);
}

void AddTask(const Json& task, const TimeStyle& times, Lines& lines) {
  const Json& pod = task["template"];
  const auto annotation = [&pod](std::string_view key) { return AnnotationIn(pod, key); };
  lines.Add(2, "Name:\t", task["name"].AsString());
  lines.Add(2, "Replicas:\t", task["replicas"].AsInt());
  lines.Add(2, "Template:");
  lines.Add(3, "Metadata:");
  lines.Add(4, "Annotations:");
  lines.Add(5, "Cri . Cci . Io / Container - Type:          \t",
            annotation("cri.cci.io/container-type"));
  lines.Add(5, "Kubernetes . Io / Availablezone:            \t",
            annotation("kubernetes.io/availablezone"));
  lines.Add(5, "Network . Alpha . Kubernetes . Io / Network:\t",
            annotation("network.alpha.kubernetes.io/network"));
  lines.Add(4, "Creation Timestamp:\t", WhenIn(CreatedIn(pod), times));
  lines.Add(3, "Spec:");
  lines.Add(4, "Containers:");
  for (const Json& container : pod.At({"spec", "containers"}).items()) {
    AddContainer(container, lines);
  }
  lines.Add(4, "Image Pull Secrets:");
  for (const Json& secret : pod.At({"spec", "imagePullSecrets"}).items()) {
    lines.Add(5, "Name:     \t", secret["name"].AsString());
  }
  lines.Add(4, "Restart Policy:   \t", pod.At({"spec", "restartPolicy"}).AsString());
}

// How a description is written.
struct ViewStyle {
  ViewParts parts;
  const TimeStyle& times;
  bool colour = false;
};

void AddStatus(const Json& status, const ViewStyle& style, Lines& lines) {
  constexpr std::pair<std::string_view, std::string_view> kCounts[] = {
      {"Succeeded:    ", "succeeded"},   {"Pending:      ", "pending"},
      {"Running:      ", "running"},     {"Failed:       ", "failed"},
      {"Terminating:  ", "terminating"}, {"Unknown:      ", "unknown"},
      {"RetryCount:   ", "retryCount"},  {"Min Available:", "minAvailable"},
      {"Version:      ", "version"}};
  lines.Add(0, "Status:");
  for (const auto& [title, field] : kCounts) {
    const int64_t count = status[field].AsInt();
    if (count > 0) lines.Add(1, title, "\t", count);
  }
  lines.Add(1, "State:");
  const std::string_view phase = status.At({"state", "phase"}).AsString();
  lines.Add(2, "Phase:\t", Coloured(phase, ToneOf(phase), style.colour));
  Json resources = status["controlledResources"];
  if (!resources.empty()) {
    lines.Add(1, "Controlled Resources:");
    std::sort(resources.MutableMembers().begin(), resources.MutableMembers().end(),
              [](const Json::Member& a, const Json::Member& b) { return a.first < b.first; });
    for (const auto& [key, value] : resources.members()) {
      lines.Add(2, key, ": \t", value.AsString());
    }
  }
  if (style.parts == ViewParts::kWithoutConditions || status["conditions"].empty()) return;
  lines.Add(1, "Conditions:");
  lines.Add(2, "Status\tTransitionTime");
  for (const Json& condition : status["conditions"].items()) {
    const std::string_view time = condition["lastTransitionTime"].AsString();
    lines.Add(2, condition["status"].AsString(), " \t",
              time.empty() ? "<nil>" : WhenIn(time, style.times), " ");
  }
}

std::string EventLine(std::string_view type, std::string_view reason, std::string_view age,
                      std::string_view from, std::string_view message) {
  return StrCat(Padded(type, 15), "\t", Padded(reason, 40), "\t", Padded(age, 30), "\t",
                Padded(from, 40), "\t", message, "\n");
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string EventAgeOf(std::string_view stamp, const TimeStyle& times) {
  if (times.form != TimeForm::kUsual) return TimeText(stamp, times);
  const absl::StatusOr<absl::Time> time = types::ParseTimestamp(stamp);
  return time.ok() ? EventAgeText(times.now - *time) : "<unknown>";
}

std::string EventRow(const Json& event, const TimeStyle& times) {
  std::string age = EventAgeOf(event["firstTimestamp"].AsString(), times);
  if (const int64_t count = event["count"].AsInt(); count > 1) {
    age = StrCat(EventAgeOf(event["lastTimestamp"].AsString(), times), " (x", count, " over ", age,
                 ")");
  }
  std::string from(event.At({"source", "component"}).AsString());
  const std::string_view host = event.At({"source", "host"}).AsString();
  if (!host.empty()) StrAppend(&from, ", ", host);
  return EventLine(event["type"].AsString(), event["reason"].AsString(), age, from,
                   Trimmed(event["message"].AsString()));
}

}  // namespace

std::string JobDescription(const Json& job, ViewParts parts, const TimeStyle& times, bool colour) {
  const Json& meta = job["metadata"];
  const Json& spec = job["spec"];
  Lines lines;
  lines.Add(0, "Name:       \t", NameIn(job));
  lines.Add(0, "Namespace:  \t", NamespaceIn(job));
  lines.Add(0, "Labels:     \t", CompactMap(meta["labels"]));
  lines.Add(0, "Annotations:\t", CompactMap(meta["annotations"]));
  // Volcano's client drops these two.
  lines.Add(0, "API Version:\t");
  lines.Add(0, "Kind:       \t");
  lines.Add(0, "Metadata:");
  lines.Add(1, "Creation Timestamp:\t", WhenIn(CreatedIn(job), times));
  lines.Add(1, "Generate Name:     \t", meta["generateName"].AsString());
  lines.Add(1, "Generation:        \t", meta["generation"].AsInt());
  lines.Add(1, "Resource Version:  \t", meta["resourceVersion"].AsString());
  lines.Add(1, "UID:               \t", meta["uid"].AsString());
  lines.Add(0, "Spec:");
  lines.Add(1, "Min Available:     \t", spec["minAvailable"].AsInt());
  lines.Add(1, "Plugins:");
  lines.Add(2, "Env:\t", ArgumentsText(spec.At({"plugins", "env"})));
  lines.Add(2, "Ssh:\t", ArgumentsText(spec.At({"plugins", "ssh"})));
  lines.Add(1, "Scheduler Name:    \t", spec["schedulerName"].AsString());
  lines.Add(1, "Tasks:");
  for (const Json& task : spec["tasks"].items()) AddTask(task, times, lines);
  AddStatus(job["status"], {parts, times, colour}, lines);
  return lines.Take();
}

std::string EventsDescription(const std::vector<Json>& events, std::string_view job_name,
                              const TimeStyle& times) {
  const std::string prefix = StrCat(job_name, ".");
  std::string rows;
  for (const Json& event : events) {
    if (NameIn(event).starts_with(prefix)) rows += EventRow(event, times);
  }
  if (rows.empty()) return "Events: \t<none>\n";
  constexpr std::string_view kRule = "-------";
  return StrCat("Events:\n", EventLine("Type", "Reason", "Age", "Form", "Message"),
                EventLine(kRule, kRule, kRule, kRule, kRule), rows);
}

absl::Status ViewJob(Session& session, const JobFlags& flags, ViewParts parts) {
  session.Apply(flags.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (flags.name.empty()) {
    return absl::InvalidArgumentError(
        "job name (specified by --name or -N) is mandatory to view a particular job");
  }
  BTH_ASSIGN_OR_RETURN(const Json job, cluster->Get(TargetOf(flags)));
  session.out() << JobDescription(job, parts, session.times(), session.terminal().colour);
  const types::ResourceType& events = types::ResourceTraits<types::Event>::type();
  const absl::StatusOr<ObjectList> list = cluster->List({events, flags.ns, ""});
  if (!list.ok()) {
    session.err() << "Failed to list events: " << ToStd(list.status().message()) << "\n";
  }
  session.out() << EventsDescription(list.ok() ? list->items : std::vector<Json>(), flags.name,
                                     session.times());
  return absl::OkStatus();
}

}  // namespace bth::cli
