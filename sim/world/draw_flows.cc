#include "sim/world/draw_flows.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/strings.h"
#include "sim/world/deed_drawer.h"
#include "sim/world/paths.h"

namespace bth::sim {
namespace {

constexpr uint64_t kFlowNumbers = 0xf1'0'e5'0f'b0'b5;
// Of stories.
constexpr double kPart = 0.2;
constexpr int kTemplates = 5;  // Of a namespace.

class FlowDrawer final : DeedDrawer {
 public:
  explicit FlowDrawer(Story* story)
      : DeedDrawer(story->seed ^ kFlowNumbers, absl::Seconds(3)), story_(*story) {}

  void Draw() {
    if (!rng_.Chance(kPart)) return;
    const bool flows = rng_.Chance(0.75);
    const bool crons = !flows || rng_.Chance(0.5);
    DrawMore(&story_.rounds, [&] {
      for (int64_t n = flows ? rng_.Between(1, 2) : 0; n > 0; --n) DrawSpace();
      for (int64_t n = crons ? rng_.Between(1, 6) : 0; n > 0; --n) DrawCron();
    });
  }

 private:
  // The spec of a job of a few small pods. `more`: further members, each followed by a comma.
  std::string JobSpec(int64_t pods, int64_t runs, bool fails, const std::string& more) {
    return StrCat(R"({"schedulerName":"volcano",)", more, R"("minAvailable":)",
                  rng_.Between(1, pods), R"(,"tasks":[{"name":"t","replicas":)", pods,
                  R"(,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",)",
                  R"("image":"i","command":["sh","-c","sleep )", runs, " && exit ", fails ? 1 : 0,
                  R"("],"resources":{"requests":{"cpu":"1"}}}]}}}]})");
  }

  void DrawTemplate(int number) {
    std::string more = StrCat(R"("queue":")", rng_.Chance(0.9) ? "default" : "q0", R"(",)");
    if (rng_.Chance(0.4)) {
      StrAppend(&more, R"("ttlSecondsAfterFinished":)", rng_.Chance(0.5) ? 0 : rng_.Between(1, 60),
                ",");
    }
    const bool fails = rng_.Chance(0.15);
    if (fails) {
      StrAppend(&more, R"("maxRetry":)", rng_.Between(1, 3), ",");
      if (rng_.Chance(0.7)) {
        StrAppend(&more, R"("policies":[{"event":"PodFailed","action":")",
                  rng_.Chance(0.7) ? "RestartJob" : "AbortJob", R"("}],)");
      }
    }
    const int64_t pods = rng_.Between(1, 3);
    const int64_t runs = rng_.Between(5, 120);
    const std::string name = StrCat("t", number);
    const std::string body =
        StrCat(R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobTemplate","metadata":{)",
               R"("name":")", name, R"("},"spec":)", JobSpec(pods, runs, fails, more), "}");
    const std::string collection = CollectionIn(std::string(kJobTemplates), ns_);
    const absl::Duration at = rng_.Chance(0.8) ? absl::Seconds(3) : Moment();
    Send(at, "template", "POST", collection, body);
    if (!rng_.Chance(0.1)) return;
    const absl::Duration gone = Moment();
    Send(gone, "delete-template", "DELETE", StrCat(collection, "/", name));
    Send(gone + absl::Seconds(rng_.Between(1, 200)), "template", "POST", collection, body);
  }

  // What a flow is made of: a chain, a fork, or anything.
  std::string Entries() {
    const int64_t count = rng_.Between(1, 4);
    const auto first = static_cast<int64_t>(rng_.Below(kTemplates));
    const uint64_t kind = rng_.Below(4);
    const auto name = [first](int64_t entry) { return StrCat("t", (first + entry) % kTemplates); };
    std::string out;
    for (int64_t i = 0; i < count; ++i) {
      StrAppend(&out, i == 0 ? "" : ",", R"({"name":")", name(i), R"(")");
      if (i > 0 && kind < 3) {
        std::string targets;
        const int64_t until = kind == 1 ? 1 : i;  // A fork, a chain, and one that waits for all.
        for (int64_t j = kind == 0 ? i - 1 : 0; j < until; ++j) {
          StrAppend(&targets, targets.empty() ? "" : ",", R"(")", name(j), R"(")");
        }
        if (rng_.Chance(0.02)) targets = R"("nothing")";
        StrAppend(&out, R"(,"dependsOn":{"targets":[)", targets, "]");
        if (rng_.Chance(0.1)) {
          StrAppend(&out, R"(,"probe":{"taskStatusList":[{"taskName":"t","phase":"Running"}]})");
        }
        StrAppend(&out, "}");
      }
      StrAppend(&out, "}");
    }
    return StrCat("[", out, "]");
  }

  void DrawSpace() {
    ns_ = OneOf(kSpaces);
    for (int i = 0; i < kTemplates; ++i) DrawTemplate(i);
    for (int64_t n = rng_.Between(1, 5); n > 0; --n) DrawFlow();
  }

  void DrawFlow() {
    constexpr std::array<std::string_view, 3> kRetain = {"", R"("jobRetainPolicy":"delete",)",
                                                         R"("jobRetainPolicy":"retain",)"};
    const std::string name = StrCat("f", made_++);
    const std::string collection = CollectionIn(std::string(kFlows), ns_);
    const std::string path = StrCat(collection, "/", name);
    const std::string_view retain = OneOf(kRetain);
    const std::string body =
        StrCat(R"({"apiVersion":"flow.volcano.sh/v1alpha1","kind":"JobFlow","metadata":{"name":")",
               name, R"("},"spec":{)", retain, R"("flows":)", Entries(), "}}");
    const absl::Duration at = Moment();
    Send(at, "flow", "POST", collection, body);
    const auto later = [&] { return at + absl::Milliseconds(rng_.Between(1, 200'000)); };
    if (rng_.Chance(0.4)) DrawLossOfJobs(name, at);
    if (rng_.Chance(0.1)) {
      const absl::Duration gone = later();
      Send(gone, "delete-flow", "DELETE", StrCat(path, Propagation()));
    }
    if (rng_.Chance(0.2)) {
      const absl::Duration gone = later();
      // What jobs of the former one have done is nothing to this one.
      const bool orphans = rng_.Chance(0.4);
      Send(gone, "replace-flow", "DELETE",
           StrCat(path, orphans ? "?propagationPolicy=Orphan" : Propagation()));
      Send(gone + absl::Milliseconds(rng_.Between(0, 50)), "flow", "POST", collection, body);
    }
    if (rng_.Chance(0.15)) {
      const std::string entries = Entries();
      Send(later(), "edit-flow", "PATCH", path, StrCat(R"({"spec":{"flows":)", entries, "}}"));
    }
    if (rng_.Chance(0.1)) {
      const absl::Duration when = rng_.Chance(0.5) ? at - absl::Seconds(1) : later();
      SendJob(when, "namesake", ns_, JobOf(name),
              R"("tasks":[{"name":"t","replicas":1,"template":{"spec":{"restartPolicy":"Never",)"
              R"("containers":[{"name":"c","image":"i","command":["sh","-c","sleep 30"],)"
              R"("resources":{"requests":{"cpu":"1"}}}]}}}])");
    }
  }

  std::string JobOf(const std::string& flow) { return StrCat(flow, "-t", rng_.Below(kTemplates)); }
  std::string_view Propagation() {
    if (rng_.Chance(0.8)) return "?propagationPolicy=Background";
    return rng_.Chance(0.5) ? "?propagationPolicy=Foreground" : "?propagationPolicy=Orphan";
  }
  void DrawLossOfJobs(const std::string& flow, absl::Duration at) {
    for (int64_t n = rng_.Between(1, 4); n > 0; --n) {
      const absl::Duration when = at + absl::Milliseconds(rng_.Between(1, 200'000));
      const std::string job = JobOf(flow);
      Send(
          when, "delete-flow-job", "DELETE",
          StrCat("/apis/batch.volcano.sh/v1alpha1/namespaces/", ns_, "/jobs/", job, Propagation()));
    }
  }

  // One to four minutes.
  std::string Due() {
    std::string out;
    int64_t minute = 0;
    for (int64_t n = rng_.Between(1, 4); n > 0; --n) {
      minute += rng_.Between(1, 3);
      StrAppend(&out, out.empty() ? "" : ",", minute);
    }
    return StrCat("$DUE(", out, ")");
  }

  void DrawCron() {
    constexpr std::array<std::string_view, 3> kPolicies = {"Allow", "Forbid", "Replace"};
    const std::string_view ns = OneOf(kSpaces);
    const std::string name = StrCat("c", made_++);
    const std::string collection = CollectionIn(std::string(kCronJobs), ns);
    const std::string path = StrCat(collection, "/", name);
    std::string spec =
        StrCat(R"("timeZone":"UTC","concurrencyPolicy":")", OneOf(kPolicies), R"(",)");
    StrAppend(&spec, R"("successfulJobsHistoryLimit":)", rng_.Between(0, 3), ",");
    StrAppend(&spec, R"("failedJobsHistoryLimit":)", rng_.Between(0, 3), ",");
    if (rng_.Chance(0.2)) {
      StrAppend(&spec, R"("startingDeadlineSeconds":)", rng_.Between(30, 300), ",");
    }
    // Some are still at work when the next one is due.
    const int64_t runs = rng_.Chance(0.3) ? rng_.Between(1, 20) : rng_.Between(50, 300);
    StrAppend(&spec, R"("jobTemplate":{"spec":)",
              JobSpec(1, runs, rng_.Chance(0.15), R"("queue":"default",)"), "}");
    const std::string body =
        StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"CronJob","metadata":{"name":")",
               name, R"("},"spec":{"schedule":")", Due(), R"(",)", spec, "}}");
    const absl::Duration at = Moment();
    Send(at, "cron", "POST", collection, body);
    const auto later = [&] { return at + absl::Milliseconds(rng_.Between(1, 400'000)); };
    if (rng_.Chance(0.25)) {
      const absl::Duration from = later();
      Send(from, "suspend", "PATCH", path, R"({"spec":{"suspend":true}})");
      Send(from + absl::Seconds(rng_.Between(1, 200)), "resume", "PATCH", path,
           R"({"spec":{"suspend":false}})");
    }
    if (rng_.Chance(0.2)) {
      const std::string due = Due();
      Send(later(), "reschedule", "PATCH", path, StrCat(R"({"spec":{"schedule":")", due, R"("}})"));
    }
    if (rng_.Chance(0.15)) {
      const std::string_view policy = OneOf(kPolicies);
      Send(later(), "cron-policy", "PATCH", path,
           StrCat(R"({"spec":{"concurrencyPolicy":")", policy, R"("}})"));
    }
    if (rng_.Chance(0.15)) {
      const absl::Duration gone = later();
      Send(gone, "delete-cron", "DELETE", StrCat(path, Propagation()));
    }
    if (rng_.Chance(0.15)) {
      const absl::Duration gone = later();
      Send(gone, "replace-cron", "DELETE", StrCat(path, Propagation()));
      Send(gone + absl::Milliseconds(rng_.Between(0, 50)), "cron", "POST", collection, body);
    }
  }

  Story& story_;
  std::string_view ns_;  // In which flows are drawn.
  int made_ = 0;
};

}  // namespace

void DrawFlows(Story* story) {
  FlowDrawer(story).Draw();
}

}  // namespace bth::sim
