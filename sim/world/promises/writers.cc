// Who writes what: leaders only, and nothing of somebody else.
#include <cctype>
#include <string>
#include <string_view>

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

// 36 characters of hexadecimal numbers and dashes.
bool HoldsUid(std::string_view text) {
  constexpr size_t kLength = 36;
  size_t run = 0;
  for (const char c : text) {
    run = c == '-' || std::isxdigit(static_cast<unsigned char>(c)) != 0 ? run + 1 : 0;
    if (run == kLength) return true;
  }
  return false;
}

// Names are used again.
class ByIdentity final : public Promise {
 public:
  explicit ByIdentity(const Sight& sight) : Promise("by-identity", sight) {}
  void OnWrite(const Process& from, const net::Request& request, absl::Duration) override {
    if (!IsDaemon(from)) return;
    const apiserver::ResourcePath path = PathOf(request);
    const bool counts = path.plural == "pods" || path.plural == "podgroups" ||
                        path.plural == "jobs" || path.plural == "resourceclaims" ||
                        path.plural == "commands" || path.plural == "leases";
    if (path.name.empty() || !counts) return;
    Look();
    // The binding may be protobuf.
    const bool names_it = path.subresource == "binding" || path.subresource == "eviction"
                              ? HoldsUid(request.body)
                              : absl::StrContains(request.body, "\"uid\":\"") ||
                                    absl::StrContains(request.body, "\"resourceVersion\":\"") ||
                                    absl::StrContains(request.body, "\"/metadata/uid\"");
    if (!names_it) Break(StrCat(Words(from, request), " goes by the name alone: ", request.body));
  }
};

}  // namespace

PromisePtr MakeOnlyOurs(const Sight& sight) {
  return std::make_unique<OnlyOurs>(sight);
}
PromisePtr MakeOneLeader(const Sight& sight) {
  return std::make_unique<OneLeader>(sight);
}

PromisePtr MakeByIdentity(const Sight& sight) {
  return std::make_unique<ByIdentity>(sight);
}

}  // namespace bth::sim
