// Fields, annotations, parents and deletion; queues_hierarchy_test.cc has the amounts of trees.
#include <string>

#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

using test::PlainKnown;

std::string QueueText(std::string_view name, std::string_view spec, std::string_view status = {},
                      std::string_view annotations = {}) {
  return StrCat(R"({"metadata":{"name":")", name, R"(","annotations":{)", annotations,
                R"(}},"spec":{)", spec, R"(},"status":{)", status, "}}");
}

std::string CreatedQueue(const PlainKnown& known, const std::string& object,
                         const Settings& settings = {}) {
  return test::Told(test::Ask({.path = "/queues/validate", .object = object}, known, settings));
}

std::string UpdatedQueue(const PlainKnown& known, const std::string& before,
                         const std::string& object, const Settings& settings = {}) {
  return test::Told(test::Ask(
      {.path = "/queues/validate", .operation = "UPDATE", .object = object, .old_object = before},
      known, settings));
}

TEST_CASE("queues validate: amounts", "[admission_rules][queues]") {
  struct Case {
    std::string spec, told;
  };
  const Case c = GENERATE(values<Case>({
      {"", "allowed"},
      {R"("deserved":{"cpu":"2"})", "allowed"},
      {R"("capability":{"cpu":"-10"})",
       "requestBody.spec.capability.cpu: Invalid value: \"-10\": must be greater than or equal to "
       "0"},
      {R"("deserved":{"cpu":"-5"})",
       "requestBody.spec.deserved.cpu: Invalid value: \"-5\": must be greater than or equal to 0"},
      {R"("guarantee":{"resource":{"cpu":"-2"}})",
       "[requestBody.spec.guarantee.resource.cpu: Invalid value: \"-2\": must be greater than or "
       "equal to 0, requestBody.spec.deserved.cpu: Invalid value: \"<nil>\": deserved[cpu] must be "
       ">= guarantee[cpu]=-2]"},
      {R"("guarantee":{"resource":{"cpu":"1"}})",
       "requestBody.spec.deserved.cpu: Invalid value: \"<nil>\": deserved[cpu] must be >= "
       "guarantee[cpu]=1"},
      {R"("capability":{"memory":"1","cpu":"1"},"deserved":{"cpu":"2"})",
       "requestBody.spec.deserved.cpu: Invalid value: \"2\": deserved[cpu]=2 must be <= "
       "capability[cpu]=1"},
      {R"("deserved":{"memory":"1Gi"},"guarantee":{"resource":{"memory":"3Gi"}})",
       "requestBody.spec.deserved.memory: Invalid value: \"1Gi\": deserved[memory]=1Gi must be >= "
       "guarantee[memory]=3Gi"},
      {R"("deserved":{"memory":"1024Mi"},"guarantee":{"resource":{"memory":"1Gi"}})", "allowed"},
      {R"("capability":{"nvidia.com/gpu":"1500m"})",
       "requestBody.spec.capability.nvidia.com/gpu: Invalid value: \"1500m\": must be an integer"},
      {R"("capability":{"pods":"0.5"})",
       "requestBody.spec.capability.pods: Invalid value: \"500m\": must be an integer"},
      {R"("capability":{"cpu":"1500m","hugepages-2Mi":"1500m","x.kubernetes.io/y":"1500m"})",
       "allowed"},
      {R"("capability":{"nvidia.com/gpu":"9223372036854775807"})", "allowed"},
  }));
  CAPTURE(c.spec);
  CHECK(CreatedQueue(PlainKnown(), QueueText("q", c.spec)) == c.told);
}

TEST_CASE("queues validate: states", "[admission_rules][queues]") {
  const std::string wrong =
      "requestBody.spec.state: Invalid value: \"wrong\": queue state must be in [Open Closed]";
  const PlainKnown known;
  CHECK(CreatedQueue(known, QueueText("q", "")) == "allowed");
  CHECK(CreatedQueue(known, QueueText("q", "", R"("state":"Open")")) == "allowed");
  CHECK(CreatedQueue(known, QueueText("q", "", R"("state":"Closed")")) == "allowed");
  CHECK(CreatedQueue(known, QueueText("q", "", R"("state":"wrong")")) == wrong);
  const std::string open = QueueText("q", "", R"("state":"Open")");
  const std::string closed = QueueText("q", "", R"("state":"Closed")");
  CHECK(UpdatedQueue(known, open, closed) == "allowed");
  CHECK(UpdatedQueue(known, closed, open) == "allowed");
  CHECK(UpdatedQueue(known, open, QueueText("q", "", R"("state":"wrong")")) == wrong);
  CHECK(UpdatedQueue(known, "null", QueueText("q", "", R"("state":"wrong")")) == wrong);
  // What the server carries over from the stored object is nobody's change.
  CHECK(UpdatedQueue(known, QueueText("q", "", R"("state":"Closing")"),
                     QueueText("q", R"("weight":3)", R"("state":"Closing")")) == "allowed");
}

TEST_CASE("queues validate: the annotations of a tree of weights", "[admission_rules][queues]") {
  struct Case {
    std::string path, weights, told;
  };
  const std::string field = "requestBody.metadata.annotations: Invalid value: ";
  const Case c = GENERATE_COPY(values<Case>({
      {"root/node1", "1/4", "allowed"},
      {"root/sci/dev/mine", "1/2/3/4", "allowed"},
      {"root/node1", "1",
       field + "\"root/node1\": volcano.sh/hierarchy must have the same length with "
               "volcano.sh/hierarchy-weights"},
      {"root/node1", "",
       field + "\"root/node1\": volcano.sh/hierarchy must have the same length with "
               "volcano.sh/hierarchy-weights"},
      {"", "1/2",
       field + "\"\": volcano.sh/hierarchy must have the same length with "
               "volcano.sh/hierarchy-weights"},
      {"root", "",
       field + "\"\":  in the  is invalid number: strconv.ParseFloat: parsing \"\": "
               "invalid syntax"},
      {"root/a", "1/-1", field + "\"1/-1\": -1 in the 1/-1 must be larger than 0"},
      {"root/a", "1/0", field + "\"1/0\": 0 in the 1/0 must be larger than 0"},
      {"root/a", "1/a",
       field +
           "\"1/a\": a in the 1/a is invalid number: strconv.ParseFloat: parsing \"a\": invalid "
           "syntax"},
      {"root/a", "1/1e999",
       field + "\"1/1e999\": 1e999 in the 1/1e999 is invalid number: strconv.ParseFloat: parsing "
               "\"1e999\": value out of range"},
      {"root/a", "NaN/+Inf", "allowed"},
      {"root/a", "0x1p-2/.5", "allowed"},
      {"root/a", "1_000/0x_1_0p1_0", "allowed"},
      {"root/a", "1/5._5",
       field + "\"1/5._5\": 5._5 in the 1/5._5 is invalid number: strconv.ParseFloat: parsing "
               "\"5._5\": invalid syntax"},
      {"root/sci", "1/2",
       field +
           "\"root/sci\": root/sci is not allowed to be in the sub path of root/sci/dev of queue "
           "dev"},
      {"root/scidev", "1/2", "allowed"},
      {"root/sci/de", "1/2/3", "allowed"},
  }));
  CAPTURE(c.path, c.weights);
  PlainKnown known;
  known.Queue("dev", "", "",
              R"("volcano.sh/hierarchy":"root/sci/dev","volcano.sh/hierarchy-weights":"1/2/3")");
  const std::string annotations = StrCat(R"("volcano.sh/hierarchy":")", c.path,
                                         R"(","volcano.sh/hierarchy-weights":")", c.weights, "\"");
  CHECK(CreatedQueue(known, QueueText("q", "", "", annotations)) == c.told);
}

TEST_CASE("queues validate: a queue's own path is no other's", "[admission_rules][queues]") {
  PlainKnown known;
  known.Queue("q", "", "",
              R"("volcano.sh/hierarchy":"root/a/b","volcano.sh/hierarchy-weights":"1/2/3")");
  CHECK(UpdatedQueue(
            known, QueueText("q", ""),
            QueueText("q", "", "",
                      R"("volcano.sh/hierarchy":"root/a","volcano.sh/hierarchy-weights":"1/2")")) ==
        "allowed");
}

TEST_CASE("queues validate: parents", "[admission_rules][queues]") {
  PlainKnown known;
  known.Queue("root")
      .Queue("q1", R"("parent":"root")")
      .Queue("q2", R"("parent":"q1")")
      .Queue("working", R"("parent":"root")", R"("allocated":{"pods":"1"})")
      .Queue("idle", R"("parent":"root")", R"("allocated":{"pods":"0"})")
      .Queue("busy-parent", R"("parent":"root")", R"("allocated":{"pods":"7"})")
      .Queue("its-child", R"("parent":"busy-parent")")
      .Queue("orphan", R"("parent":"gone")")
      .Queue("x", R"("parent":"y")")
      .Queue("y", R"("parent":"x")");
  struct Case {
    std::string parent, told;
    int depth_max = 5;
  };
  const std::string too_deep = "queue new exceeds the maximum allowed depth of ";
  const Case c = GENERATE_COPY(values<Case>({
      {"", "allowed"},
      {"root", "allowed"},
      {"new", "queue new cannot use itself as parent"},
      {"q2", "allowed"},
      {"q2", "allowed", 3},
      {"q2", too_deep + "2", 2},
      {"gone",
       "failed to get parent queue gone of queue new: queue.scheduling.volcano.sh \"gone\" not "
       "found"},
      {"orphan",
       "failed to get parent queue gone of queue new: queue.scheduling.volcano.sh \"gone\" not "
       "found"},
      {"working",
       "queue working cannot be the parent queue of queue new because it has allocated "
       "Pods: 1"},
      {"idle", "allowed"},
      {"busy-parent", "allowed"},
      {"x", too_deep + "5"},
      {"x", too_deep + "2147483647", 2147483647},
  }));
  CAPTURE(c.parent, c.depth_max);
  Settings settings;
  settings.max_queue_depth = c.depth_max;
  const std::string object = QueueText("new", StrCat(R"("parent":")", c.parent, "\""));
  CHECK(CreatedQueue(known, object, settings) == c.told);
  // The same for one that moves; who stays is not looked at again.
  CHECK(UpdatedQueue(known, QueueText("new", R"("parent":"elsewhere")"), object, settings) ==
        c.told);
  CHECK(UpdatedQueue(known, object, object, settings) == "allowed");
}

TEST_CASE("queues validate: nobody moves below a descendant", "[admission_rules][queues]") {
  PlainKnown known;
  known.Queue("a", R"("parent":"root")")
      .Queue("b", R"("parent":"a")")
      .Queue("c", R"("parent":"b")");
  CHECK(UpdatedQueue(known, QueueText("a", R"("parent":"root")"),
                     QueueText("a", R"("parent":"c")")) ==
        "queue a cannot use its descendant c as parent");
}

TEST_CASE("queues validate: the root queue", "[admission_rules][queues]") {
  const PlainKnown known;
  const std::string before = QueueText("root", R"("capability":{"cpu":"1"})");
  const std::string refused =
      "root queue's resource attributes (capability, deserved, guarantee) cannot be modified";
  CHECK(UpdatedQueue(known, before,
                     QueueText("root", R"("capability":{"cpu":"1000m"},"weight":7)")) == "allowed");
  CHECK(UpdatedQueue(known, before, QueueText("root", R"("capability":{"cpu":"2"})")) == refused);
  CHECK(UpdatedQueue(known, before, QueueText("root", "")) == refused);
  CHECK(UpdatedQueue(known, before,
                     QueueText("root", R"("capability":{"cpu":"1"},"deserved":{"cpu":"1"})")) ==
        refused);
  Settings open;
  open.protect_root_queue = false;
  CHECK(UpdatedQueue(known, before, QueueText("root", ""), open) == "allowed");
  CHECK(CreatedQueue(known, before) == "allowed");
}

TEST_CASE("queues validate: deletion", "[admission_rules][queues]") {
  PlainKnown known;
  known.Queue("default").Queue("root").Queue("leaf", "", R"("state":"Open")");
  known.Queue("closed", "", R"("state":"Closed")");
  known.Queue("parent", "", R"("allocated":{"pods":"3"})");
  known.Queue("c2", R"("parent":"parent")").Queue("c1", R"("parent":"parent")");
  struct Case {
    std::string name, told;
    bool check_pods = false;
  };
  const std::string children =
      "queue parent can not be deleted because it has 2 child queues: c1, c2";
  const Case c = GENERATE_COPY(values<Case>({
      {"default", "`default` queue can not be deleted"},
      {"root", "`root` queue can not be deleted"},
      {"gone", "queue.scheduling.volcano.sh \"gone\" not found"},
      {"leaf", "allowed"},
      {"closed", "allowed"},
      {"leaf", "allowed", true},
      {"parent", children},
      {"parent", "queue parent cannot be deleted because it has allocated Pods: 3", true},
  }));
  CAPTURE(c.name, c.check_pods);
  Settings settings;
  settings.check_allocated_pods = c.check_pods;
  CHECK(test::Told(test::Ask({.path = "/queues/validate", .operation = "DELETE", .name = c.name},
                             known, settings)) == c.told);
}

TEST_CASE("queues validate: of a collection that is deleted the objects have names",
          "[admission_rules][queues]") {
  PlainKnown known;
  known.Queue("root").Queue("leaf");
  const auto deleted = [&](std::string_view name) {
    return test::Told(test::Ask(
        {.path = "/queues/validate", .operation = "DELETE", .old_object = QueueText(name, "")},
        known));
  };
  CHECK(deleted("leaf") == "allowed");
  CHECK(deleted("root") == "`root` queue can not be deleted");
}

TEST_CASE("queues validate: other operations are refused", "[admission_rules][queues]") {
  CHECK(test::Told(test::Ask({.path = "/queues/validate", .operation = "Invalid"}, PlainKnown())) ==
        "invalid operation `Invalid`, expect operation to be `CREATE`, `UPDATE` or `DELETE`");
}

}  // namespace
}  // namespace bth::admission
