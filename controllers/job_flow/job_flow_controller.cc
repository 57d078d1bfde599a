#include "controllers/job_flow/job_flow_controller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/types/fragment.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/typed_client.h"
#include "controllers/core/ownership.h"
#include "controllers/core/status_patch.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::FlowPhase;
using types::JobFlow;
using types::JobTemplate;
using types::Json;

// The job of one entry: the template's spec as it was written, and where it comes from.
Json JobFrom(const JobFlow& flow, const JobTemplate& job_template) {
  const types::ResourceType& type = types::ResourceTraits<BatchJob>::type();
  Json marks = Json::MakeObject();
  marks.Set(kCreatedByTemplate, CreatorText(job_template.meta.ns, job_template.meta.name));
  marks.Set(kCreatedByFlow, CreatorText(flow.meta.ns, flow.meta.name));
  Json job = Json::MakeObject({{"apiVersion", type.ApiVersion()}, {"kind", type.kind}});
  Json& meta = job["metadata"];
  meta.Set("name", FlowJobName(flow, job_template.meta.name));
  meta.Set("namespace", flow.meta.ns);
  meta.Set("labels", marks);
  meta.Set("annotations", marks);
  meta.Set("ownerReferences",
           Json::MakeArray({types::FragmentToJson(ControllerReferenceTo(flow))}));
  job.Set("spec", job_template.spec.raw);
  return job;
}

bool HasEntry(const JobFlow& flow, std::string_view template_name) {
  const std::vector<types::Flow>& entries = flow.spec.flows;
  return std::any_of(entries.begin(), entries.end(), [template_name](const types::Flow& entry) {
    return entry.name == template_name;
  });
}

// Of a flow that had the name of this one before it, so that the collector takes it.
bool IsOfPredecessor(const types::OwnerReference& owner, const JobFlow& flow) {
  const types::ResourceType& type = types::ResourceTraits<JobFlow>::type();
  return owner.kind == type.kind && owner.api_version == type.ApiVersion() &&
         owner.name == flow.meta.name && owner.uid != flow.meta.uid;
}

}  // namespace

JobFlowController::JobFlowController(const ControllerContext& context)
    : context_(context),
      flows_(context.watches.Of<JobFlow>()),
      templates_(context.watches.Of<JobTemplate>()),
      jobs_(context.watches.Of<BatchJob>()),
      remakes_(context.executor()),
      lanes_(context.executor(), DefaultLanes(1, context.options.max_requeue_num),
             {.work = [this](std::string key) { return Work(std::move(key)); },
              .give_up =
                  [this](std::string key, absl::Status status) {
                    return GiveUp(std::move(key), std::move(status));
                  }}) {
  flows_.Subscribe(*this);
  templates_.Subscribe(*this);
  jobs_.Subscribe(*this);
}

void JobFlowController::Look(const JobFlow& flow) {
  lanes_.Add(StoreKey(flow.meta.ns, flow.meta.name));
}

void JobFlowController::TellOfFault(const JobFlow& flow) {
  const absl::Status fit = CheckFlow(flow);
  if (fit.ok() || flow.meta.deletion_time.has_value()) return;
  Warn(context_.events, flow, "InvalidJobFlow",
       StrCat(fit.message(), "; nothing more is started until that is mended"));
}

void JobFlowController::OnAdd(const JobFlow& flow) {
  TellOfFault(flow);
  Look(flow);
}

void JobFlowController::OnUpdate(const JobFlow& before, const JobFlow& after) {
  // Our own status writes come back as updates: those of the spec matter, and the end.
  const bool ended = before.status.phase != after.status.phase;
  const bool is_other = !(before.spec == after.spec);
  if (is_other) TellOfFault(after);
  if (ended || is_other) Look(after);
}

void JobFlowController::OnDelete(const JobFlow& flow) {
  missing_.erase(flow.meta.uid);
  foreign_.erase(flow.meta.uid);
  gone_.erase(flow.meta.uid);
}

// A flow that asked for it in vain goes on.
void JobFlowController::OnAdd(const JobTemplate& job_template) {
  for (const FlowPtr& flow : flows_.InNamespace(job_template.meta.ns)) {
    if (HasEntry(*flow, job_template.meta.name)) Look(*flow);
  }
}

// A job may have been refused for what it had of the template.
void JobFlowController::OnUpdate(const JobTemplate& before, const JobTemplate& after) {
  if (before.spec != after.spec) OnAdd(after);
}

JobFlowController::FlowPtr JobFlowController::OwnerOf(const BatchJob& job) const {
  return ControllerAmong(flows_, job.meta);
}

void JobFlowController::OnAdd(const BatchJob& job) {
  if (const FlowPtr flow = OwnerOf(job); flow != nullptr) Look(*flow);
}

void JobFlowController::OnUpdate(const BatchJob& before, const BatchJob& after) {
  OnAdd(after);
  if (before.meta.owner_references != after.meta.owner_references) OnAdd(before);
}

void JobFlowController::OnDelete(const BatchJob& job) {
  const FlowPtr owner = OwnerOf(job);
  if (owner != nullptr) Look(*owner);
  // One that is cleaned up as soon as it has ended may be gone before the flow was looked at.
  if (owner != nullptr && IsUnderWay(*owner) && types::IsFinished(job.status.state.phase.value())) {
    JobList& gone = gone_[owner->meta.uid];
    std::erase_if(gone, [&job](const auto& one) { return one->meta.name == job.meta.name; });
    gone.push_back(std::make_shared<const BatchJob>(job));
  }
  // It was in the way of flows that have its name for a job of theirs, see FlowJobName.
  const std::string_view name = job.meta.name;
  for (size_t dash = name.find('-'); dash != name.npos; dash = name.find('-', dash + 1)) {
    const FlowPtr flow = flows_.Find(job.meta.ns, name.substr(0, dash));
    if (flow == nullptr || flow == owner) continue;
    if (HasEntry(*flow, name.substr(dash + 1))) Look(*flow);
  }
}

JobList JobFlowController::JobsOf(const JobFlow& flow) const {
  JobList jobs = jobs_.ControlledBy(flow.meta.uid);
  std::erase_if(jobs, [&flow](const auto& job) { return job->meta.ns != flow.meta.ns; });
  return jobs;
}

JobList JobFlowController::JobsAndGoneOf(const JobFlow& flow) const {
  JobList jobs = JobsOf(flow);
  const auto gone = gone_.find(flow.meta.uid);
  if (gone == gone_.end()) return jobs;
  for (const auto& job : gone->second) {
    const auto now = jobs_.Find(job->meta.ns, job->meta.name);
    if (now == nullptr || !IsControlledBy(now->meta, flow.meta.uid)) jobs.push_back(job);
  }
  return jobs;
}

net::Awaitable<LaneHooks::Outcome> JobFlowController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const FlowPtr flow = flows_.FindKey(key);
  if (flow == nullptr || flow->meta.deletion_time.has_value()) co_return std::move(outcome);
  switch (flow->status.phase.value()) {
    case FlowPhase::kFailed:
    case FlowPhase::kTerminating:
      break;
    case FlowPhase::kOther:
      outcome.status = absl::InvalidArgumentError(
          StrCat("jobflow ", flow->meta.name, " state ", flow->status.phase.text(), " is invalid"));
      break;
    default:
      outcome = co_await Sync(flow);
  }
  co_return std::move(outcome);
}

net::Awaitable<LaneHooks::Outcome> JobFlowController::Sync(FlowPtr flow) {
  LaneHooks::Outcome outcome;
  if (flow->status.phase == FlowPhase::kSucceed &&
      flow->spec.job_retain_policy == types::JobRetainPolicy::kDelete) {
    outcome.status = co_await RemoveJobs(flow);
    co_return std::move(outcome);
  }
  if (flow->status.phase.empty()) {
    for (const std::string& complaint : IgnoredParts(*flow)) {
      Warn(context_.events, *flow, "Ignored", complaint);
    }
  }
  // One that has come to its end stays there, whatever becomes of its jobs.
  if (flow->status.phase != FlowPhase::kSucceed && CheckFlow(*flow).ok()) {
    outcome = co_await StartJobs(flow);
  }
  // Also after a failure: what became of its other jobs is told, and waited for.
  const absl::Status written = co_await WriteFlowStatus(flow);
  if (!written.ok()) outcome.status = written;
  co_return std::move(outcome);
}

net::Awaitable<LaneHooks::Outcome> JobFlowController::StartJobs(FlowPtr flow) {
  LaneHooks::Outcome outcome;
  for (const std::string& name : ReadyToStart(*flow, JobsAndGoneOf(*flow))) {
    const absl::StatusOr<absl::Duration> pause = co_await StartJob(flow, name);
    if (!pause.ok()) {
      if (outcome.status.ok()) outcome.status = pause.status();
      if (client::IsRefusal(pause.status()) || absl::IsAborted(pause.status())) continue;
      break;  // A server that is away is not asked for the others as well.
    }
    if (*pause == absl::ZeroDuration()) continue;
    outcome.again = std::min(outcome.again.value_or(*pause), *pause);
  }
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> JobFlowController::MissTemplate(FlowPtr flow,
                                                             std::string template_name) {
  const auto told = missing_.find(flow->meta.uid);
  if (told != missing_.end() && told->second.contains(template_name)) co_return absl::OkStatus();
  const absl::StatusOr<JobTemplate> there =
      co_await client::GetObject<JobTemplate>(context_.api, flow->meta.ns, template_name);
  if (there.ok()) co_return absl::AbortedError("the watch has not told of the template yet");
  if (!absl::IsNotFound(there.status())) co_return there.status();
  if (flows_.Find(flow->meta.ns, flow->meta.name) == nullptr) co_return absl::OkStatus();
  missing_[flow->meta.uid].insert(template_name);
  Warn(context_.events, *flow, "SyncJobFlow",
       StrCat("SyncJobFlow JobFlow failed for jobtemplate ", flow->meta.ns, "/", template_name,
              " does not exist: create it, and the flow goes on"));
  co_return absl::OkStatus();
}

net::Awaitable<absl::StatusOr<absl::Duration>> JobFlowController::StartJob(
    FlowPtr flow, std::string template_name) {
  std::string name = FlowJobName(*flow, template_name);
  if (const auto known = jobs_.Find(flow->meta.ns, name); known != nullptr) {
    TellIfForeign(*flow, *known);  // Ours: another entry of that name has just started it.
    co_return absl::ZeroDuration();
  }
  const auto job_template = templates_.Find(flow->meta.ns, template_name);
  if (job_template == nullptr) {
    const absl::Status missed = co_await MissTemplate(flow, std::move(template_name));
    BTH_CO_RETURN_IF_ERROR(missed);
    co_return absl::ZeroDuration();
  }
  if (const auto told = missing_.find(flow->meta.uid); told != missing_.end()) {
    told->second.erase(template_name);
  }
  const std::string child = ChildKey<BatchJob>(flow->meta.uid, name);
  const absl::Duration pause = remakes_.Left(child);
  if (pause > absl::ZeroDuration()) co_return pause;
  std::string body = JobFrom(*flow, *job_template).Dump();
  const Known<BatchJob> made =
      co_await CreateAndLearn(context_.api, jobs_, flow->meta.ns, std::move(body));
  if (absl::IsAlreadyExists(made.status())) {
    const absl::Status learned = co_await LearnOfJob(flow, std::move(name));
    BTH_CO_RETURN_IF_ERROR(learned);
    co_return absl::ZeroDuration();
  }
  if (!made.ok()) co_return made.status();
  remakes_.NoteMade(child);
  Tell(context_.events, *flow, "Created", StrCat("create a job named ", name, "!"));
  co_return absl::ZeroDuration();
}

net::Awaitable<absl::Status> JobFlowController::LearnOfJob(FlowPtr flow, std::string name) {
  absl::StatusOr<BatchJob> job =
      co_await client::GetObject<BatchJob>(context_.api, flow->meta.ns, std::move(name));
  if (absl::IsNotFound(job.status())) co_return absl::AbortedError("the job in the way is gone");
  if (!job.ok()) co_return job.status();
  TellIfForeign(*flow, *job);
  jobs_.Observe(*std::move(job));  // Its end is told of from here on.
  co_return absl::OkStatus();
}

void JobFlowController::TellIfForeign(const JobFlow& flow, const BatchJob& job) {
  const types::OwnerReference* owner = job.meta.Controller();
  if (owner != nullptr && (owner->uid == flow.meta.uid || IsOfPredecessor(*owner, flow))) return;
  const FlowPtr now = flows_.Find(flow.meta.ns, flow.meta.name);
  if (now == nullptr || now->meta.uid != flow.meta.uid) return;
  std::string& told = foreign_[flow.meta.uid][job.meta.name];
  if (std::exchange(told, job.meta.uid) == job.meta.uid) return;
  Warn(context_.events, flow, "ForeignJob",
       StrCat("Job ", job.meta.name, " exists but is not owned by this JobFlow (current owner: ",
              owner == nullptr ? "none" : owner->name, "); the flow goes on when it is gone"));
}

net::Awaitable<absl::Status> JobFlowController::WriteFlowStatus(FlowPtr flow) {
  JobFlow after = *flow;
  const JobList jobs = JobsAndGoneOf(*flow);
  after.status = NextFlowStatus(*flow, jobs, context_.now());
  const FlowPhase phase = after.status.phase.value();
  if (flow->status.phase != phase) {
    if (phase == FlowPhase::kSucceed) context_.metrics.JobFlowSucceeded(flow->meta.ns);
    if (phase == FlowPhase::kFailed) context_.metrics.JobFlowFailed(flow->meta.ns);
  }
  const Known<JobFlow> written = co_await WriteStatus(context_.api, flows_, flow, std::move(after));
  if (const auto gone = gone_.find(flow->meta.uid); written.ok() && gone != gone_.end()) {
    std::erase_if(gone->second, [&jobs](const auto& job) {
      return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
    });
    if (gone->second.empty()) gone_.erase(gone);
  }
  co_return written.status();
}

net::Awaitable<absl::Status> JobFlowController::RemoveJobs(FlowPtr flow) {
  for (const auto& job : JobsOf(*flow)) {
    if (job->meta.deletion_time.has_value()) continue;
    const absl::Status deleted = co_await DeleteObject(context_.api, *job);
    BTH_CO_RETURN_IF_ERROR(deleted);
  }
  co_return absl::OkStatus();
}

net::Awaitable<void> JobFlowController::GiveUp(std::string key, absl::Status status) {
  const FlowPtr flow = flows_.FindKey(key);
  if (flow == nullptr) co_return;
  Warn(context_.events, *flow, "SyncJobFlow",
       StrCat("SyncJobFlow JobFlow failed for ", status.message()));
}

}  // namespace bth::controllers
