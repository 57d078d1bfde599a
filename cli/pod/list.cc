#include "cli/pod/list.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/rules/go_quote.h"
#include "api/rules/names.h"
#include "api/types/pod.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/pod/status.h"
#include "cli/session/cluster_flags.h"
#include "cli/text/age.h"
#include "cli/text/object.h"
#include "cli/text/padded.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr char kJobLabel[] = "volcano.sh/job-name";
constexpr char kQueueLabel[] = "volcano.sh/queue-name";
constexpr char kQueueAnnotation[] = "scheduling.volcano.sh/queue-name";
// A column has so many blanks at least behind its title, and behind its longest value.
constexpr size_t kAfterTitle = 2;
constexpr size_t kAfterValues = 8;

struct ListPodsFlags {
  ClusterFlags cluster;
  std::string queue;
  std::string job;
  std::string ns = "default";
  bool all_namespaces = false;
};

absl::StatusOr<std::vector<Json>> ReadPods(Cluster& cluster, const ListPodsFlags& flags,
                                           const std::string& label_selector) {
  const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
  const std::string ns = flags.all_namespaces ? "" : flags.ns;
  BTH_ASSIGN_OR_RETURN(ObjectList list, cluster.List({type, ns, ""}, {label_selector, ""}));
  return std::move(list.items);
}

// The job's name becomes the value of a label in a selector.
absl::Status CheckJobLabel(const std::string& job) {
  const std::vector<std::string> problems = rules::CheckLabelValue(job);
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("values[0][", kJobLabel,
                                           "]: Invalid value: ", rules::GoQuote(job), ": ",
                                           absl::StrJoin(problems, "; ")));
}

absl::StatusOr<std::vector<Json>> PodsOfJob(Cluster& cluster, const ListPodsFlags& flags) {
  BTH_RETURN_IF_ERROR(CheckJobLabel(flags.job));
  BTH_ASSIGN_OR_RETURN(std::vector<Json> pods,
                       ReadPods(cluster, flags, StrCat(kJobLabel, " in (", flags.job, ")")));
  for (const Json& pod : pods) {
    const std::string_view queue = LabelIn(pod, kQueueLabel);
    if (flags.queue.empty() || queue.empty() || queue == flags.queue) continue;
    return absl::InvalidArgumentError(
        StrCat("the input vcjob ", flags.job, " does not match the queue ", flags.queue));
  }
  return pods;
}

absl::StatusOr<std::vector<Json>> PodsOfQueue(Cluster& cluster, const ListPodsFlags& flags) {
  BTH_ASSIGN_OR_RETURN(std::vector<Json> pods, ReadPods(cluster, flags, ""));
  std::erase_if(pods, [&flags](const Json& pod) {
    return LabelIn(pod, kQueueLabel) != flags.queue &&
           AnnotationIn(pod, kQueueAnnotation) != flags.queue;
  });
  return pods;
}

absl::Status ListPods(Session& session, const ListPodsFlags& flags) {
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  absl::StatusOr<std::vector<Json>> pods = !flags.job.empty() ? PodsOfJob(*cluster, flags)
                                           : !flags.queue.empty()
                                               ? PodsOfQueue(*cluster, flags)
                                               : ReadPods(*cluster, flags, kJobLabel);
  BTH_RETURN_IF_ERROR(pods);
  if (pods->empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  session.out() << PodTable(*std::move(pods), flags.all_namespaces, session.now());
  return absl::OkStatus();
}

Command ListPodsCommand() {
  auto flags = std::make_shared<ListPodsFlags>();
  Command leaf;
  leaf.name = "list";
  leaf.short_text = "list pod information created by vcjob";
  AddClusterFlags(&flags->cluster, &leaf.flags);
  leaf.flags.Text(&flags->queue, {"queue", 'q'}, "list pod with specified queue name");
  leaf.flags.Text(&flags->job, {"job", 'j'}, "list pod with specified job name");
  leaf.flags.Text(&flags->ns, {"namespace", 'n'}, "the namespace of pod");
  leaf.flags.Bool(&flags->all_namespaces, {"all-namespaces"}, "list pods in all namespaces");
  leaf.run = [flags](Session& session) { return ListPods(session, *flags); };
  return leaf;
}

}  // namespace

std::string PodTable(std::vector<Json> pods, bool with_namespace, absl::Time now) {
  std::sort(pods.begin(), pods.end(), [](const Json& a, const Json& b) {
    return std::tuple(NamespaceIn(a), NameIn(a)) < std::tuple(NamespaceIn(b), NameIn(b));
  });
  std::vector<std::vector<std::string>> rows = {{"Name", "Ready", "Status", "Restart", "Age"}};
  if (with_namespace) rows[0].insert(rows[0].begin(), "Namespace");
  for (const Json& pod : pods) {
    const PodState state = StateOf(pod);
    std::vector<std::string>& row = rows.emplace_back();
    if (with_namespace) row.emplace_back(NamespaceIn(pod));
    row.emplace_back(NameIn(pod));
    row.push_back(StrCat(state.ready, "/", state.containers));
    row.push_back(state.status);
    row.push_back(RestartsText(state, now));
    row.push_back(ObjectAgeOf(CreatedIn(pod), now));
  }
  std::vector<size_t> widths;
  for (size_t column = 0; column < rows[0].size(); ++column) {
    size_t width = rows[0][column].size() + kAfterTitle;
    for (size_t i = 1; i < rows.size(); ++i) {
      width = std::max(width, rows[i][column].size() + kAfterValues);
    }
    widths.push_back(width);
  }
  std::string out;
  for (const std::vector<std::string>& row : rows) out += PaddedLine(row, widths);
  return out;
}

Command PodCommand() {
  Command group;
  group.name = "pod";
  group.short_text = "vcctl command line operation pod";
  group.children.push_back(ListPodsCommand());
  return group;
}

}  // namespace bth::cli
