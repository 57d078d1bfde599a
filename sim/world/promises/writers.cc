// Who writes what: leaders only, and nothing of somebody else.
#include <cctype>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

bool IsDaemon(const Process& from) {
  return absl::StartsWith(from.name(), "scheduler") || absl::StartsWith(from.name(), "controllers");
}

class OnlyOurs final : public Promise {
 public:
  explicit OnlyOurs(const Sight& sight) : Promise("only-ours", sight) {}
  void OnWrite(const Write& write) override {
    if (!IsDaemon(write.from)) return;
    Look();
    MustConcern(write, "volcano");
  }
};

class OneLeader final : public Promise {
 public:
  explicit OneLeader(const Sight& sight) : Promise("one-leader", sight) {}
  void OnWrite(const Write& write) override {
    if (!IsDaemon(write.from)) return;
    const bool schedules = absl::StartsWith(write.from.name(), "scheduler");
    MustLead(write, schedules ? "volcano" : "vc-controller-manager");
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

bool IsText(const types::Json& json) {
  return !json.AsString().empty();
}

// Which object it is about, where that counts: a uid or version of another one deeper inside, such
// as of the pod that a claim is for, says nothing.
bool NamesIt(const std::string& body) {
  const types::Json json = types::Json::Parse(body).value_or(types::Json());
  for (const types::Json& step : json.items()) {
    const std::string_view path = step["path"].AsString();
    const bool names = path == "/metadata/uid" || path == "/metadata/resourceVersion";
    if (names && step["op"].AsString() == "test") return true;
  }
  const types::Json& meta = json["metadata"];
  const types::Json& wanted = json["preconditions"];
  return IsText(meta["uid"]) || IsText(meta["resourceVersion"]) || IsText(wanted["uid"]) ||
         IsText(wanted["resourceVersion"]);
}

// Names are used again.
class ByIdentity final : public Promise {
 public:
  explicit ByIdentity(const Sight& sight) : Promise("by-identity", sight) {}
  void OnWrite(const Write& write) override {
    if (!IsDaemon(write.from)) return;
    const apiserver::ResourcePath& path = write.path;
    const std::string& body = write.request.body;
    const bool counts = path.plural == "pods" || path.plural == "podgroups" ||
                        path.plural == "jobs" || path.plural == "resourceclaims" ||
                        path.plural == "commands" || path.plural == "leases";
    if (path.name.empty() || !counts) return;
    Look();
    // The binding may be protobuf.
    const bool names_it = path.subresource == "binding" || path.subresource == "eviction"
                              ? HoldsUid(body)
                              : NamesIt(body);
    if (!names_it) Break(StrCat(write.Words(), " goes by the name alone: ", body));
  }
};

// What is refused is tried again after a pause, and what is told does not change all the time.
class Unhurried final : public Promise {
 public:
  explicit Unhurried(const Sight& sight) : Promise("unhurried", sight) {}
  void OnWrite(const Write& write) override {
    // A change by somebody else is a reason to look again.
    if (!IsDaemon(write.from) || write.path.name.empty() || write.is_overtaken) return;
    Look();
    if (now() - since_ >= absl::Minutes(1)) {
      counts_.clear();
      since_ = now();
    }
    if (++counts_[write.Words()] > kMost) {
      Break(StrCat(write.Words(), " was sent more than ", kMost, " times within a minute"));
    }
  }

 private:
  static constexpr int kMost = 300;
  absl::Duration since_;
  absl::flat_hash_map<std::string, int> counts_;  // Since then, by program, verb and object.
};

}  // namespace

PromisePtr MakeUnhurried(const Sight& sight) {
  return std::make_unique<Unhurried>(sight);
}
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
