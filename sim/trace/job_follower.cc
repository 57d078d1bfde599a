#include "sim/trace/job_follower.h"

#include <utility>

#include "api/types/batch_job.h"
#include "api/types/codec.h"
#include "base/strings.h"

namespace bth::trace {
namespace {

constexpr std::string_view kJobPrefix = "job-";

size_t IndexOf(const std::vector<apiserver::SelectableField>& fields, std::string_view name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  return fields.size();
}

}  // namespace

std::string JobNameOf(size_t number) {
  return StrCat(kJobPrefix, number);
}

int64_t JobNumberOf(std::string_view name) {
  if (!name.starts_with(kJobPrefix)) return -1;
  name.remove_prefix(kJobPrefix.size());
  int64_t number = -1;
  return SimpleAtoi(name.substr(0, name.find('-')), &number) ? number : -1;
}

JobFollower::JobFollower(const Trace& trace, UseOverTime& use, std::function<int64_t()> now_ms)
    : trace_(trace), use_(use), now_ms_(std::move(now_ms)), courses_(trace.jobs.size()) {}

void JobFollower::Submitted(size_t job) {
  courses_[job].submitted_ms = now_ms_();
  ++open_;
  use_.Submit(now_ms_(), QueueOf(job), ShapeOf(job), trace_.jobs[job].tasks);
}

void JobFollower::Refused(size_t job) {
  EndJob(job, JobCourse::End::kRefused);
}

void JobFollower::Evicted(std::string_view pod) {
  if (const auto job = JobOf(pod)) ++courses_[*job].evictions;
}

void JobFollower::Note(const apiserver::Collection& collection,
                       const apiserver::StoreEvent& event) {
  if (collection.name() == "pods") {
    if (!fields_known_) {
      node_field_ = IndexOf(collection.fields(), "spec.nodeName");
      phase_field_ = IndexOf(collection.fields(), "status.phase");
      fields_known_ = true;
    }
    NotePod(event);
  } else if (event.type == apiserver::EventType::kDeleted &&
             collection.name() == "jobs.batch.volcano.sh") {
    NoteJob(event);
  }
}

std::optional<size_t> JobFollower::JobOf(std::string_view name) const {
  const int64_t number = JobNumberOf(name);
  if (number < 0 || number >= static_cast<int64_t>(courses_.size())) return std::nullopt;
  return static_cast<size_t>(number);
}

void JobFollower::NotePod(const apiserver::StoreEvent& event) {
  const apiserver::StoredObject& pod = *event.object;
  if (pod.fields[node_field_].empty()) return;
  auto found = tasks_.find(pod.uid);
  if (event.type == apiserver::EventType::kDeleted) {
    if (found == tasks_.end()) return;
    const Task task = found->second;
    tasks_.erase(found);
    Drop(task);
    return;
  }
  if (found == tasks_.end()) {
    const auto job = JobOf(pod.key.name);
    if (!job.has_value()) return;
    Task task;
    task.job = static_cast<uint32_t>(*job);
    found = tasks_.emplace(pod.uid, task).first;
    use_.Bind(now_ms_(), QueueOf(task.job), ShapeOf(task.job));
    ++changes_;
  }
  Task& task = found->second;
  const std::string& phase = pod.fields[phase_field_];
  if (phase == "Running") {
    Run(task);
  } else if (phase == "Succeeded") {
    Run(task);
    Succeed(task);
  } else if (phase == "Failed" && task.stage != Stage::kGone) {
    Drop(task);
    task.stage = Stage::kGone;
  }
}

void JobFollower::Run(Task& task) {
  if (task.stage != Stage::kBound) return;
  task.stage = Stage::kRunning;
  task.running_ms = now_ms_();
  JobCourse& course = courses_[task.job];
  ++course.running;
  if (course.started_ms >= 0 || course.end != JobCourse::End::kOpen) return;
  if (course.running + course.succeeded < trace_.jobs[task.job].min_available) return;
  course.started_ms = now_ms_();
  use_.Start(now_ms_(), QueueOf(task.job));
}

void JobFollower::Succeed(Task& task) {
  if (task.stage != Stage::kRunning) return;
  task.stage = Stage::kSucceeded;
  task.ended_ms = now_ms_();
  ++changes_;
  JobCourse& course = courses_[task.job];
  --course.running;
  ++course.succeeded;
  use_.Release(now_ms_(), QueueOf(task.job), ShapeOf(task.job));
  if (course.end != JobCourse::End::kOpen) return;
  use_.Withdraw(now_ms_(), QueueOf(task.job), ShapeOf(task.job), 1);
  if (course.succeeded == trace_.jobs[task.job].tasks) EndJob(task.job, JobCourse::End::kDone);
}

// A task is gone that held room, or had succeeded.
void JobFollower::Drop(const Task& task) {
  if (task.stage == Stage::kGone) return;
  ++changes_;
  JobCourse& course = courses_[task.job];
  const bool open = course.end == JobCourse::End::kOpen;
  if (task.stage == Stage::kSucceeded) {
    if (!open) return;
    // It is made anew with the rest of its job.
    --course.succeeded;
    course.lost_ms += task.ended_ms - task.running_ms;
    use_.Withdraw(now_ms_(), QueueOf(task.job), ShapeOf(task.job), -1);
    return;
  }
  use_.Release(now_ms_(), QueueOf(task.job), ShapeOf(task.job));
  if (task.stage != Stage::kRunning) return;
  --course.running;
  course.lost_ms += now_ms_() - task.running_ms;
}

// Jobs are deleted once they have ended; one that did not succeed is deleted all the same.
void JobFollower::NoteJob(const apiserver::StoreEvent& event) {
  const auto number = JobOf(event.object->key.name);
  if (!number.has_value() || courses_[*number].end != JobCourse::End::kOpen) return;
  const auto job = types::Decode<types::BatchJob>(std::string_view(event.object->bytes));
  std::string why = "deleted";
  if (job.ok()) {
    const types::JobState& state = job->status.state;
    why = StrCat(state.phase.text(), state.reason.empty() ? "" : ": ", state.reason);
  }
  ++failures_[why];
  EndJob(*number, JobCourse::End::kFailed);
}

void JobFollower::EndJob(size_t job, JobCourse::End end) {
  JobCourse& course = courses_[job];
  course.end = end;
  course.ended_ms = now_ms_();
  --open_;
  ++changes_;
  if (course.started_ms < 0) use_.Start(now_ms_(), QueueOf(job));
  const int64_t left = trace_.jobs[job].tasks - course.succeeded;
  use_.Withdraw(now_ms_(), QueueOf(job), ShapeOf(job), left);
  use_.EndJob(now_ms_());
}

}  // namespace bth::trace
