#include <string>
#include <vector>

#include "admission/rules/rules.h"
#include "base/strings.h"
#include "tests/admission_rules/bed.h"

namespace bth::admission::testing {
namespace {

using Texts = std::vector<std::string>;

Verdict Mutated(const std::string& spec, const Settings& settings = {}) {
  const Asked asked("CREATE",
                    StrCat(R"({"metadata":{"name":"j","namespace":"ns"},"spec":)", spec, "}"));
  return MutateJob(asked.request(), settings, FakeCluster());
}

// What a spec that lacks nothing but tasks' defaults begins with.
const char* const kWhole = R"("queue":"q","schedulerName":"s","maxRetry":1,"minAvailable":1)";

TEST_CASE("jobs/mutate: other operations are refused", "[admission]") {
  for (const char* operation : {"UPDATE", "DELETE", "CONNECT", ""}) {
    const Asked asked(operation, "{}");
    const Verdict verdict = MutateJob(asked.request(), {}, FakeCluster());
    CHECK_FALSE(verdict.allowed);
    CHECK(verdict.message == "expect operation to be 'CREATE' ");
    CHECK_FALSE(verdict.patch.has_value());
  }
}

TEST_CASE("jobs/mutate: patches come in order", "[admission]") {
  struct Case {
    std::string spec;
    Texts patch;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"tasks":[{"replicas":2}]})",
       {R"(add /spec/queue "default")", R"(add /spec/schedulerName "volcano")",
        "add /spec/maxRetry 3",
        R"(replace /spec/tasks [{"replicas":2,"name":"default0","minAvailable":2,"maxRetry":3}])",
        "add /spec/minAvailable 2"}},
      {StrCat("{", kWhole,
              R"(,"tasks":[{"name":"a","replicas":1,"minAvailable":0,"maxRetry":-1}]})"),
       {}},
      {StrCat("{", kWhole, R"(,"tasks":[],"plugins":null})"), {}},
      {StrCat("{", kWhole, R"(,"plugins":{}})"), {"replace /spec/plugins {}"}},
      {StrCat("{", kWhole, R"(,"plugins":{"svc":["--enable-networking"],"tensorflow":[]}})"),
       {R"(replace /spec/plugins {"svc":["--enable-networking"],"tensorflow":[]})"}},
      {StrCat("{", kWhole, R"(,"plugins":{"ray":null}})"),
       {R"(replace /spec/plugins {"ray":null,"svc":[]})"}},
      {StrCat("{", kWhole, R"(,"plugins":{"mpi":["--master=m"],"env":[]}})"),
       {R"(replace /spec/plugins {"env":[],"mpi":["--master=m"],"ssh":[],"svc":[]})"}},
      {StrCat("{", kWhole, R"(,"plugins":{"pytorch":[],"ssh":["x"]}})"),
       {R"(replace /spec/plugins {"pytorch":[],"ssh":["x"],"svc":[]})"}},
      {StrCat("{", kWhole, R"(,"plugins":{"env":[],"big_plugin":[]}})"),
       {R"(replace /spec/plugins {"big_plugin":[],"env":[]})"}},
      // Without tasks too.
      {"{}",
       {R"(add /spec/queue "default")", R"(add /spec/schedulerName "volcano")",
        "add /spec/maxRetry 3", "add /spec/minAvailable 0"}},
  }));
  CAPTURE(c.spec);
  const Verdict verdict = Mutated(c.spec);
  CHECK(verdict.allowed);
  REQUIRE(verdict.patch.has_value());
  CHECK(PatchTexts(verdict) == c.patch);
}

TEST_CASE("jobs/mutate: an object that is absent is an empty job", "[admission]") {
  Request request;
  request.operation = "CREATE";
  const Verdict verdict = MutateJob(request, {}, FakeCluster());
  CHECK(verdict.allowed);
  CHECK(PatchTexts(verdict).size() == 4);
}

TEST_CASE("jobs/mutate: the first scheduler of the flags", "[admission]") {
  Settings settings;
  settings.scheduler_names = {"mine", "other"};
  CHECK(PatchTexts(Mutated("{}", settings))[1] == R"(add /spec/schedulerName "mine")");
  settings.scheduler_names.clear();
  CHECK(PatchTexts(Mutated("{}", settings))[1] == R"(add /spec/schedulerName "volcano")");
}

// The tasks after the patch.
const Json TasksOf(const std::string& tasks) {
  const Verdict verdict = Mutated(StrCat("{", kWhole, R"(,"tasks":)", tasks, "}"));
  REQUIRE(verdict.patch.has_value());
  if (verdict.patch->empty()) return nullptr;
  REQUIRE(verdict.patch->size() == 1);
  CHECK(verdict.patch->front().op == "replace");
  CHECK(verdict.patch->front().path == "/spec/tasks");
  return verdict.patch->front().value;
}

TEST_CASE("jobs/mutate: tasks get names, minimums and retries", "[admission]") {
  const Json tasks = TasksOf(
      R"([{"replicas":1},{"replicas":2,"minAvailable":1},
          {"replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":1,"minPartitions":1}},
          {"replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":1}}])");
  CHECK(tasks.Dump() ==
        R"([{"replicas":1,"name":"default0","minAvailable":1,"maxRetry":3},)"
        R"({"replicas":2,"minAvailable":1,"name":"default1","maxRetry":3},)"
        R"({"replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":1,)"
        R"("minPartitions":1},"name":"default2","minAvailable":1,"maxRetry":3},)"
        R"({"replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":1},)"
        R"("name":"default3","minAvailable":1,"maxRetry":3}])");
}

TEST_CASE("jobs/mutate: minimums of tasks", "[admission]") {
  struct Case {
    std::string task;
    int64_t min_available;
  };
  const Case c = GENERATE(values<Case>({
      {R"("replicas":9,"partitionPolicy":{"totalPartitions":3,"partitionSize":3,"minPartitions":2})",
       6},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":2})", 4},
      {R"("replicas":4,"partitionPolicy":{"totalPartitions":2,"partitionSize":2,"minPartitions":-1})",
       4},
      {R"("replicas":5)", 5},
      {R"("replicas":-5)", -5},
      {"\"name\":\"a\"", 0},
      // Numbers that would turn over stay at the limit.
      {R"("replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":2147483647,"minPartitions":2147483647})",
       2147483647},
      {R"("replicas":1,"partitionPolicy":{"totalPartitions":1,"partitionSize":-2147483648,"minPartitions":2147483647})",
       -2147483648},
  }));
  CAPTURE(c.task);
  const std::string name = c.task.starts_with("\"name\"") ? "" : R"(,"name":"default0")";
  CHECK(TasksOf("[{" + c.task + "}]").Dump() ==
        StrCat("[{", c.task, name, R"(,"minAvailable":)", c.min_available, R"(,"maxRetry":3}])"));
}

TEST_CASE("jobs/mutate: pods in the node's network resolve names of the cluster", "[admission]") {
  const std::string rest = R"("name":"a","replicas":1,"minAvailable":1,"maxRetry":1)";
  const auto policy = [&rest](const std::string& spec) {
    const Json tasks = TasksOf(StrCat("[{", rest, R"(,"template":{"spec":)", spec, "}}]"));
    return tasks.is_null()
               ? std::string("none")
               : std::string(tasks[size_t{0}]["template"]["spec"]["dnsPolicy"].AsString());
  };
  CHECK(policy(R"({"hostNetwork":true})") == "ClusterFirstWithHostNet");
  CHECK(policy(R"({"hostNetwork":true,"dnsPolicy":""})") == "ClusterFirstWithHostNet");
  CHECK(policy(R"({"hostNetwork":true,"dnsPolicy":"Default"})") == "none");
  CHECK(policy(R"({"hostNetwork":false})") == "none");
  CHECK(policy("{}") == "none");
}

TEST_CASE("jobs/mutate: the job's minimum is that of its tasks", "[admission]") {
  const auto minimum = [](const std::string& tasks) {
    const Verdict verdict =
        Mutated(StrCat(R"({"queue":"q","schedulerName":"s","maxRetry":1,"tasks":)", tasks, "}"));
    return verdict.patch->back().path + " " + verdict.patch->back().value.Dump();
  };
  CHECK(minimum(R"([{"replicas":2},{"replicas":3,"minAvailable":1}])") == "/spec/minAvailable 3");
  CHECK(minimum(R"([{"replicas":2147483647},{"replicas":2147483647}])") ==
        "/spec/minAvailable 2147483647");
  CHECK(minimum("[]") == "/spec/minAvailable 0");
  // Tasks that wait for others have no pods while the gang waits for its place.
  const std::string later = R"({"replicas":3,"dependsOn":{"name":["a"]}})";
  CHECK(minimum(R"([{"name":"a","replicas":2},)" + later + "]") == "/spec/minAvailable 2");
  CHECK(minimum(R"([{"name":"a","replicas":2},{"replicas":3,"minAvailable":1,)"
                R"("dependsOn":{"name":["a"],"iteration":"any"}}])") == "/spec/minAvailable 2");
  CHECK(minimum(R"([{"name":"a","replicas":2},{"replicas":3,"dependsOn":{"name":[]}}])") ==
        "/spec/minAvailable 5");
  CHECK(minimum(R"([{"name":"a","replicas":2},{"replicas":3,"dependsOn":null}])") ==
        "/spec/minAvailable 5");
}

TEST_CASE("jobs/mutate: what this program does not know of tasks is kept", "[admission]") {
  const Json tasks = TasksOf(
      R"([{"future":{"a":[1,null,"x"]},"template":{"spec":{"containers":[{"name":"c","later":1.5}]}},"replicas":1}])");
  CHECK(tasks[size_t{0}]["future"].Dump() == R"({"a":[1,null,"x"]})");
  CHECK(tasks[size_t{0}]["template"].Dump() ==
        R"({"spec":{"containers":[{"name":"c","later":1.5}]}})");
}

TEST_CASE("jobs/mutate: a document of a wrong shape is refused with its place", "[admission]") {
  for (const char* spec : {R"({"tasks":5})", R"({"tasks":[{"replicas":"x"}]})",
                           R"({"tasks":[{"replicas":2147483648}]})", R"({"plugins":[]})",
                           R"({"maxRetry":1.5})", "[]"}) {
    CAPTURE(spec);
    const Verdict verdict = Mutated(spec);
    CHECK_FALSE(verdict.allowed);
    CHECK(verdict.reason == "unreadable");
    CHECK(verdict.message.starts_with("object: spec"));
    CHECK_FALSE(verdict.patch.has_value());
  }
}

TEST_CASE("jobs/mutate: apiVersion and kind are not looked at", "[admission]") {
  const Asked asked("CREATE", R"({"apiVersion":"v7","kind":"Teapot","spec":{}})");
  CHECK(MutateJob(asked.request(), {}, FakeCluster()).allowed);
}

}  // namespace
}  // namespace bth::admission::testing
