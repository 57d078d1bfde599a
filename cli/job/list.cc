#include "cli/job/list.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cli/listing/views.h"
#include "cli/queue/commands.h"
#include "cli/session/cluster_flags.h"
#include "cli/session/offers.h"
#include "cli/text/object.h"
#include "cli/text/padded_table.h"
#include "cli/text/time_text.h"

namespace bth::cli {
namespace {

using types::Json;

constexpr size_t kAfterNames = 3;  // Blanks behind the longest name.

// One counter of the status, as a column.
struct Counter {
  std::string_view title;
  size_t width;
  std::string_view field;
};
constexpr Counter kCounters[] = {{"Min", 6, "minAvailable"},      {"Pending", 10, "pending"},
                                 {"Running", 10, "running"},      {"Succeeded", 12, "succeeded"},
                                 {"Failed", 10, "failed"},        {"Unknown", 12, "unknown"},
                                 {"RetryCount", 10, "retryCount"}};

size_t WidthOf(std::string_view title, std::string_view (*text)(const Json&),
               const std::vector<Json>& jobs) {
  size_t longest = title.size();
  for (const Json& job : jobs) longest = std::max(longest, text(job).size());
  return longest + kAfterNames;
}

// Longer forms of a time do not run into the next column.
size_t CreationWidth(const JobTable& table) {
  constexpr size_t kDay = 15;
  constexpr size_t kMoment = 22;
  constexpr size_t kStamp = 28;
  if (table.times.form == TimeForm::kAbsolute) return kMoment;
  return table.times.form == TimeForm::kRfc3339 ? kStamp : kDay;
}

int64_t ReplicasOf(const Json& job) {
  int64_t sum = 0;
  for (const Json& task : job.At({"spec", "tasks"}).items()) {
    // Each fits 32 bits where it was checked; nothing is added up that was not.
    sum += std::clamp<int64_t>(task["replicas"].AsInt(), INT32_MIN, INT32_MAX);
  }
  return sum;
}

std::vector<std::string> RowOf(const Json& job, const JobTable& table) {
  std::vector<std::string> row;
  if (table.with_namespace) row.emplace_back(NamespaceIn(job));
  const std::string_view type = LabelIn(job, "volcano.sh/job-type");
  row.emplace_back(NameIn(job));
  row.push_back(table.times.form == TimeForm::kUsual ? DayText(CreatedIn(job), table.zone)
                                                     : TimeText(CreatedIn(job), table.times));
  row.emplace_back(job.At({"status", "state", "phase"}).AsString());
  row.emplace_back(type.empty() ? "Batch" : type);
  row.push_back(StrCat(ReplicasOf(job)));
  for (const Counter& counter : kCounters) {
    row.push_back(StrCat(job.At({"status", counter.field}).AsInt()));
  }
  return row;
}

absl::Status ListJobs(Session& session, const ListJobsFlags& flags) {
  session.Apply(flags.listing.show);
  BTH_ASSIGN_OR_RETURN(const std::unique_ptr<Cluster> cluster, session.Connect(flags.cluster));
  if (WantsOtherFormat(flags.listing)) {
    const auto passes = [&flags](const Json& job) { return Passes(job, flags.filter); };
    const Target target{JobType(), flags.all_namespaces ? "" : flags.ns, ""};
    return ShowListing(session, *cluster, {target, SelectorsOf(flags.listing), passes, JobView()},
                       flags.listing);
  }
  BTH_ASSIGN_OR_RETURN(std::vector<Json> jobs, ReadJobs(*cluster, flags));
  std::erase_if(jobs, [&flags](const Json& job) { return !Passes(job, flags.filter); });
  if (jobs.empty()) {
    session.out() << "No resources found\n";
    return absl::OkStatus();
  }
  session.out() << TextOf(JobTable{jobs, flags.filter, flags.all_namespaces, session.zone(),
                                   session.terminal(), session.times()});
  return absl::OkStatus();
}

}  // namespace

bool Passes(const Json& job, const JobFilter& filter) {
  const auto is = [&job](const char* field, const std::string& wanted) {
    return wanted.empty() || job.At({"spec", field}).AsString() == wanted;
  };
  return is("queue", filter.queue) && is("schedulerName", filter.scheduler) &&
         StrContains(NameIn(job), filter.name_part);
}

std::string TextOf(const JobTable& table) {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  const auto add = [&titles, &widths](std::string_view title, size_t width) {
    titles.emplace_back(title);
    widths.push_back(width);
  };
  if (table.with_namespace) add("Namespace", WidthOf("Namespace", NamespaceIn, table.measured));
  add("Name", WidthOf("Name", NameIn, table.measured));
  add("Creation", CreationWidth(table));
  PaddedTable out;
  out.phase = titles.size();
  add("Phase", 12);
  add("JobType", 12);
  add("Replicas", 12);
  for (const Counter& counter : kCounters) add(counter.title, counter.width);
  out.widths = std::move(widths);
  out.lines.push_back(std::move(titles));
  for (const Json& job : table.measured) {
    if (Passes(job, table.shown)) out.lines.push_back(RowOf(job, table));
  }
  return PaddedTableText(out, table.terminal);
}

absl::StatusOr<std::vector<Json>> ReadJobs(Cluster& cluster, const ListJobsFlags& flags) {
  const std::string ns = flags.all_namespaces ? "" : flags.ns;
  BTH_ASSIGN_OR_RETURN(ObjectList list,
                       cluster.List({JobType(), ns, ""}, SelectorsOf(flags.listing)));
  return std::move(list.items);
}

void AddListFlags(ListJobsFlags* target, FlagSet* flags) {
  AddClusterFlags(&target->cluster, flags);
  flags->Text(&target->filter.scheduler, {"scheduler", 'S'},
              "list job with specified scheduler name");
  flags->Bool(&target->all_namespaces, {"all-namespaces", 'A'}, "list jobs in all namespaces");
  flags->Text(&target->filter.name_part, {"selector"}, "fuzzy matching jobName");
}

Command ListJobsCommand() {
  auto flags = std::make_shared<ListJobsFlags>();
  Command leaf;
  leaf.name = "list";
  leaf.short_text = "list job information";
  AddListFlags(flags.get(), &leaf.flags);
  leaf.flags.Text(&flags->ns, {"namespace", kVcctlLetters.ns}, "the namespace of job");
  leaf.flags.Text(&flags->filter.queue, {"queue", 'q'}, "list job with specified queue name");
  leaf.flags.OfferFor("namespace", OfferNamespaces(&flags->cluster));
  leaf.flags.OfferFor("queue", OfferNames(&flags->cluster, QueueType(), nullptr));
  AddListingFlags(&flags->listing, &leaf.flags);
  leaf.run = [flags](Session& session) { return ListJobs(session, *flags); };
  return leaf;
}

}  // namespace bth::cli
