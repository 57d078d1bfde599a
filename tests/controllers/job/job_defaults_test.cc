// What is filled into a job, what is noted of it, and which edits do not reach its pods.
#include "controllers/job/job_defaults.h"

#include "base/strings.h"
#include "controllers/job/job_notes.h"
#include "tests/controllers/job/job_text.h"

namespace bth::test {
namespace {

using controllers::EditWithoutEffect;
using controllers::FillInDefaults;
using controllers::JobNote;
using controllers::JobView;
using controllers::NoteOf;
using controllers::WaitFacts;
using types::BatchJobSpec;
using types::JobPhase;

BatchJobSpec Filled(const std::string& spec) {
  BatchJobSpec filled = ParseJob(spec).spec;
  FillInDefaults("volcano", &filled);
  return filled;
}

std::string TemplateText(const std::string& pod = "") {
  return StrCat(R"("template":{"spec":{"containers":[{"name":"c","image":"i"}])",
                pod.empty() ? "" : ",", pod, "}}");
}

TEST_CASE("job defaults: what the job does not say is filled in", "[controllers][job]") {
  const BatchJobSpec spec = Filled(R"({"tasks":[{"replicas":2},{"name":"b","replicas":3}]})");
  CHECK(spec.queue == "default");
  CHECK(spec.scheduler_name == "volcano");
  CHECK(spec.max_retry == 3);
  CHECK(spec.min_available == 5);
  CHECK(spec.tasks[0].name == "default0");
  CHECK(spec.tasks[1].name == "b");
  CHECK(spec.tasks[1].min_available == 3);
  CHECK(spec.tasks[1].max_retry == 3);
  const BatchJobSpec said =
      Filled(R"({"queue":"q","schedulerName":"s","maxRetry":7,"minAvailable":1,)"
             R"("tasks":[{"name":"a","replicas":4,"minAvailable":2,"maxRetry":-1}]})");
  CHECK(said.queue == "q");
  CHECK(said.scheduler_name == "s");
  CHECK(said.max_retry == 7);
  CHECK(said.min_available == 1);
  CHECK(said.tasks[0].min_available == 2);
  CHECK(said.tasks[0].max_retry == -1);
  BatchJobSpec twice = spec;
  FillInDefaults("other", &twice);
  CHECK(twice == spec);
}

TEST_CASE("job defaults: the minimum of a task", "[controllers][job]") {
  const auto [task, minimum] = GENERATE(table<std::string, int>({
      {R"("replicas":5)", 5},
      {R"("replicas":5,"minAvailable":0)", 0},
      {R"("replicas":9,"partitionPolicy":{"totalPartitions":3,"partitionSize":3,"minPartitions":2})",
       6},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":2})", 4},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":-2,"minPartitions":1})",
       4},
  }));
  CAPTURE(task);
  CHECK(Filled(R"({"tasks":[{)" + task + "}]}").tasks[0].min_available == minimum);
}

TEST_CASE("job defaults: the minimum of a job leaves out who waits for others",
          "[controllers][job]") {
  CHECK(Filled(R"({"tasks":[{"name":"a","replicas":2},{"name":"b","replicas":3,"minAvailable":1},)"
               R"({"name":"c","replicas":9,"dependsOn":{"name":["a"]}}]})")
            .min_available == 3);
  CHECK(
      Filled(R"({"tasks":[{"name":"a","replicas":-4},{"name":"b","replicas":3}]})").min_available ==
      3);
  CHECK(Filled(R"({"tasks":[{"replicas":2147483647},{"replicas":2147483647}]})").min_available ==
        2147483647);
}

TEST_CASE("job defaults: names on the host's network are those of the cluster",
          "[controllers][job]") {
  const auto policy = [](const std::string& pod) {
    const BatchJobSpec spec = Filled(R"({"tasks":[{"replicas":1,)" + TemplateText(pod) + "}]}");
    return std::string(
        std::as_const(spec.tasks[0].pod_template.raw).At({"spec", "dnsPolicy"}).AsString());
  };
  CHECK(policy("") == "");
  CHECK(policy(R"("hostNetwork":true)") == "ClusterFirstWithHostNet");
  CHECK(policy(R"("hostNetwork":true,"dnsPolicy":"Default")") == "Default");
}

TEST_CASE("job defaults: plugins come with those they need", "[controllers][job]") {
  const auto names = [](const std::string& plugins) {
    std::string list;
    for (const auto& [name, args] : Filled(R"({"plugins":)" + plugins + "}").plugins) {
      StrAppend(&list, name, args.empty() ? "" : "+", " ");
    }
    return list;
  };
  CHECK(names("{}").empty());
  CHECK(names(R"({"env":[]})") == "env ");
  CHECK(names(R"({"mpi":[]})") == "mpi ssh svc ");
  CHECK(names(R"({"pytorch":["--port=1"]})") == "pytorch+ svc ");
  CHECK(names(R"({"ray":[]})") == "ray svc ");
  CHECK(names(R"({"svc":["--x"],"tensorflow":[]})") == "svc+ tensorflow ");
}

TEST_CASE("job notes: what does not hold a job up is told all the same", "[controllers][job]") {
  const BatchJobSpec spec =
      Filled(R"({"queue":"new","schedulerName":"gone","tasks":[{"name":"a","replicas":1,)" +
             TemplateText(R"("restartPolicy":"Never")") + "}]}");
  const std::vector<std::string> names = {"volcano"}, none;
  const std::vector<std::string> complaints = {"plugin svc: -x"};
  JobView view;
  view.job = std::make_shared<const types::BatchJob>();
  WaitFacts waits;
  waits.view = &view;
  waits.now = view.job->meta.creation_time + controllers::kAnswerWithin;
  CHECK(NoteOf(spec, JobPhase::kRunning, {"", names, none}).reason.empty());
  CHECK(NoteOf(spec, JobPhase::kCompleted, {"old", names, complaints}).reason.empty());
  CHECK(NoteOf(spec, JobPhase::kPending, {"", none, none}).reason.empty());
  const JobNote queue = NoteOf(spec, JobPhase::kRunning, {"old", names, none});
  CHECK(queue.reason == "QueueNotChanged");
  CHECK(queue.message ==
        "spec.queue was changed to new, and the job stays in queue old until it is restarted: "
        "change it back, or restart the job");
  const JobNote scheduler = NoteOf(spec, JobPhase::kPending, {"", names, none, waits});
  CHECK(scheduler.reason == "UnknownScheduler");
  CHECK(scheduler.message ==
        "spec.schedulerName is gone, and the controllers know of volcano (--scheduler-name): "
        "unless a scheduler gone is at work, the pods wait for ever; delete the job and create it "
        "with volcano");
  const JobNote all = NoteOf(spec, JobPhase::kPending, {"old", names, complaints, waits});
  CHECK(all.reason == "QueueNotChanged");
  CHECK(all.message == queue.message + "; " + scheduler.message + "; plugin svc: -x");
  const BatchJobSpec own = Filled(R"({"tasks":[{"name":"a","replicas":1,)" +
                                  TemplateText(R"("schedulerName":"mine")") + "}]}");
  CHECK_THAT(NoteOf(own, JobPhase::kPending, {"", names, none, waits}).message,
             Catch::StartsWith("the template of task a: schedulerName is mine, "));
}

TEST_CASE("job notes: edits that do not reach what exists", "[controllers][job]") {
  const auto job = [](const std::string& task, const std::string& more = "") {
    return Filled(StrCat(R"({"tasks":[{"name":"a","replicas":2,)", task, "}]",
                         more.empty() ? "" : ",", more, "}"));
  };
  const BatchJobSpec before = job(TemplateText(), R"("minAvailable":1)");
  const auto [after, what] = GENERATE_COPY(table<BatchJobSpec, std::string>({
      {before, ""},
      {job(TemplateText(), R"("minAvailable":2,"priorityClassName":"high","queue":"q")"), ""},
      {job(TemplateText(), R"("maxRetry":9,"policies":[{"event":"*","action":"AbortJob"}])"), ""},
      {job(TemplateText(R"("hostname":"h")")),
       "task a: template was changed: pods that exist keep what they had, those made from now on "
       "follow it"},
      {job(TemplateText(), R"("schedulerName":"s","plugins":{"env":[]})"),
       "schedulerName was changed: pods that exist keep what they had, those made from now on "
       "follow it; plugins was changed: pods that exist keep what they had, those made from now on "
       "follow it"},
      {job(TemplateText(), R"("networkTopology":{"mode":"hard"})"),
       "networkTopology was changed: the pod group keeps what it had until the job is restarted"},
      {job(TemplateText(), R"("volumes":[{"mountPath":"/d","volumeClaimName":"c"}])"),
       "volumes was changed: pods that exist keep what they had, those made from now on follow it"},
      {Filled(R"({"tasks":[{"name":"b","replicas":2}]})"),
       "task a was removed or renamed: its pods are left alone"},
  }));
  CAPTURE(what);
  const auto text = EditWithoutEffect(before, after);
  if (what.empty()) {
    CHECK_FALSE(text.has_value());
  } else {
    CHECK(text ==
          "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under "
          "spec` and `PriorityClassName`: " +
              what);
  }
  // The name of a claim is filled in by the controller.
  const BatchJobSpec unnamed = Filled(R"({"volumes":[{"mountPath":"/d"}]})");
  const BatchJobSpec named = Filled(R"({"volumes":[{"mountPath":"/d","volumeClaimName":"c"}]})");
  CHECK_FALSE(EditWithoutEffect(unnamed, named).has_value());
  CHECK(EditWithoutEffect(named, unnamed).has_value());
}

}  // namespace
}  // namespace bth::test
