#include "cli/doctor/queues.h"

#include "tests/cli/doctor/points_text.h"

namespace bth::cli {
namespace {

using test::ListingOf;
using test::PointsText;

std::string Queue(const std::string& name, const std::string& spec,
                  const std::string& state = "Open") {
  return StrCat(R"({"metadata": {"name": ")", name, R"("}, "spec": )", spec,
                R"(, "status": {"state": ")", state, R"("}})");
}

// With the two that are always there.
std::string Told(std::vector<std::string> queues, const std::vector<std::string>& groups = {},
                 const std::string& allocatable = R"({"cpu": "10"})") {
  queues.push_back(Queue("root", "{}"));
  queues.push_back(Queue("default", "{}"));
  std::vector<Point> points;
  CheckQueues(ListingOf(queues), ListingOf(groups), AmountsIn(test::Parsed(allocatable)), &points);
  CHECK(test::HaveRemedies(points));
  return PointsText(points);
}

TEST_CASE("doctor: a tree of queues in order", "[cli][doctor]") {
  CHECK(Told({Queue("a", R"({"parent": "root", "capability": {"cpu": "4"},
                             "guarantee": {"resource": {"cpu": "4"}}})"),
              Queue("a1", R"({"parent": "a", "guarantee": {"resource": {"cpu": 3}}})"),
              Queue("shut", R"({"parent": "root"})", "Closed")},
             {R"({"spec": {"queue": "shut"}, "status": {"phase": "Completed"}})"}) ==
        "ok: all: 5 queues, a tree without faults\n");
}

TEST_CASE("doctor: what is wrong with queues", "[cli][doctor]") {
  struct Case {
    std::vector<std::string> queues;
    std::string told;
  };
  const std::vector<Case> cases = {
      {{Queue("a", R"({"parent": "b"})")},
       "fault: a: its parent b does not exist: with a hierarchy it takes no jobs\n"},
      {{Queue("a", R"({"parent": "b"})"), Queue("b", R"({"parent": "a"})"),
        Queue("c", R"({"parent": "b"})")},
       "fault: a: its parents go round in a circle: a > b > a\n"
       "fault: b: its parents go round in a circle: b > a > b\n"},
      {{Queue("a", R"({"parent": "a"})")}, "fault: a: its parents go round in a circle: a > a\n"},
      {{Queue("a", "{}")}, "warning: a: without a parent, so below root: a\n"},
      {{Queue("a", "{}"), Queue("b", "{}")},
       "warning: 2 queues: without a parent, so below root: a, b\n"},
      {{Queue("a", R"({"parent": "root", "capability": {"cpu": "0", "gpu": 0}})")},
       "warning: a: its capability of cpu is 0, which counts as no limit\n"},
      {{Queue("a", R"({"parent": "root", "capability": {"memory": "1Gi"},
                       "guarantee": {"resource": {"memory": "2Gi"}}})")},
       "warning: a: it is guaranteed 2Gi of memory and may hold 1Gi\n"
       "warning: all, memory: queues are guaranteed 2Gi, and the nodes have 0\n"},
      {{Queue("a", R"({"parent": "root", "guarantee": {"resource": {"cpu": "6"}}})"),
        Queue("b", R"({"parent": "root"})"),
        Queue("b1", R"({"parent": "b", "guarantee": {"resource": {"cpu": "5"}}})")},
       "warning: all, cpu: queues are guaranteed 11, and the nodes have 10\n"},
  };
  for (const Case& c : cases) CHECK(Told(c.queues) == c.told);
}

TEST_CASE("doctor: closed queues with jobs that wait", "[cli][doctor]") {
  const std::vector<std::string> groups = {
      R"({"spec": {"queue": "a"}, "status": {"phase": "Pending"}})", R"({"spec": {"queue": "a"}})",
      R"({"spec": {"queue": "a"}, "status": {"phase": "Running"}})"};
  CHECK(Told({Queue("a", R"({"parent": "root"})", "Closing")}, groups) ==
        "warning: a: Closing, and 2 PodGroups wait in it\n");
}

TEST_CASE("doctor: queues that are always there, and are not", "[cli][doctor]") {
  std::vector<Point> points;
  CheckQueues(ListingOf({Queue("a", R"({"parent": "default"})")}), {}, {}, &points);
  CHECK(PointsText(points) ==
        "warning: root: does not exist\n"
        "warning: default: does not exist\n"
        "fault: a: its parent default does not exist: with a hierarchy it takes no jobs\n");
  points.clear();
  CheckQueues({{}, "forbidden"}, {}, {}, &points);
  CHECK(PointsText(points) == "not checked: all: forbidden\n");
}

TEST_CASE("doctor: priority classes that PodGroups name", "[cli][doctor]") {
  const ObjectsRead classes = ListingOf({R"({"metadata": {"name": "high"}})"});
  const auto told = [&classes](const std::vector<std::string>& groups) {
    std::vector<Point> points;
    CheckPriorityClasses(classes, ListingOf(groups), &points);
    CHECK(test::HaveRemedies(points));
    return PointsText(points);
  };
  CHECK(told({R"({"spec": {"priorityClassName": "high"}})"}) ==
        "ok: all: those that PodGroups name exist\n");
  CHECK(told({R"({"metadata": {"name": "g", "namespace": "n"},
                  "spec": {"priorityClassName": "hihg"}})"}) ==
        "warning: hihg: does not exist, and is named by n/g\n");
}

}  // namespace
}  // namespace bth::cli
