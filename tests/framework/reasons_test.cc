#include "framework/report/reasons.h"

#include <memory>

#include "framework/report/fit_report.h"
#include "tests/support/catch.h"

namespace bth::framework {
namespace {

TEST_CASE("reasons: one id per code and text", "[framework]") {
  ReasonTable reasons;
  const ReasonId a = reasons.Register(FitCode::kUnschedulable, "busy");
  CHECK(a != kFits);
  CHECK(reasons.Register(FitCode::kUnschedulable, "busy") == a);
  const ReasonId b = reasons.Register(FitCode::kUnresolvable, "busy");
  CHECK(b != a);
  CHECK(reasons.text(b) == "busy");
  CHECK(reasons.code(b) == FitCode::kUnresolvable);
  CHECK(reasons.size() == 3);
}

TEST_CASE("reasons: what a dimension lacks has one id, whatever it is", "[framework]") {
  ReasonTable reasons;
  const ReasonId cpu = reasons.RegisterLack(0, "Insufficient cpu");
  const ReasonId first = reasons.RegisterLack(1, "Insufficient a.io/x");
  const size_t size = reasons.size();
  reasons.BeginSession();
  CHECK(reasons.RegisterLack(0, "Insufficient cpu") == cpu);
  CHECK(reasons.RegisterLack(1, "Insufficient b.io/y") == first);
  CHECK(reasons.text(first) == "Insufficient b.io/y");
  CHECK(reasons.code(first) == FitCode::kUnschedulable);
  CHECK(reasons.size() == size);
}

TEST_CASE("reasons: only what evictions may cure goes on", "[framework]") {
  ReasonTable reasons;
  CHECK_FALSE(reasons.Aborts(kFits));
  CHECK_FALSE(reasons.Aborts(reasons.Register(FitCode::kUnschedulable, "x")));
  for (FitCode code : {FitCode::kError, FitCode::kUnresolvable, FitCode::kWait, FitCode::kSkip}) {
    CHECK(reasons.Aborts(reasons.Register(code, "x")));
  }
}

TEST_CASE("fit text: reasons are sorted as text", "[framework]") {
  const std::string ports = "node(s) had no free ports";
  const std::string room = "Insufficient cpu";
  const std::string silent;
  struct Case {
    TaskFit fit;
    const char* text;
  };
  const Case cases[] = {
      {{.nodes_refused = 0}, "0/0 nodes are unavailable"},
      {{.nodes_refused = 4}, "0/4 nodes are unavailable"},
      {{.nodes_refused = 12, .counts = {{ports, 2}, {room, 10}}},
       "0/12 nodes are unavailable: 10 Insufficient cpu, 2 node(s) had no free ports."},
      {{.nodes_refused = 5, .counts = {{ports, 2}, {room, 4}}},  // A node may count twice.
       "0/5 nodes are unavailable: 2 node(s) had no free ports, 4 Insufficient cpu."},
      {{.nodes_refused = 3, .counts = {{room, 3}}, .preset = "all nodes are unavailable"},
       "all nodes are unavailable: 3 Insufficient cpu."},
      {{.nodes_refused = 2, .counts = {{room, 2}, {silent, 2}}},
       "0/2 nodes are unavailable: 2 Insufficient cpu."},
  };
  for (const Case& c : cases) CHECK(c.fit.Text() == c.text);
}

TEST_CASE("gates: every gate has its own name", "[framework]") {
  std::vector<std::string_view> seen;
  for (int g = 0; g <= static_cast<int>(Gate::kBinding); ++g) {
    const std::string_view name = GateName(static_cast<Gate>(g));
    CHECK_FALSE(name.empty());
    for (std::string_view other : seen) CHECK(name != other);
    seen.push_back(name);
  }
}

}  // namespace
}  // namespace bth::framework
