#include "tests/hostile/telling.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/hostile/live_bytes.h"
#include "tests/hostile/policy_text.h"
#include "tests/hostile/whole_system.h"

namespace bth::hostile {
namespace {

constexpr char kMergePatch[] = "application/merge-patch+json";
// Bytes that a round may leave behind when it is told for the third time.
constexpr int64_t kGrowthMax = int64_t{64} << 10;

int64_t ResidentBytes() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  file >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// What every cluster has, or is made again at once.
bool IsStanding(const std::string& name) {
  for (const char* whole : {"default", "root", "kubernetes", "volcano", "agent-scheduler"}) {
    if (name == whole) return true;
  }
  return absl::StartsWith(name, "kube-") || absl::StartsWith(name, "system-");
}

// Does the deeds of one story, one after the other.
class Teller {
 public:
  Teller(const Story& story, Progress* progress)
      : progress_(*progress),
        system_(
            {story.seed, story.lax, story.gate_removals, story.shards, story.policies.front()}) {}

  void Do(const Deed& deed);
  // Everything but what every cluster has; returns what stays.
  std::string DeleteAll();
  void MakeQueuesAnew();
  // A plain batch job of two pods on a node of its own; returns what is wrong.
  std::string RunNeighbour();
  WholeSystem& system() { return system_; }

 private:
  void Send(const std::string& method, const std::string& target, const Json& body,
            const std::string& type = "application/json");
  void Put(const Deed& deed, bool create_first);
  void Replace(const Deed& deed, const std::string& target);
  void Patch(const std::string& target, const Json& body, const std::string& part);
  void Touch(const Deed& deed);
  size_t DeleteOnce(const std::string& collection);

  Progress& progress_;
  WholeSystem system_;
  int last_code_ = 0;
};

void Teller::Send(const std::string& method, const std::string& target, const Json& body,
                  const std::string& type) {
  last_code_ = system_.Call(method, target, body.is_null() ? "" : body.Dump(), type).code;
  ++progress_.objects;
  if (last_code_ / 100 == 2) ++progress_.accepted;
}

void Teller::Replace(const Deed& deed, const std::string& target) {
  Json body = deed.body;
  const WholeSystem::Answer there = system_.Call("GET", target);
  // As a client does that read the object before.
  if (there.code == 200 && body.Find("metadata") != nullptr) {
    body["metadata"]["resourceVersion"] = there.body.At({"metadata", "resourceVersion"});
  }
  Send("PUT", target, body);
}

void Teller::Put(const Deed& deed, bool create_first) {
  const std::string collection = deed.kind->Path(deed.ns);
  const std::string target = StrCat(collection, "/", deed.name);
  if (create_first) {
    Send("POST", collection, deed.body);
    if (last_code_ == 409) Replace(deed, target);
  } else {
    Replace(deed, target);
    if (last_code_ == 404) Send("POST", collection, deed.body);
  }
  // What a subresource holds is not written with the rest.
  if (last_code_ / 100 == 2 && deed.body.Find("status") != nullptr) {
    Patch(target + "/status", deed.body, "status");
  }
}

void Teller::Patch(const std::string& target, const Json& body, const std::string& part) {
  if (body.Find(part) == nullptr) return;
  Json patch = Json::MakeObject({{part, body[part]}});
  if (part == "metadata") {
    patch["metadata"].Erase("name");
    patch["metadata"].Erase("namespace");
  }
  Send("PATCH", target, patch, kMergePatch);
}

void Teller::Touch(const Deed& deed) {
  const WholeSystem::Answer list = system_.Call("GET", deed.kind->Path(""));
  const Json::Array& items = list.body["items"].items();
  if (items.empty()) return;
  const Json& meta = items[deed.pick % items.size()]["metadata"];
  const std::string target =
      StrCat(deed.kind->Path(meta["namespace"].AsString()), "/", meta["name"].AsString());
  if (deed.verb == Verb::kDrop) {
    Send("DELETE", deed.text.empty() ? target : StrCat(target, "?", deed.text), Json());
    return;
  }
  const std::string part = deed.pick % 3 == 0 ? "metadata" : deed.pick % 3 == 1 ? "spec" : "status";
  Patch(part == "status" ? target + "/status" : target, deed.body, part);
}

void Teller::Do(const Deed& deed) {
  const std::string target =
      deed.kind == nullptr ? "" : StrCat(deed.kind->Path(deed.ns), "/", deed.name);
  switch (deed.verb) {
    case Verb::kCreate:
    case Verb::kReplace:
      Put(deed, deed.verb == Verb::kCreate);
      break;
    case Verb::kPatch:
      Patch(target, deed.body, deed.pick % 2 == 0 ? "metadata" : "spec");
      break;
    case Verb::kStatus:
      Patch(target + "/status", deed.body, "status");
      break;
    case Verb::kDelete:
      Send("DELETE", deed.text.empty() ? target : StrCat(target, "?", deed.text), Json());
      break;
    case Verb::kTouch:
    case Verb::kDrop:
      Touch(deed);
      break;
    case Verb::kBind: {
      Json binding = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "Binding"}});
      binding["metadata"]["name"] = deed.name;
      binding["target"] = Json::MakeObject({{"kind", "Node"}, {"name", deed.body}});
      Send("POST", target + "/binding", binding);
      break;
    }
    case Verb::kEvict: {
      Json eviction = Json::MakeObject({{"apiVersion", "policy/v1"}, {"kind", "Eviction"}});
      eviction["metadata"]["name"] = deed.name;
      Send("POST", target + "/eviction", eviction);
      break;
    }
    case Verb::kWait:
      system_.Pass(deed.wait);
      break;
    case Verb::kPolicy:
      system_.SetPolicy(deed.text);
      break;
    case Verb::kFaults:
      system_.MakeFaults(deed.pick, deed.wait);
      break;
    case Verb::kRestartScheduler:
      system_.RestartScheduler();
      break;
    case Verb::kRestartControllers:
      system_.RestartControllers();
      break;
  }
}

size_t Teller::DeleteOnce(const std::string& collection) {
  const Json list = system_.Call("GET", collection).body;
  size_t count = 0;
  for (const Json& item : list["items"].items()) {
    const Json& meta = item["metadata"];
    const std::string name(meta["name"].AsString());
    if (IsStanding(name) && meta["deletionTimestamp"].is_null()) continue;
    ++count;
    const std::string ns(meta["namespace"].AsString());
    const size_t slash = collection.rfind('/');
    const std::string target = ns.empty() ? StrCat(collection, "/", name)
                                          : StrCat(collection.substr(0, slash), "/namespaces/", ns,
                                                   collection.substr(slash), "/", name);
    if (!meta["finalizers"].empty()) {
      system_.Call("PATCH", target, R"({"metadata":{"finalizers":null}})", kMergePatch);
    }
    system_.Call("DELETE", target + "?gracePeriodSeconds=0&propagationPolicy=Background");
  }
  return count;
}

// As the scheduler makes them.
void Teller::MakeQueuesAnew() {
  const std::string queues = KindNamed("Queue").Path("");
  for (const char* name : {"default", "root"}) {
    const std::string target = StrCat(queues, "/", name);
    system_.Call("PATCH", target, R"({"metadata":{"finalizers":null}})", kMergePatch);
    system_.Call("DELETE", target);
    Json queue =
        Json::MakeObject({{"apiVersion", KindNamed("Queue").api_version}, {"kind", "Queue"}});
    queue["metadata"]["name"] = name;
    queue["spec"] = Json::MakeObject({{"weight", 1}, {"reclaimable", std::string(name) != "root"}});
    system_.Call("POST", queues, queue.Dump());
  }
}

std::string Teller::DeleteAll() {
  system_.EndFaults();
  std::vector<std::string> collections;
  // What makes other things goes first.
  for (const char* kind : {"CronJob", "JobFlow", "JobTemplate", "Job"}) {
    collections.push_back(KindNamed(kind).Path(""));
  }
  for (const Kind& kind : Kinds()) collections.push_back(kind.Path(""));
  for (const char* more :
       {"/api/v1/events", "/api/v1/secrets", "/apis/networking.k8s.io/v1/networkpolicies"}) {
    collections.emplace_back(more);
  }
  std::string left;
  for (int round = 0; round < 15; ++round) {
    left.clear();
    for (const std::string& collection : collections) {
      const size_t count = DeleteOnce(collection);
      if (count > 0 && collection != "/api/v1/events") {
        StrAppend(&left, collection, ": ", count, " ");
      }
    }
    if (!system_.Pass(absl::Seconds(10))) return system_.unrest();
    if (left.empty()) break;
  }
  if (!left.empty()) return StrCat("does not go: ", left);
  MakeQueuesAnew();
  // A watch that met many faults is asked for again after 30 s.
  if (!system_.Pass(absl::Seconds(40))) return system_.unrest();
  const cache::Mirror& mirror = system_.scheduler().mirror();
  if (mirror.pods() != 0) return StrCat("the mirror keeps pods: ", mirror.pods());
  if (mirror.nodes() != 0) return StrCat("the mirror keeps nodes: ", mirror.nodes());
  return "";
}

std::string Teller::RunNeighbour() {
  const std::string nodes = "/api/v1/nodes";
  const std::string jobs = KindNamed("Job").Path("default");
  system_.Call("DELETE", jobs + "/plain?propagationPolicy=Background");
  if (!system_.Pass(absl::Seconds(5))) return system_.unrest();
  system_.Call("POST", nodes,
               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"plain"},
                   "status":{"allocatable":{"cpu":"8","memory":"16Gi","pods":"110"},
                             "conditions":[{"type":"Ready","status":"True"}]}})");
  system_.Call("POST", jobs,
               R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":"plain",
          "namespace":"default"},"spec":{"schedulerName":"volcano","minAvailable":2,
          "queue":"default","tasks":[{"name":"t","replicas":2,"template":{"spec":{
          "restartPolicy":"Never","containers":[{"name":"c","image":"i",
          "command":["sh","-c","sleep 1"],"resources":{"requests":{"cpu":"1",
          "memory":"1Gi"}}}]}}}]}})");
  const uint64_t before = system_.cycles();
  Json job;
  for (int i = 0; i < 24; ++i) {
    if (!system_.Pass(absl::Seconds(5))) return system_.unrest();
    job = system_.Call("GET", jobs + "/plain").body;
    if (job.At({"status", "state", "phase"}).AsString() == "Completed") return "";
  }
  return StrCat("the neighbour is stuck after ", system_.cycles() - before,
                " cycles: ", job["status"].Dump());
}

// `first_step`: the number of the round's first deed.
std::string TellRound(Teller& teller, const Story& story, size_t round, uint64_t first_step,
                      const std::vector<bool>& skip, Progress* progress) {
  WholeSystem& system = teller.system();
  system.SetPolicy(story.policies[round]);
  progress->step = first_step;
  for (const Deed& deed : story.rounds[round]) {
    const uint64_t step = progress->step++;
    if (step < skip.size() && skip[step]) continue;
    teller.Do(deed);
    if (!system.unrest().empty()) return system.unrest();
  }
  if (!system.Pass(absl::Seconds(20))) return system.unrest();
  std::string wrong = teller.DeleteAll();
  if (!wrong.empty()) return wrong;
  // Under a policy drawn at random a job may wait for good reasons.
  if (teller.RunNeighbour().empty()) ++progress->neighbours;
  system.SetPolicy(PlainPolicy());
  wrong = teller.RunNeighbour();
  if (!wrong.empty()) return wrong;
  const auto& records = system.scheduler().invariants().records();
  if (!records.empty()) {
    return StrCat("invariant broken: ", system.scheduler().invariants().Page().Dump());
  }
  wrong = teller.DeleteAll();
  if (!wrong.empty()) return wrong;
  ++progress->rounds;
  if (!system.Forget()) return system.unrest();
  return "";
}

void PrintMemory(const Story& story, size_t round) {
  std::printf("seed=%llu round=%zu live=%lld resident_kib=%lld\n",
              static_cast<unsigned long long>(story.seed), round,
              static_cast<long long>(LiveBytes()), static_cast<long long>(ResidentBytes() >> 10));
  std::fflush(stdout);
}

}  // namespace

std::string Tell(const Story& story, const std::vector<bool>& skip, const TellingOptions& options,
                 Progress* progress) {
  if (options.trace) TraceAllocations();
  Teller teller(story, progress);
  if (!teller.system().Pass(absl::Seconds(5))) return teller.system().unrest();
  uint64_t first_step = 0;
  int64_t before = 0;
  const size_t rounds = story.rounds.size();
  // The last round is told twice more: the same deeds have to leave behind the same.
  for (size_t told = 0; told < rounds + 2; ++told) {
    const size_t round = std::min(told, rounds - 1);
    const uint64_t cycles = teller.system().cycles();
    std::string wrong = TellRound(teller, story, round, first_step, skip, progress);
    progress->cycles += teller.system().cycles() - cycles;
    if (!wrong.empty()) return wrong;
    if (told + 1 < rounds) first_step += story.rounds[round].size();
    if (options.print_memory) PrintMemory(story, told);
    if (told < rounds + 1) {
      before = LiveBytes();
      if (options.trace) MarkAllocations();
    }
  }
  if (options.trace) std::printf("%s", AllocationGrowth(30).c_str());
  const int64_t grown = LiveBytes() - before;
  if (grown > kGrowthMax) {
    return StrCat("memory grew by ", grown, " bytes in a round that left none before");
  }
  return "";
}

}  // namespace bth::hostile
