#include "sim/world/world.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"
#include "base/check.h"
#include "base/strings.h"
#include "sim/builtin_registry.h"
#include "sim/world/paths.h"

namespace bth::sim {
namespace {

// 2026-01-01.
constexpr int64_t kStart = 1'767'225'600;

// A file that is nowhere on a disk, and goes with the process. Empty for an empty text.
std::string PathOfText(const std::string& text) {
  if (text.empty()) return "";
  const int file = ::memfd_create("scheduler.conf", MFD_CLOEXEC);
  BTH_CHECK(file >= 0);
  BTH_CHECK(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return StrCat("/proc/self/fd/", file);
}

// The length tells readers that it is another one: time stamps of the machine must not.
void ReplaceTextAt(const std::string& path, std::string text, uint64_t number) {
  const int file = std::stoi(path.substr(path.rfind('/') + 1));
  text.append(number, '\n');
  BTH_CHECK(::ftruncate(file, 0) == 0);
  BTH_CHECK(::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
}

void CloseTextAt(const std::string& path) {
  if (!path.empty()) ::close(std::stoi(path.substr(path.rfind('/') + 1)));
}

// How deeds name the API server.
constexpr std::string_view kServerName = "server";
// How closely, and for how long, an answer of the server is waited for.
constexpr absl::Duration kCallStep = absl::Milliseconds(10);
constexpr absl::Duration kCallMax = absl::Minutes(2);
// Users try again what failed because of the cluster.
constexpr int kUserTries = 5;
constexpr absl::Duration kUserPause = absl::Seconds(10);

// What stands in a deed's body for a schedule, see Deed::body.
constexpr std::string_view kDue = "$DUE(";

// Of these minutes from `now` on, or from the next hour on where they would not lie in one.
std::string ScheduleAfter(std::string_view minutes, absl::Time now) {
  std::vector<int> each;
  for (const std::string& one : std::vector<std::string>(absl::StrSplit(ToAbsl(minutes), ','))) {
    int minute = 0;
    if (SimpleAtoi(one, &minute)) each.push_back(minute);
  }
  absl::CivilMinute from = absl::ToCivilMinute(now, absl::UTCTimeZone());
  const int last = each.empty() ? 0 : each.back();
  if (from.minute() + last > 59) from = absl::CivilMinute(absl::CivilHour(from) + 1);
  std::string out;
  for (const int minute : each) {
    StrAppend(&out, out.empty() ? "" : ",", from.minute() + minute);
  }
  return StrCat(out, " ", from.hour(), " ", from.day(), " ", from.month(), " *");
}

std::string WithSchedule(const std::string& body, absl::Time now) {
  const size_t at = body.find(kDue);
  const size_t end = body.find(')', at);
  if (at == body.npos || end == body.npos) return body;
  const size_t first = at + kDue.size();
  const std::string_view minutes = std::string_view(body).substr(first, end - first);
  return StrCat(body.substr(0, at), ScheduleAfter(minutes, now), body.substr(end + 1));
}

}  // namespace

World::World(const Story& story, WorldHooks hooks)
    : story_(story),
      hooks_(std::move(hooks)),
      rng_(story.seed),
      timeline_(absl::FromUnixSeconds(kStart), rng_.Next()),
      weather_(rng_.Next()),
      policy_path_(PathOfText(story.policy)),
      director_(std::make_shared<Process>(timeline_, "director")),
      service_(story.seed, [this] { return Webhooks(); }) {
  harbour_.weather = &weather_;
  harbour_.remembers = HasFront(story, Fault::kStaleList);
  harbour_.on_departure = hooks_.on_departure;
  harbour_.on_arrival = hooks_.on_arrival;
  harbour_.on_answer = hooks_.on_answer;
  server_ = std::make_unique<ServerSeat>(SeatParts());
  BTH_CHECK(Call("POST", "/api/v1/namespaces",
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"volcano-system"}})")
                .code == 201);
  AddPrograms();
}

ServerSeat::Parts World::SeatParts() {
  return {.timeline = timeline_,
          .story = story_,
          .weather = weather_,
          .service = service_,
          .rng = rng_,
          .director = *director_,
          .harbour = harbour_,
          .extend = hooks_.extend,
          .on_event = [this](const std::string& collection,
                             const apiserver::StoreEvent& event) { Hear(collection, event); },
          .on_fault =
              [this](absl::Duration until) {
                if (hooks_.on_fault) hooks_.on_fault(until);
              },
          .on_loss =
              [this](std::string what) {
                if (hooks_.on_loss) hooks_.on_loss(std::move(what));
              }};
}

void World::AddPrograms() {
  SchedulerSetup setup;
  setup.registry = &BuiltinRegistry();
  setup.policy_path = policy_path_;
  setup.cycle_most = story_.cycle_most;
  setup.gate_removals = story_.gate_removals;
  setup.sharding = story_.sharding;
  for (int i = 0; i < story_.schedulers; ++i) {
    AddSlot(StrCat("scheduler-", i),
            [setup](Site site) { return MakeSchedulerProgram(std::move(site), setup); });
  }
  const ControllersSetup controllers{.shards = story_.sharding != model::ShardMode::kNone};
  for (int i = 0; i < story_.controllers; ++i) {
    AddSlot(StrCat("controllers-", i), [controllers](Site site) {
      return MakeControllersProgram(std::move(site), controllers);
    });
  }
  AddSlot("nodes", MakeNodesProgram);
  for (int i = 0; i < story_.agents; ++i) {
    AddSlot(StrCat("agent-", i),
            [setup](Site site) { return MakeAgentProgram(std::move(site), setup); });
  }
  if (story_.webhooks > 0) AddAdmissionService();
  for (int i = 0; i < story_.webhooks; ++i) {
    AddSlot(StrCat("webhooks-", i), MakeWebhooksProgram, true);
  }
}

// Without a selector: the service is what its endpoints would be.
void World::AddAdmissionService() {
  BTH_CHECK(
      Call("POST", StrCat("/api/v1/namespaces/", kWorldNamespace, "/services"),
           StrCat(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":")", kAdmissionService,
                  R"("},"spec":{"ports":[{"port":443,"targetPort":8443}]}})"))
          .code == 201);
}

std::vector<Replica> World::Webhooks() const {
  std::vector<Replica> replicas;
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->harbour == nullptr) continue;
    replicas.push_back(
        {slot->harbour.get(), slot->program == nullptr ? nullptr : slot->program->door()});
  }
  return replicas;
}

World::~World() {
  for (const std::unique_ptr<Slot>& slot : slots_) EndLife(slot.get());
  timeline_.RunUntilIdle();
  users_.clear();
  server_.reset();
  timeline_.RunUntilIdle();
  director_->Die();
  CloseTextAt(policy_path_);
}

void World::Hear(const std::string& collection, const apiserver::StoreEvent& event) {
  ++events_;
  digest_.Add(static_cast<uint64_t>(event.revision));
  digest_.Add(static_cast<uint64_t>(event.type));
  digest_.Add(std::string_view(event.object->bytes));
  if (hooks_.on_event) hooks_.on_event(collection, event);
}

void World::AddSlot(std::string name, std::function<std::unique_ptr<Program>(Site)> make,
                    bool serves) {
  slots_.push_back(std::make_unique<Slot>());
  Slot* const slot = slots_.back().get();
  slot->name = std::move(name);
  slot->make = std::move(make);
  if (serves) {
    slot->harbour = std::make_unique<Harbour>();
    slot->harbour->weather = &weather_;
    slot->harbour->name = slot->name;
  }
  Start(slot);
}

World::Slot* World::Find(std::string_view name) {
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->name == name) return slot.get();
  }
  return nullptr;
}

void World::Start(Slot* slot) {
  slot->starting = false;
  ++slot->lives;
  const int64_t apart = absl::ToInt64Milliseconds(story_.clock_apart);
  const absl::Duration ahead = absl::Milliseconds(rng_.Between(-apart, apart));
  const std::string identity = StrCat(slot->name, "_", slot->lives);
  slot->process = std::make_shared<Process>(timeline_, identity, ahead);
  slot->line = std::make_shared<Line>(slot->process, harbour_);
  if (slot->harbour != nullptr) slot->harbour->process = slot->process;
  Site site;
  site.process = slot->process;
  site.line = slot->line;
  site.seed = rng_.Next();
  site.identity = identity;
  site.lease = story_.lease;
  site.exit = [this, slot, life = slot->lives] {
    // As whoever runs containers does.
    director_->RunAfter(absl::Seconds(1), [this, slot, life] {
      if (slot->lives == life && slot->program != nullptr) Kill(slot, absl::Seconds(1));
    });
  };
  slot->program = slot->make(std::move(site));
  slot->program->Start();
}

void World::EndLife(Slot* slot) {
  if (slot->harbour != nullptr) Sink(slot->harbour.get());
  slot->program.reset();
  if (slot->process != nullptr) slot->process->Die();
}

void World::Kill(Slot* slot, absl::Duration down) {
  if (slot->program == nullptr) return;
  escapes_of_dead_ += slot->process->barrier().caught();
  EndLife(slot);
  slot->starting = true;
  director_->RunAfter(down, [this, slot] {
    if (slot->starting) Start(slot);
  });
}

void World::Pause(Slot* slot, absl::Duration lasts) {
  if (slot->program == nullptr) return;
  PauseFor(lasts, slot->process, *director_);
}

net::Awaitable<void> World::Ask(net::Request request, int tries, std::shared_ptr<Answer> answer) {
  for (;;) {
    absl::StatusOr<net::Response> response = absl::UnavailableError("there is no server");
    if (server_->direct() != nullptr) {
      // Nobody but the server holds its transport: with it all calls end.
      net::Awaitable<absl::StatusOr<net::Response>> fetch = server_->direct()->Fetch(request);
      response = co_await std::move(fetch);
    }
    answer->code = response.ok() ? response->status : 0;
    if (response.ok()) answer->body = Json::Parse(response->body).value_or(Json());
    if (--tries <= 0 || (response.ok() && response->status < 500)) break;
    co_await net::Sleep(*director_, kUserPause);
  }
  answer->done = true;
}

std::shared_ptr<World::Answer> World::Send(const std::string& method, const std::string& target,
                                           const std::string& body, int tries) {
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  if (!body.empty()) {
    const char* const patch =
        body[0] == '[' ? "application/json-patch+json" : "application/merge-patch+json";
    request.headers.Set("content-type", method == "PATCH" ? patch : "application/json");
  }
  auto answer = std::make_shared<Answer>();
  std::erase_if(users_, [](const auto& user) { return !user->running(); });
  users_.push_back(std::make_unique<client::Background>());
  users_.back()->Start(*director_, Ask(std::move(request), tries, answer));
  timeline_.RunUntilIdle();
  return answer;
}

World::Answer World::Call(const std::string& method, const std::string& target,
                          const std::string& body) {
  const std::shared_ptr<Answer> answer = Send(method, target, body, 1);
  const absl::Duration end = now() + kCallMax;
  while (!answer->done && now() < end && !server_->halted()) {
    timeline_.RunUntil(now() + kCallStep);
  }
  return *answer;
}

void World::SendForUser(const std::string& method, const std::string& target,
                        const std::string& body) {
  Send(method, target, body, AnswersTakeTime() ? kUserTries : 1);
}

// "COLLECTION", "COLLECTION?QUERY", or "COLLECTION OTHER": an object of the first, a request to the
// second in its namespace.
void World::Pick(const Deed& deed) {
  const std::vector<std::string> parts = absl::StrSplit(deed.target, ' ');
  const std::pair<std::string, std::string> from = absl::StrSplit(parts[0], '?');
  const Json list = Call("GET", from.first).body;
  const Json::Array& items = list["items"].items();
  if (items.empty()) return;
  const Json& meta = items[deed.pick % items.size()]["metadata"];
  const std::string name(meta["name"].AsString());
  const std::string ns(meta["namespace"].AsString());
  const std::string body = absl::StrReplaceAll(
      deed.body, {{"$NAME", name}, {"$UID", std::string(meta["uid"].AsString())}});
  if (parts.size() > 1) {
    SendForUser(deed.method, CollectionIn(parts[1], ns.empty() ? "default" : ns), body);
    return;
  }
  std::string target = ObjectIn(from.first, ns, name);
  if (!from.second.empty()) StrAppend(&target, "?", from.second);
  SendForUser(deed.method, target, body);
}

void World::Do(const Deed& deed) {
  Slot* const slot = deed.process.empty() ? nullptr : Find(deed.process);
  switch (deed.verb) {
    case Verb::kSend:
      SendForUser(deed.method, deed.target, WithSchedule(deed.body, time()));
      break;
    case Verb::kPick:
      Pick(deed);
      break;
    case Verb::kKill:
      if (deed.process == kServerName) server_->Kill(deed.lasts);
      if (slot != nullptr) Kill(slot, deed.lasts);
      break;
    case Verb::kPause:
      if (deed.process == kServerName) server_->Pause(deed.lasts);
      if (slot != nullptr) Pause(slot, deed.lasts);
      break;
    case Verb::kCut:
      if (slot != nullptr && slot->line != nullptr) slot->line->CutStreams();
      break;
    case Verb::kClock:
      if (slot != nullptr && slot->program != nullptr) slot->process->SetAhead(deed.ahead);
      break;
    case Verb::kPolicy:
      if (!policy_path_.empty()) ReplaceTextAt(policy_path_, deed.body, ++policies_);
      break;
    case Verb::kFront: {
      Front front = deed.front;
      front.until = now() + deed.lasts;
      weather_.Begin(front);
      // Of what is open something breaks at once.
      if (front.fault != Fault::kCut) break;
      for (const std::unique_ptr<Slot>& each : slots_) {
        if (absl::StartsWith(each->name, front.process)) each->line->CutStreams();
      }
      break;
    }
  }
}

bool World::Pass(absl::Duration time) {
  return timeline_.RunUntil(timeline_.Elapsed() + time);
}

void World::ClearUp() {
  weather_.Clear();
  server_->ClearUp();
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->program == nullptr) {
      Start(slot.get());
    } else if (slot->process->paused()) {
      slot->process->Resume();
    }
  }
}

int64_t World::escapes() const {
  int64_t sum = escapes_of_dead_ + server_->escapes() + director_->barrier().caught();
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->program != nullptr) sum += slot->process->barrier().caught();
  }
  return sum;
}

}  // namespace bth::sim
