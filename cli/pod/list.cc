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
#include "cli/job/flags.h"
#include "cli/listing/listing.h"
#include "cli/listing/views.h"
#include "cli/pod/status.h"
#include "cli/print/times.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"
#include "cli/text/object.h"
#include "cli/text/padded_table.h"

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
  ListingFlags listing;
};

// The job's name becomes the value of a label in a selector.
absl::Status CheckJobLabel(const std::string& job) {
  const std::vector<std::string> problems = rules::CheckLabelValue(job);
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("values[0][", kJobLabel,
                                           "]: Invalid value: ", rules::GoQuote(job), ": ",
                                           absl::StrJoin(problems, "; ")));
}

Selectors PodSelectors(const ListPodsFlags& flags) {
  Selectors selectors = SelectorsOf(flags.listing);
  std::string labels;
  if (!flags.job.empty()) {
    labels = StrCat(kJobLabel, " in (", flags.job, ")");
  } else if (flags.queue.empty()) {
    labels = kJobLabel;
  }
  const bool both = !labels.empty() && !selectors.labels.empty();
  selectors.labels = StrCat(labels, both ? "," : "", selectors.labels);
  return selectors;
}

// With a job its queue is only looked at for a contradiction.
bool IsOfQueue(const Json& pod, const ListPodsFlags& flags) {
  return flags.queue.empty() || !flags.job.empty() || LabelIn(pod, kQueueLabel) == flags.queue ||
         AnnotationIn(pod, kQueueAnnotation) == flags.queue;
}

bool Contradicts(const Json& pod, const ListPodsFlags& flags) {
  const std::string_view queue = LabelIn(pod, kQueueLabel);
  return !flags.job.empty() && !flags.queue.empty() && !queue.empty() && queue != flags.queue;
}

absl::Status CheckQueue(const Json& pod, const ListPodsFlags& flags) {
  if (!Contradicts(pod, flags)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("the input vcjob ", flags.job, " does not match the queue ", flags.queue));
}

absl::Status ListPods(Session& session, const ListPodsFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  BTH_RETURN_IF_ERROR(CheckJobLabel(flags.job));
  const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
  const Target target{type, flags.all_namespaces ? "" : flags.ns, ""};
  if (WantsOtherFormat(flags.listing)) {
    const auto passes = [&flags](const Json& pod) {
      return IsOfQueue(pod, flags) && !Contradicts(pod, flags);
    };
    const auto check = [&flags](const Json& pod) { return CheckQueue(pod, flags); };
    return ShowListing(session, *cluster, {target, PodSelectors(flags), passes, PodView(), check},
                       flags.listing);
  }
  BTH_ASSIGN_OR_RETURN(ObjectList pods, cluster->List(target, PodSelectors(flags)));
  for (const Json& pod : pods.items) BTH_RETURN_IF_ERROR(CheckQueue(pod, flags));
  std::erase_if(pods.items, [&flags](const Json& pod) { return !IsOfQueue(pod, flags); });
  session.out() << (pods.items.empty() ? "No resources found\n"
                                       : PodTable(std::move(pods.items), flags.all_namespaces,
                                                  session.times(), session.terminal()));
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
  leaf.flags.Bool(&flags->all_namespaces, {"all-namespaces", 'A'}, "list pods in all namespaces");
  leaf.flags.OfferFor("queue", OfferNames(&flags->cluster, QueueType(), nullptr));
  leaf.flags.OfferFor("job", OfferNames(&flags->cluster, JobType(), &flags->ns));
  leaf.flags.OfferFor("namespace", OfferNamespaces(&flags->cluster));
  AddListingFlags(&flags->listing, &leaf.flags);
  leaf.run = [flags](Session& session) { return ListPods(session, *flags); };
  return leaf;
}

}  // namespace

std::string PodTable(std::vector<Json> pods, bool with_namespace, const TimeStyle& times,
                     const Terminal& terminal) {
  std::sort(pods.begin(), pods.end(), [](const Json& a, const Json& b) {
    return std::tuple(NamespaceIn(a), NameIn(a)) < std::tuple(NamespaceIn(b), NameIn(b));
  });
  PaddedTable table;
  std::vector<std::vector<std::string>>& rows = table.lines;
  rows = {{"Name", "Ready", "Status", "Restart", "Age"}};
  if (with_namespace) rows[0].insert(rows[0].begin(), "Namespace");
  table.phase = with_namespace ? 3 : 2;
  for (const Json& pod : pods) {
    const PodState state = StateOf(pod);
    std::vector<std::string>& row = rows.emplace_back();
    if (with_namespace) row.emplace_back(NamespaceIn(pod));
    row.emplace_back(NameIn(pod));
    row.push_back(StrCat(state.ready, "/", state.containers));
    row.push_back(state.status);
    row.push_back(RestartsText(state, times.now));
    row.push_back(TimeText(CreatedIn(pod), times));
  }
  for (size_t column = 0; column < rows[0].size(); ++column) {
    size_t width = rows[0][column].size() + kAfterTitle;
    for (size_t i = 1; i < rows.size(); ++i) {
      width = std::max(width, rows[i][column].size() + kAfterValues);
    }
    table.widths.push_back(width);
  }
  return PaddedTableText(table, terminal);
}

Command PodCommand() {
  Command group;
  group.name = "pod";
  group.short_text = "vcctl command line operation pod";
  group.children.push_back(ListPodsCommand());
  return group;
}

}  // namespace bth::cli
