#include "sim/world/storm.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "sim/world/paths.h"
#include "sim/world/programs.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

constexpr absl::Duration kTick = absl::Minutes(1);
// Everything ends within this time once the weather is good: gangs that work for twenty minutes
// come one after another, a gang in part waits ten minutes, then five, and what waits in a queue
// has all that is before it to wait for.
constexpr absl::Duration kRestWithin = absl::Hours(5);
// When nobody has written for so long, nobody will: a gang that pauses says nothing for five
// minutes, and then what has become of it.
constexpr absl::Duration kSilence = absl::Minutes(6);
constexpr absl::Duration kDeadSilence = absl::Minutes(25);
// What is sent comes to the server within this time, unless something holds it up.
constexpr absl::Duration kPrompt = absl::Seconds(1);

// Renewals and heartbeats go on for ever.
bool IsPulse(const apiserver::ResourcePath& path) {
  return path.plural == "leases" || (path.plural == "nodes" && path.subresource == "status");
}

// So does the built-in policy.
bool DividesByWeight(const std::string& policy) {
  return policy.empty() || absl::StrContains(policy, "proportion");
}

bool KeepsNear(const std::string& policy) {
  return absl::StrContains(policy, "network-topology-aware");
}

class Teller {
 public:
  Teller(const Story& story, const StormOptions& options)
      : story_(story), options_(options), promises_(MakePromises(sight_)), world_(story, Hooks()) {
    sight_.now = [this] { return world_.now(); };
    sight_.fair_since = [this] {
      return std::max(fair_since_, world_.weather().held_back_until());
    };
    sight_.by_weight = DividesByWeight(story.policy);
    sight_.keeps_near = KeepsNear(story.policy);
    sight_.hard_shards = story.sharding == model::ShardMode::kHard;
    sight_.old_lists = HasFront(story, Fault::kStaleList);
  }

  StormResult Tell() {
    size_t first = 0;
    size_t told = 0;
    for (const Round& round : story_.rounds) {
      if (options_.rounds_max > 0 && told++ == options_.rounds_max) break;
      if (!TellRound(round, first)) break;
      first += round.deeds.size();
    }
    Collect();
    return std::move(result_);
  }

 private:
  WorldHooks Hooks();
  bool IsLate(const Write& write) const;
  void Answers(const Write& write);
  void NoteEviction(const net::Request& request);
  bool TellRound(const Round& round, size_t first);
  void Perform(const Deed& deed);
  void CollectOrphans();
  bool Pass(absl::Duration time);
  void MakeAmends();
  void DeleteMakerOf(const std::string& job);
  void TakeBackRefused();
  bool GiveUp();
  size_t DeleteMakers();
  bool Rest();
  bool Sweep();
  size_t Delete(const std::string& collection, const std::string& query);
  void AskAtRest();
  void Break(std::string promise, std::string what) {
    result_.breaches.push_back({std::move(promise), std::move(what), world_.now()});
  }
  bool broken() const {
    return !result_.breaches.empty() ||
           std::any_of(promises_.begin(), promises_.end(),
                       [](const PromisePtr& promise) { return !promise->breach().empty(); });
  }
  bool AllEnded() const;
  void Collect();
  void Tell(const std::string& line) {
    if (options_.tell) {
      options_.tell(absl::StrFormat("%10.3f %s", absl::ToDoubleSeconds(world_.now()), line));
    }
  }

  const Story& story_;
  const StormOptions& options_;
  Sight sight_;
  std::vector<PromisePtr> promises_;
  std::vector<Onlooker*> onlookers_;
  absl::Duration fair_since_;
  absl::Duration last_write_at_;
  std::string last_write_;
  StormResult result_;
  World world_;
};

WorldHooks Teller::Hooks() {
  if (story_.agents > 0) promises_.push_back(MakeSinglePods(sight_));
  if (story_.sharding == model::ShardMode::kHard) promises_.push_back(MakeOwnShard(sight_));
  if (KeepsNear(story_.policy)) promises_.push_back(MakeNearGangs(sight_));
  for (const PromisePtr& promise : promises_) onlookers_.push_back(promise.get());
  sight_.now = [] { return absl::ZeroDuration(); };
  sight_.fair_since = sight_.now;
  WorldHooks hooks;
  hooks.extend = options_.extend;
  hooks.on_event = [this](const std::string& collection, const apiserver::StoreEvent& event) {
    sight_.ledger.Note(collection, event, onlookers_);
  };
  hooks.on_fault = [this](absl::Duration until) { fair_since_ = std::max(fair_since_, until); };
  hooks.on_loss = [this](std::string what) { Break("durable", std::move(what)); };
  hooks.on_departure = [this](const Process&, const net::Request& request) {
    if (request.method != "GET") NoteEviction(request);
  };
  hooks.on_arrival = [this](const Process& from, const net::Request& request,
                            const Transit& transit) {
    if (request.method == "GET") return;
    const Write write{
        from, request, PathOf(request), transit.sent_at, transit.is_given_up, transit.is_overtaken};
    if (!IsPulse(write.path)) {
      last_write_at_ = world_.now();
      last_write_ = write.Words();
      if (options_.tell) Tell(StrCat("  ", last_write_, " ", request.body.substr(0, 300)));
    }
    Answers(write);
    for (const PromisePtr& promise : promises_) promise->OnWrite(write);
  };
  return hooks;
}

// Its scheduler may not count on it any more when it comes about.
bool Teller::IsLate(const Write& write) const {
  if (write.is_given_up) return true;
  const bool single = absl::StartsWith(write.from.name(), "agent-");
  const std::string lease = StrCat(kWorldNamespace, "/", single ? kAgentName : "volcano");
  return world_.now() - write.sent_at > kPrompt &&
         sight_.ledger.HolderOf(lease) != write.from.name();
}

// Whoever binds a pod, or lends devices to a claim, answers for it from now on; whoever asks for a
// lease, for the time from then on.
void Teller::Answers(const Write& write) {
  const apiserver::ResourcePath& path = write.path;
  const std::string key = KeyOf(path);
  if (path.plural == "leases") {
    const Json spec = Json::Parse(write.request.body).value_or(Json())["spec"];
    sight_.asked_at[StrCat(spec["holderIdentity"].AsString(), " ", spec["renewTime"].AsString())] =
        write.sent_at;
    return;
  }
  if (path.plural == "resourceclaims" && path.subresource == "status") {
    const types::ResourceClaim* const claim = Ledger::Find(sight_.ledger.claims(), key);
    if (claim != nullptr && !claim->status.allocation.has_value()) {
      sight_.allocator_of[claim->meta.uid] = write.from.name();
    }
    return;
  }
  if (path.subresource != "binding") return;
  const types::Pod* const pod = Ledger::Find(sight_.ledger.pods(), key);
  if (pod == nullptr) return;
  if (pod->spec.node_name.empty()) sight_.binder_of[pod->meta.uid] = write.from.name();
  if (IsLate(write)) sight_.bound_late.insert(pod->meta.uid);
}

// An eviction, or a pod's status, which says beforehand why it goes.
void Teller::NoteEviction(const net::Request& request) {
  const apiserver::ResourcePath path = PathOf(request);
  const bool marks =
      path.subresource == "status" && absl::StrContains(request.body, "\"PreemptionByScheduler\"");
  if (!marks && path.subresource != "eviction") return;
  const types::Pod* const pod = Ledger::Find(sight_.ledger.pods(), KeyOf(path));
  if (pod != nullptr) sight_.evicted_at[pod->meta.uid] = world_.now();
}

// As the pod garbage collector of a cluster does. What it deletes has ended: who waits for that,
// and is waited for by the pod, does not wait for ever.
void Teller::CollectOrphans() {
  struct Orphan {
    std::string target;
    bool has_ended = false;
  };
  std::vector<Orphan> orphans;
  for (const auto& [key, pod] : sight_.ledger.pods()) {
    const std::string& node = pod->spec.node_name;
    if (node.empty() || sight_.ledger.nodes().contains(node)) continue;
    orphans.push_back(
        {StrCat("/api/v1/namespaces/", pod->meta.ns, "/pods/", pod->meta.name), HasEnded(*pod)});
  }
  for (const auto& [target, has_ended] : orphans) {
    Tell(StrCat("* collected: ", target));
    if (!has_ended) {
      world_.Call("PATCH", StrCat(target, "/status"), R"({"status":{"phase":"Failed"}})");
    }
    world_.Call("DELETE", StrCat(target, "?gracePeriodSeconds=0"));
  }
}

bool Teller::Pass(absl::Duration time) {
  const absl::Duration end = world_.now() + time;
  while (world_.now() < end) {
    if (!world_.Pass(std::min(kTick, end - world_.now()))) {
      Break("rest", StrCat("a moment without end; the last write: ", last_write_));
      return false;
    }
    CollectOrphans();
    for (const PromisePtr& promise : promises_) promise->OnTick();
    if (world_.escapes() > 0) Break("no-escape", "an exception ended at a barrier");
    if (broken()) return false;
  }
  return true;
}

void Teller::Perform(const Deed& deed) {
  Tell(StrCat("* ", Describe(deed)));
  ++result_.faults[std::string(deed.meaning)];
  // What a cluster forbids is no fault: everybody is told of it.
  const bool is_users = deed.verb == Verb::kSend || deed.verb == Verb::kPick ||
                        (deed.verb == Verb::kFront && deed.front.fault == Fault::kForbidden);
  if (!is_users) fair_since_ = std::max(fair_since_, world_.now() + deed.lasts);
  if (deed.verb == Verb::kPolicy) {
    sight_.by_weight = DividesByWeight(deed.body);
    sight_.keeps_near = sight_.keeps_near && KeepsNear(deed.body);
  }
  world_.Do(deed);
}

bool Teller::TellRound(const Round& round, size_t first) {
  const absl::Duration begin = world_.now();
  const auto is_done = [&](size_t number) {
    return number >= options_.skip.size() || !options_.skip[number];
  };
  bool any = false;
  for (size_t i = 0; i < round.deeds.size(); ++i) any = any || is_done(first + i);
  if (!any) return true;
  for (const char* ns : {"team-a", "team-b"}) {
    world_.Call(
        "POST", "/api/v1/namespaces",
        StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")", ns, R"("}})"));
  }
  for (size_t i = 0; i < round.deeds.size(); ++i) {
    if (!is_done(first + i)) continue;
    const Deed& deed = round.deeds[i];
    const absl::Duration at = begin + deed.at;
    if (at > world_.now() && !Pass(at - world_.now())) return false;
    Perform(deed);
  }
  const absl::Duration end = begin + round.lasts;
  if (end > world_.now() && !Pass(end - world_.now())) return false;
  MakeAmends();
  return Rest() && Sweep();
}

// Nothing goes wrong any more, and nobody is kept from anything.
void Teller::MakeAmends() {
  Tell("* the weather clears up");
  world_.ClearUp();
  fair_since_ = world_.now();
  std::vector<std::string> nodes;
  for (const auto& [name, node] : sight_.ledger.nodes()) nodes.push_back(name);
  for (const std::string& name : nodes) {
    const std::string target = StrCat("/api/v1/nodes/", name);
    world_.Call("PATCH", target,
                R"({"metadata":{"annotations":{"batholith.io/simulated-down":null}},)"
                R"("spec":{"unschedulable":null}})");
    // What single pods may ask for.
    if (story_.agents > 0) {
      world_.Call("PATCH", target, R"({"metadata":{"labels":{"pool":"a"}}})");
    }
  }
  Delete("/api/v1/resourcequotas", "");
  Delete("/apis/policy/v1/poddisruptionbudgets", "");
}

bool Teller::AllEnded() const {
  const auto& jobs = sight_.ledger.jobs();
  const auto& flows = sight_.ledger.flows();
  const auto& pods = sight_.ledger.pods();
  return std::all_of(jobs.begin(), jobs.end(),
                     [](const auto& entry) { return IsOver(*entry.second); }) &&
         std::all_of(flows.begin(), flows.end(),
                     [](const auto& entry) { return IsOver(*entry.second); }) &&
         std::all_of(pods.begin(), pods.end(),
                     [](const auto& entry) { return HasEnded(*entry.second); });
}

// A flow would make its job anew.
void Teller::DeleteMakerOf(const std::string& job) {
  const types::BatchJob* const known = Ledger::Find(sight_.ledger.jobs(), job);
  const types::OwnerReference* const owner = known == nullptr ? nullptr : known->meta.Controller();
  if (owner == nullptr || owner->kind != "JobFlow") return;
  world_.Call("DELETE", ObjectIn(std::string(kFlows), known->meta.ns, owner->name));
}

// Users take back flows and cron jobs whose jobs no queue takes: they would be asked for again and
// again.
void Teller::TakeBackRefused() {
  for (const std::string& what : RefusedOf(sight_)) {
    Tell(StrCat("* taken back: ", what));
    const std::vector<std::string> parts = absl::StrSplit(what, absl::ByAnyChar(" /"));
    const std::string_view kind = parts[0] == "jobflows" ? kFlows : kCronJobs;
    world_.Call("DELETE", ObjectIn(std::string(kind), parts[1], parts[2]));
  }
}

// Users take back what cannot run as things are. False: there is nothing of the kind.
bool Teller::GiveUp() {
  const std::vector<std::string> hopeless = HopelessOf(sight_);
  for (const std::string& what : hopeless) {
    Tell(StrCat("* given up: ", what));
    const std::vector<std::string> parts = absl::StrSplit(what, absl::ByAnyChar(" /"));
    const std::string& ns = parts[1];
    if (parts[0] == "jobs") {
      DeleteMakerOf(StrCat(ns, "/", parts[2]));
      world_.Call("DELETE", StrCat("/apis/batch.volcano.sh/v1alpha1/namespaces/", ns, "/jobs/",
                                   parts[2], "?propagationPolicy=Background"));
      continue;
    }
    world_.Call("DELETE", StrCat("/apis/scheduling.volcano.sh/v1beta1/namespaces/", ns,
                                 "/podgroups/", parts[2]));
    std::vector<std::string> pods;
    for (const auto& [key, pod] : sight_.ledger.pods()) {
      if (pod->meta.ns == ns && GroupNameOf(*pod) == parts[2]) pods.push_back(pod->meta.name);
    }
    for (const std::string& pod : pods) {
      world_.Call("DELETE", StrCat("/api/v1/namespaces/", ns, "/pods/", pod));
    }
  }
  if (!hopeless.empty()) last_write_at_ = world_.now();
  return !hopeless.empty();
}

bool Teller::Rest() {
  // That nobody wrote before means nothing: who could may have been down.
  const absl::Duration begin = world_.now();
  absl::Duration end = begin + kRestWithin;
  for (;;) {
    if (!Pass(kTick)) return false;
    TakeBackRefused();
    const absl::Duration silent = world_.now() - std::max(begin, last_write_at_);
    if (silent >= kSilence && AllEnded()) break;
    if (silent >= kDeadSilence) {
      if (!GiveUp()) break;
      // Others get on with what that leaves them.
      end = world_.now() + kRestWithin;
    }
    if (world_.now() < end) continue;
    Break("silence", StrCat("after ", absl::FormatDuration(kRestWithin),
                            " of good weather somebody still writes: ", last_write_));
    return false;
  }
  AskAtRest();
  return !broken();
}

void Teller::AskAtRest() {
  Tell("* asked at rest");
  for (const PromisePtr& promise : promises_) promise->AtRest();
  for (const auto& slot : world_.slots()) {
    const std::string complaint = slot->program == nullptr ? "" : slot->program->complaint();
    if (!complaint.empty()) Break("own-invariants", StrCat(slot->name, ": ", complaint));
  }
}

size_t Teller::Delete(const std::string& collection, const std::string& query) {
  const Json list = world_.Call("GET", collection).body;
  size_t count = 0;
  for (const Json& item : list["items"].items()) {
    const Json& meta = item["metadata"];
    const std::string name(meta["name"].AsString());
    if (name == "root" || name == "default") continue;
    ++count;
    const std::string target = ObjectIn(collection, meta["namespace"].AsString(), name);
    world_.Call("DELETE", StrCat(target, query));
  }
  return count;
}

// What makes jobs. Stories without them are not asked for it: each request takes its turn.
size_t Teller::DeleteMakers() {
  const Ledger& ledger = sight_.ledger;
  size_t left = 0;
  if (!ledger.flows().empty()) left += Delete(std::string(kFlows), "");
  if (!ledger.cron_jobs().empty()) left += Delete(std::string(kCronJobs), "");
  if (!ledger.templates().empty()) left += Delete(std::string(kJobTemplates), "");
  return left;
}

// Users clear everything away, and nothing of it is left anywhere.
bool Teller::Sweep() {
  Tell("* swept");
  for (int round = 0; round < 20; ++round) {
    size_t left = DeleteMakers();
    left += Delete("/apis/batch.volcano.sh/v1alpha1/jobs", "?propagationPolicy=Background");
    left += Delete("/apis/scheduling.volcano.sh/v1beta1/podgroups", "");
    left += Delete("/api/v1/pods", "");
    left += Delete("/apis/topology.volcano.sh/v1alpha1/hypernodes", "");
    left += Delete("/apis/bus.volcano.sh/v1alpha1/commands", "");
    for (const char* kind : {"resourceslices", "deviceclasses", "resourceclaimtemplates"}) {
      left += Delete(StrCat("/apis/resource.k8s.io/v1/", kind), "");
    }
    left += Delete("/apis/scheduling.volcano.sh/v1beta1/queues", "");
    if (left == 0) left += Delete("/api/v1/nodes", "");
    if (!Pass(kTick)) return false;
    if (left > 0) continue;
    for (const auto& slot : world_.slots()) {
      if (slot->program == nullptr) continue;
      for (const auto& [what, number] : slot->program->held()) {
        if (number == 0) continue;
        Break("forgets", StrCat(slot->name, " still holds ", number, " ", what));
      }
    }
    return !broken();
  }
  Break("deletions-end", "what users delete does not go");
  return false;
}

void Teller::Collect() {
  for (const PromisePtr& promise : promises_) {
    result_.checks[std::string(promise->name())] += promise->looks();
    if (promise->breach().empty()) continue;
    result_.breaches.push_back(
        {std::string(promise->name()), promise->breach(), promise->breach_at()});
  }
  std::stable_sort(result_.breaches.begin(), result_.breaches.end(),
                   [](const Breach& a, const Breach& b) { return a.at < b.at; });
  for (size_t i = 0; i < kFaults; ++i) {
    result_.faults[StrCat("weather/", NameOf(static_cast<Fault>(i)))] += world_.weather().hits()[i];
  }
  result_.digest = world_.digest();
  result_.simulated = world_.now();
  result_.events = world_.events();
}

}  // namespace

StormResult TellStory(const Story& story, const StormOptions& options) {
  return Teller(story, options).Tell();
}

}  // namespace bth::sim
