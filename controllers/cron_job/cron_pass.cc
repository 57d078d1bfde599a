#include "controllers/cron_job/cron_pass.h"

#include <algorithm>
#include <utility>

#include "api/types/fragment.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/typed_client.h"
#include "controllers/core/events.h"
#include "controllers/core/ownership.h"
#include "controllers/cron_job/due.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::ConcurrencyPolicy;
using types::CronJob;
using types::JobPhase;
using types::Json;
using types::ObjectReference;

// A process may have been so much ahead of the API server's clock when it made a job: what is of a
// later time is no run of ours.
constexpr absl::Duration kClocksApartMax = absl::Hours(1);
constexpr std::string_view kScheduledAt = "volcano.sh/cronjob-scheduled-timestamp";

bool NamesZone(const CronJob& cron) {
  return absl::StrContains(cron.spec.schedule, "TZ");
}

absl::StatusOr<absl::TimeZone> ZoneOf(const CronJob& cron) {
  if (!cron.spec.time_zone.has_value()) return absl::LocalTimeZone();
  return types::LoadZone(*cron.spec.time_zone);
}

ObjectReference ReferenceTo(const BatchJob& job) {
  const types::ResourceType& type = types::ResourceTraits<BatchJob>::type();
  ObjectReference reference;
  reference.api_version = type.ApiVersion();
  reference.kind = type.kind;
  reference.ns = job.meta.ns;
  reference.name = job.meta.name;
  reference.uid = job.meta.uid;
  reference.resource_version = job.meta.resource_version;
  return reference;
}

// RFC 3339, where the clock of UTC is written "Z" in whichever zone it is kept.
std::string StampIn(const absl::TimeZone& zone, absl::Time when) {
  if (zone.At(when).offset == 0) return types::FormatTimestamp(when);
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S%Ez", when, zone);
}

// Oldest first; those without a time last; ties by name.
bool IsOlder(const CronPass::JobPtr& a, const CronPass::JobPtr& b) {
  const bool a_timed = a->meta.creation_time != absl::UnixEpoch();
  const bool b_timed = b->meta.creation_time != absl::UnixEpoch();
  if (a_timed != b_timed) return a_timed;
  if (a->meta.creation_time != b->meta.creation_time) {
    return a->meta.creation_time < b->meta.creation_time;
  }
  return a->meta.name < b->meta.name;
}

bool IsOver(const BatchJob& job) {
  return types::IsFinished(job.status.state.phase.value());
}

}  // namespace

absl::StatusOr<types::CronSchedule> ScheduleOf(const CronJob& cron) {
  absl::TimeZone zone = absl::LocalTimeZone();
  if (!NamesZone(cron)) {
    BTH_ASSIGN_OR_RETURN(zone, ZoneOf(cron));
  }
  return types::CronSchedule::Parse(cron.spec.schedule, zone);
}

std::string WhyUnparseable(const CronJob& cron, const absl::Status& why) {
  return StrCat("unparseable schedule for cronjob: ", cron.spec.schedule, ": ", why.message(),
                "; no job is made until it is mended");
}

CronPass::CronPass(const ControllerContext& context, ObjectStore<BatchJob>& jobs,
                   RemakePauses& remakes, CronJob cron)
    : context_(context), jobs_(jobs), remakes_(remakes), cron_(std::move(cron)) {
  for (const JobPtr& job : jobs_.ControlledBy(cron_.meta.uid)) {
    if (job->meta.ns == cron_.meta.ns) owned_.push_back(job);
  }
}

net::Awaitable<LaneHooks::Outcome> CronPass::Run() {
  LaneHooks::Outcome outcome;
  outcome.status = co_await TakeInFinished();
  if (!outcome.status.ok()) co_return std::move(outcome);
  outcome.status = co_await TakeInOrphans();
  if (!outcome.status.ok()) co_return std::move(outcome);
  DropStale();
  if (cron_.spec.suspend.value_or(false)) co_return std::move(outcome);
  absl::StatusOr<types::CronSchedule> schedule = ReadSchedule();
  if (!schedule.ok()) {
    // The zone may be installed some time; a schedule has to be mended, and that is told of.
    if (ZoneOf(cron_).ok()) co_return std::move(outcome);
    outcome.status = schedule.status();
    co_return std::move(outcome);
  }
  outcome.status = co_await RunIfDue(*schedule);
  if (!outcome.status.ok()) co_return std::move(outcome);
  outcome.again = DelayUntilNext(cron_, *schedule, context_.now());
  if (pause_ > absl::ZeroDuration()) outcome.again = std::min(*outcome.again, pause_);
  co_return std::move(outcome);
}

// --- What its jobs have become ------------------------------------------------------------------

net::Awaitable<absl::Status> CronPass::TakeInFinished() {
  std::vector<JobPtr> completed;
  std::vector<JobPtr> failed;
  for (const JobPtr& job : owned_) {
    if (!IsOver(*job)) continue;
    if (IsActive(job->meta.uid)) {
      RemoveActive(job->meta.uid);
      Tell("SawCompletedJob", StrCat("Saw completed job: ", job->meta.name, " in active, remove"));
    }
    const std::optional<absl::Time> end = job->status.state.last_transition_time;
    if (job->status.state.phase == JobPhase::kCompleted) {
      completed.push_back(job);
      std::optional<absl::Time>& last = cron_.status.last_successful_time;
      if (end.has_value() && (!last.has_value() || *end > *last)) last = end;
    }
    if (job->status.state.phase == JobPhase::kFailed) failed.push_back(job);
  }
  co_await TrimHistory(std::move(completed), cron_.spec.successful_jobs_history_limit);
  co_await TrimHistory(std::move(failed), cron_.spec.failed_jobs_history_limit);
  co_return absl::OkStatus();
}

net::Awaitable<void> CronPass::TrimHistory(std::vector<JobPtr> finished,
                                           std::optional<int32_t> limit) {
  if (!limit.has_value()) co_return;
  // One that goes before the status tells of its run would be run again.
  std::erase_if(finished, [this](const JobPtr& job) {
    return job->meta.deletion_time.has_value() || !TellsOfRun(cron_, job->meta.name);
  });
  const size_t kept = static_cast<size_t>(std::max(*limit, 0));
  if (finished.size() <= kept) co_return;
  std::sort(finished.begin(), finished.end(), &IsOlder);
  finished.resize(finished.size() - kept);
  for (const JobPtr& job : finished) {
    // One that cannot be deleted is told and tried again at the next look.
    const absl::Status ignored = co_await DeleteJob(job->meta.name, job->meta.uid);
    static_cast<void>(ignored);
  }
}

// A job of ours that is not listed: a newer state of the CronJob may list it; else a former process
// ended between creating it and writing that down.
net::Awaitable<absl::Status> CronPass::TakeInOrphans() {
  for (const JobPtr& job : owned_) {
    if (IsOver(*job) || IsActive(job->meta.uid)) continue;
    absl::StatusOr<CronJob> fresh =
        co_await client::GetObject<CronJob>(context_.api, cron_.meta.ns, cron_.meta.name);
    if (!fresh.ok()) co_return fresh.status();
    const std::vector<ObjectReference>& listed = fresh->status.active;
    const bool known = std::any_of(listed.begin(), listed.end(), [&job](const auto& reference) {
      return reference.uid == job->meta.uid;
    });
    if (known) co_return absl::AbortedError("an older state of the CronJob was read; once more");
    Warn("OrphanedJob", StrCat("Detected orphaned job forgotten or not managed by controller: ",
                               job->meta.name, " (UID: ", job->meta.uid, ")"));
  }
  co_return absl::OkStatus();
}

void CronPass::DropStale() {
  const std::vector<ObjectReference> active = cron_.status.active;
  for (const ObjectReference& reference : active) {
    const JobPtr job = jobs_.Find(cron_.meta.ns, reference.name);
    if (job != nullptr && job->meta.uid == reference.uid) continue;
    RemoveActive(reference.uid);
    Warn("StaleReference", job == nullptr
                               ? StrCat("Active job \"", reference.name,
                                        "\" no longer exists (UID: ", reference.uid, ")")
                               : StrCat("Active job reference \"", reference.name,
                                        "\" points to a different UID (expected: ", reference.uid,
                                        ", actual: ", job->meta.uid, ")"));
  }
}

// --- The next one -------------------------------------------------------------------------------

absl::StatusOr<types::CronSchedule> CronPass::ReadSchedule() {
  if (const absl::StatusOr<absl::TimeZone> zone = ZoneOf(cron_); !zone.ok()) {
    Warn("InvalidTimeZone",
         StrCat("Invalid time zone \"", *cron_.spec.time_zone, "\": ", zone.status().message()));
    return zone.status();
  }
  if (NamesZone(cron_)) {
    Warn("UnsupportedSchedule",
         StrCat("CRON_TZ or TZ in the schedule \"", cron_.spec.schedule,
                "\" is not officially supported. If set, the TimeZone field will be ignored during "
                "execution."));
  }
  absl::StatusOr<types::CronSchedule> schedule = ScheduleOf(cron_);
  if (!schedule.ok()) Warn("UnParseableCronJobSchedule", WhyUnparseable(cron_, schedule.status()));
  return schedule;
}

net::Awaitable<absl::Status> CronPass::RunIfDue(types::CronSchedule schedule) {
  const absl::StatusOr<Due> due = MostRecentRun(cron_, schedule, context_.now(), true);
  if (!due.ok()) {
    Warn("InvalidSchedule", StrCat("Error getting schedule time: ", due.status().message()));
    co_return due.status();
  }
  if (!due->last.has_value()) co_return absl::OkStatus();
  if (due->missed == Due::Missed::kMany) {
    Warn("TooManyMissedTimes",
         "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
         "clock skew");
  }
  const absl::Time scheduled = *due->last;
  const std::string name = NameOfRun(cron_, scheduled);
  const bool listed = std::any_of(
      cron_.status.active.begin(), cron_.status.active.end(),
      [&](const ObjectReference& one) { return one.name == name && one.ns == cron_.meta.ns; });
  if (listed || cron_.status.last_schedule_time == scheduled) co_return absl::OkStatus();
  if (TakeInRuns(scheduled)) co_return absl::OkStatus();
  pause_ = remakes_.Left(ChildKey<BatchJob>(cron_.meta.uid, name));
  if (pause_ > absl::ZeroDuration()) co_return absl::OkStatus();
  const absl::StatusOr<bool> room = co_await MakeRoom(name);
  if (!room.ok()) co_return room.status();
  if (!*room) co_return absl::OkStatus();
  co_return co_await CreateJob(scheduled);
}

// A former process ended before it wrote a run down, and its job may be cleaned up; or its clock is
// ahead of ours, and it began with a later run: that one counts, and is not made twice.
bool CronPass::TakeInRuns(absl::Time scheduled) {
  const std::string name = NameOfRun(cron_, scheduled);
  std::optional<absl::Time> latest;
  for (const JobPtr& job : owned_) {
    const std::optional<absl::Time> run = RunOf(cron_, job->meta.name);
    if (!run.has_value() || *run > job->meta.creation_time + kClocksApartMax) continue;
    const bool is_later = *run > scheduled;
    if (!is_later && (job->meta.name != name || !IsOver(*job))) continue;
    if (!IsOver(*job) && !IsActive(job->meta.uid)) cron_.status.active.push_back(ReferenceTo(*job));
    latest = std::max(latest, std::optional(is_later ? *run : scheduled));
  }
  if (latest.has_value()) cron_.status.last_schedule_time = latest;
  return latest.has_value();
}

std::vector<ObjectReference> CronPass::RunningBeside(std::string_view name) const {
  std::vector<ObjectReference> running = cron_.status.active;
  for (const JobPtr& job : owned_) {
    if (IsOver(*job) || IsActive(job->meta.uid) || job->meta.name == name) continue;
    running.push_back(ReferenceTo(*job));
  }
  return running;
}

net::Awaitable<absl::StatusOr<bool>> CronPass::MakeRoom(std::string name) {
  const ConcurrencyPolicy policy = cron_.spec.concurrency_policy.value();
  const std::vector<ObjectReference> running = RunningBeside(name);
  if (running.empty()) co_return true;
  if (policy == ConcurrencyPolicy::kForbid) {
    Warn("ForbidConcurrent", "Skipping job creation because another job is already running");
    co_return false;
  }
  if (policy != ConcurrencyPolicy::kReplace) co_return true;
  Warn("ReplaceConcurrent", "Replacing active job for CronJob");
  for (const ObjectReference& reference : running) {
    const absl::StatusOr<BatchJob> job =
        co_await client::GetObject<BatchJob>(context_.api, cron_.meta.ns, reference.name);
    if (!job.ok()) {
      Warn("FailedGet", StrCat("Get job: ", job.status().message()));
      co_return job.status();
    }
    const absl::Status deleted = co_await DeleteJob(reference.name, reference.uid);
    if (!deleted.ok()) {
      co_return client::WithContext(
          deleted, StrCat("could not replace job ", cron_.meta.ns, "/", reference.name));
    }
  }
  co_return true;
}

net::Awaitable<absl::Status> CronPass::CreateJob(absl::Time scheduled) {
  client::ApiPath path = client::PathOf<BatchJob>(cron_.meta.ns);
  const client::ApiClient::Text text =
      co_await context_.api.Create(std::move(path), JobBody(scheduled));
  JobPtr job;
  if (text.ok()) {
    absl::StatusOr<BatchJob> made = types::Decode<BatchJob>(std::string_view(*text));
    if (!made.ok()) co_return made.status();
    Tell("SuccessfulCreate",
         StrCat("Created job ", made->meta.name, " for CronJob ", cron_.meta.Key()));
    remakes_.NoteMade(ChildKey<BatchJob>(cron_.meta.uid, made->meta.name));
    job = std::make_shared<const BatchJob>(*made);
    jobs_.Observe(*std::move(made));
  } else if (absl::IsAlreadyExists(text.status())) {
    absl::StatusOr<JobPtr> existing = co_await TakeExisting(NameOfRun(cron_, scheduled));
    if (!existing.ok()) co_return existing.status();
    job = *existing;
  } else {
    const std::string_view why = ToStd(text.status().message());
    if (StrContains(why, "being terminated")) {
      Warn("NamespaceTerminating",
           StrCat("Namespace ", cron_.meta.ns, " is terminating, skipping job creation"));
    } else {
      Warn("FailedCreate", StrCat("Failed to create job: ", why));
    }
    co_return text.status();
  }
  if (job == nullptr || IsActive(job->meta.uid)) co_return absl::OkStatus();
  if (!IsOver(*job)) cron_.status.active.push_back(ReferenceTo(*job));
  cron_.status.last_schedule_time = scheduled;
  co_return absl::OkStatus();
}

net::Awaitable<absl::StatusOr<CronPass::JobPtr>> CronPass::TakeExisting(std::string name) {
  absl::StatusOr<BatchJob> job =
      co_await client::GetObject<BatchJob>(context_.api, cron_.meta.ns, name);
  if (!job.ok()) co_return client::WithContext(job.status(), "failed to fetch conflicting job");
  if (!IsControlledBy(job->meta, cron_.meta.uid)) {
    const types::OwnerReference* owner = job->meta.Controller();
    Warn("ForeignJob",
         StrCat("Job ", name, " exists but is not owned by this CronJob (current owner: ",
                owner == nullptr ? "none" : owner->name, ")"));
    co_return JobPtr();
  }
  JobPtr found = std::make_shared<const BatchJob>(*std::move(job));
  co_return std::move(found);
}

net::Awaitable<absl::Status> CronPass::DeleteJob(std::string name, std::string uid) {
  client::ApiPath path = client::PathOf<BatchJob>(cron_.meta.ns, name);
  client::DeleteOptions options;
  options.uid = uid;
  options.propagation = "Background";
  const client::ApiClient::Text text =
      co_await context_.api.Delete(std::move(path), std::move(options));
  if (!text.ok()) {
    Warn("FailedDelete", StrCat("Error deleting job \"", name, "\": ", text.status().message()));
    co_return text.status();
  }
  RemoveActive(uid);
  Tell("SuccessfulDelete", StrCat("Deleted job \"", name, "\""));
  co_return absl::OkStatus();
}

bool CronPass::IsActive(std::string_view uid) const {
  return std::any_of(cron_.status.active.begin(), cron_.status.active.end(),
                     [uid](const ObjectReference& one) { return one.uid == uid; });
}

void CronPass::RemoveActive(std::string_view uid) {
  std::erase_if(cron_.status.active, [uid](const ObjectReference& one) { return one.uid == uid; });
}

std::string CronPass::JobBody(absl::Time scheduled) const {
  const types::ResourceType& type = types::ResourceTraits<BatchJob>::type();
  Json job = Json::MakeObject({{"apiVersion", type.ApiVersion()}, {"kind", type.kind}});
  Json& meta = job["metadata"];
  meta.Set("name", NameOfRun(cron_, scheduled));
  meta.Set("namespace", cron_.meta.ns);
  for (const auto& [key, value] : cron_.spec.job_template.meta.labels) {
    meta["labels"].Set(key, value);
  }
  for (const auto& [key, value] : cron_.spec.job_template.meta.annotations) {
    meta["annotations"].Set(key, value);
  }
  const absl::StatusOr<absl::TimeZone> zone =
      cron_.spec.time_zone.has_value() ? ZoneOf(cron_) : absl::UTCTimeZone();
  meta["annotations"].Set(kScheduledAt,
                          StampIn(zone.ok() ? *zone : absl::UTCTimeZone(), scheduled));
  meta.Set("ownerReferences",
           Json::MakeArray({types::FragmentToJson(ControllerReferenceTo(cron_))}));
  job.Set("spec", cron_.spec.job_template.spec.raw);
  return job.Dump();
}

}  // namespace bth::controllers
