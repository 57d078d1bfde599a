// Who writes what: leaders only, and nothing of somebody else.
#include <string>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

bool IsDaemon(const Process& from) {
  return absl::StartsWith(from.name(), "scheduler") || absl::StartsWith(from.name(), "controllers");
}

std::string Words(const Process& from, const net::Request& request) {
  return StrCat(from.name(), ": ", request.method, " ", request.target);
}

class OnlyOurs final : public Promise {
 public:
  explicit OnlyOurs(const Sight& sight) : Promise("only-ours", sight) {}
  void OnWrite(const Process& from, const net::Request& request, absl::Duration) override {
    if (!IsDaemon(from)) return;
    const apiserver::ResourcePath path = PathOf(request);
    Look();
    if (path.plural != "pods" || path.name.empty()) return;
    const types::Pod* const pod = Ledger::Find(ledger().pods(), KeyOf(path));
    if (pod != nullptr && !IsOurs(*pod)) {
      Break(StrCat(Words(from, request), " is about a pod of ", pod->spec.scheduler_name));
    }
  }
};

class OneLeader final : public Promise {
 public:
  explicit OneLeader(const Sight& sight) : Promise("one-leader", sight) {}
  void OnWrite(const Process& from, const net::Request& request, absl::Duration sent_at) override {
    // Nobody can call back what is on its way for longer than leaders may outlive their deadline.
    if (!IsDaemon(from) || now() - sent_at > absl::Seconds(4)) return;
    if (PathOf(request).plural == "leases") return;
    const bool schedules = absl::StartsWith(from.name(), "scheduler");
    const types::Lease* const lease =
        Ledger::Find(ledger().leases(),
                     StrCat("volcano-system/", schedules ? "volcano" : "vc-controller-manager"));
    Look();
    if (lease != nullptr && lease->spec.holder_identity == from.name()) return;
    // It leads without knowing of its own lease only for a moment.
    Break(StrCat(Words(from, request), ", while ",
                 lease == nullptr ? "nobody" : lease->spec.holder_identity, " leads"));
  }
};

}  // namespace

PromisePtr MakeOnlyOurs(const Sight& sight) {
  return std::make_unique<OnlyOurs>(sight);
}
PromisePtr MakeOneLeader(const Sight& sight) {
  return std::make_unique<OneLeader>(sight);
}

}  // namespace bth::sim
