#include "controllers/job_flow/job_template_controller.h"

#include <utility>

#include "base/strings.h"
#include "client/patch.h"
#include "controllers/core/writes.h"
#include "controllers/job_flow/flow_plan.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::JobTemplate;
using types::Json;

}  // namespace

JobTemplateController::JobTemplateController(const ControllerContext& context)
    : context_(context),
      templates_(context.watches.Of<JobTemplate>()),
      jobs_(context.watches.Of<BatchJob>()),
      lanes_(context.executor(), DefaultLanes(1, context.options.max_requeue_num),
             {.work = [this](std::string key) { return Work(std::move(key)); },
              .give_up =
                  [this](std::string key, absl::Status status) {
                    return GiveUp(std::move(key), std::move(status));
                  }}) {
  templates_.Subscribe(*this);
  jobs_.Subscribe(*this);
}

void JobTemplateController::OnAdd(const JobTemplate& job_template) {
  lanes_.Add(StoreKey(job_template.meta.ns, job_template.meta.name));
}

// A namespace has no dots, so that the first one ends it; a template's name may have some.
void JobTemplateController::OnAdd(const BatchJob& job) {
  const std::string_view creator = job.meta.Label(kCreatedByTemplate);
  const size_t dot = creator.find('.');
  if (dot == std::string_view::npos) return;
  lanes_.Add(StoreKey(creator.substr(0, dot), creator.substr(dot + 1)));
}

net::Awaitable<LaneHooks::Outcome> JobTemplateController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const auto job_template = templates_.FindKey(key);
  if (job_template == nullptr) co_return std::move(outcome);
  const types::ObjectMeta& meta = job_template->meta;
  std::vector<std::string> names;
  for (const auto& job : jobs_.InNamespace(meta.ns)) {
    if (job->meta.Label(kCreatedByTemplate) == CreatorText(meta.ns, meta.name)) {
      names.push_back(job->meta.name);
    }
  }
  if (names.empty() || names == job_template->job_depends_on) co_return std::move(outcome);
  Json list = Json::MakeArray();
  for (const std::string& name : names) list.MutableItems().push_back(name);
  client::MergePatch patch;
  patch.Set({"status", "jobDependsOnList"}, std::move(list));
  patch.RequireResourceVersion(meta.resource_version);
  client::Patch body = patch.Build();
  const Known<JobTemplate> now =
      co_await PatchAndLearn(context_.api, templates_, *job_template, std::move(body), "status");
  outcome.status = now.status();
  co_return std::move(outcome);
}

net::Awaitable<void> JobTemplateController::GiveUp(std::string key, absl::Status status) {
  const auto job_template = templates_.FindKey(key);
  if (job_template == nullptr) co_return;
  Warn(context_.events, *job_template, "SyncJobTemplate",
       StrCat("SyncJobTemplate JobTemplate failed for ", status.message()));
}

}  // namespace bth::controllers
