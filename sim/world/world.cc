#include "sim/world/world.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "api/types/crd/generate.h"
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

void CloseTextAt(const std::string& path) {
  if (!path.empty()) ::close(std::stoi(path.substr(path.rfind('/') + 1)));
}

// One for each story: the definitions are the same every time.
const std::vector<Json>& Definitions() {
  static const auto* const kDefinitions = [] {
    auto definitions = types::crd::GenerateDefinitions();
    BTH_CHECK(definitions.ok());
    auto* const out = new std::vector<Json>();
    for (types::crd::Definition& definition : *definitions) {
      out->push_back(std::move(definition.object));
    }
    return out;
  }();
  return *kDefinitions;
}

net::Awaitable<void> CallOnce(std::shared_ptr<net::Transport> server, net::Request request,
                              std::shared_ptr<World::Answer> answer) {
  absl::StatusOr<net::Response> response = co_await server->Fetch(std::move(request));
  BTH_CHECK(response.ok());
  answer->code = response->status;
  absl::StatusOr<Json> body = Json::Parse(response->body);
  if (body.ok()) answer->body = *std::move(body);
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
      server_process_(std::make_shared<Process>(timeline_, "server")) {
  StartServer();
  SchedulerSetup setup;
  setup.registry = &BuiltinRegistry();
  setup.policy_path = policy_path_;
  setup.cycle_most = story_.cycle_most;
  setup.gate_removals = story_.gate_removals;
  for (int i = 0; i < story_.schedulers; ++i) {
    AddSlot(StrCat("scheduler-", i),
            [setup](Site site) { return MakeSchedulerProgram(std::move(site), setup); });
  }
  for (int i = 0; i < story_.controllers; ++i) {
    AddSlot(StrCat("controllers-", i), MakeControllersProgram);
  }
  AddSlot("nodes", MakeNodesProgram);
}

World::~World() {
  for (const std::unique_ptr<Slot>& slot : slots_) {
    slot->program.reset();
    if (slot->process != nullptr) slot->process->Die();
  }
  timeline_.RunUntilIdle();
  harbour_.server.reset();
  direct_.reset();
  server_.reset();
  timeline_.RunUntilIdle();
  director_->Die();
  server_process_->Die();
  CloseTextAt(policy_path_);
}

void World::StartServer() {
  apiserver::Options options;
  options.seed = rng_.Next();
  options.crds = Definitions();
  options.watch_timeout = story_.watch_timeout;
  options.store.history.events_max = story_.history_max;
  auto server = apiserver::ApiServer::Create(*server_process_, std::move(options));
  BTH_CHECK(server.ok());
  server_ = *std::move(server);
  if (story_.admission && hooks_.extend) hooks_.extend(*server_);
  server_->store().OnCommit(
      [this](apiserver::Collection& collection, const apiserver::StoreEvent& event) {
        ++events_;
        digest_.Add(static_cast<uint64_t>(event.revision));
        digest_.Add(static_cast<uint64_t>(event.type));
        digest_.Add(std::string_view(event.object->bytes));
        if (hooks_.on_event) hooks_.on_event(collection.name(), event);
      });
  direct_ = net::MakeInProcessTransport(*server_process_, server_->handler());
  harbour_.process = server_process_;
  harbour_.server = net::MakeInProcessTransport(*server_process_, server_->handler());
  harbour_.weather = &weather_;
  harbour_.on_departure = hooks_.on_departure;
  harbour_.on_arrival = hooks_.on_arrival;
  harbour_.on_answer = hooks_.on_answer;
  BTH_CHECK(Call("POST", "/api/v1/namespaces",
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"volcano-system"}})")
                .code == 201);
}

void World::AddSlot(std::string name, std::function<std::unique_ptr<Program>(Site)> make) {
  slots_.push_back(std::make_unique<Slot>());
  slots_.back()->name = std::move(name);
  slots_.back()->make = std::move(make);
  Start(slots_.back().get());
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
  Site site;
  site.process = slot->process;
  site.line = slot->line;
  site.seed = rng_.Next();
  site.identity = identity;
  site.exit = [this, slot, life = slot->lives] {
    // As whoever runs containers does.
    director_->RunAfter(absl::Seconds(1), [this, slot, life] {
      if (slot->lives == life && slot->program != nullptr) Kill(slot, absl::Seconds(1));
    });
  };
  slot->program = slot->make(std::move(site));
  slot->program->Start();
}

void World::Kill(Slot* slot, absl::Duration down) {
  if (slot->program == nullptr) return;
  escapes_of_dead_ += slot->process->barrier().caught();
  slot->program.reset();
  slot->process->Die();
  slot->starting = true;
  director_->RunAfter(down, [this, slot] {
    if (slot->starting) Start(slot);
  });
}

void World::Pause(Slot* slot, absl::Duration lasts) {
  if (slot->program == nullptr) return;
  slot->process->Pause();
  director_->RunAfter(lasts, [process = slot->process] {
    if (!process->dead()) process->Resume();
  });
}

World::Answer World::Call(const std::string& method, const std::string& target,
                          const std::string& body) {
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  if (!body.empty()) {
    const char* const patch =
        body[0] == '[' ? "application/json-patch+json" : "application/merge-patch+json";
    request.headers.Set("content-type", method == "PATCH" ? patch : "application/json");
  }
  const auto answer = std::make_shared<Answer>();
  net::Spawn(*director_, CallOnce(direct_, std::move(request), answer));
  timeline_.RunUntilIdle();
  return *answer;
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
    Call(deed.method, CollectionIn(parts[1], ns.empty() ? "default" : ns), body);
    return;
  }
  std::string target = ObjectIn(from.first, ns, name);
  if (!from.second.empty()) StrAppend(&target, "?", from.second);
  Call(deed.method, target, body);
}

void World::Do(const Deed& deed) {
  Slot* const slot = deed.process.empty() ? nullptr : Find(deed.process);
  switch (deed.verb) {
    case Verb::kSend:
      Call(deed.method, deed.target, deed.body);
      break;
    case Verb::kPick:
      Pick(deed);
      break;
    case Verb::kKill:
      if (slot != nullptr) Kill(slot, deed.lasts);
      break;
    case Verb::kPause:
      if (slot != nullptr) Pause(slot, deed.lasts);
      break;
    case Verb::kCut:
      if (slot != nullptr && slot->line != nullptr) slot->line->CutStreams();
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
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->program == nullptr) {
      Start(slot.get());
    } else if (slot->process->paused()) {
      slot->process->Resume();
    }
  }
}

int64_t World::escapes() const {
  int64_t sum =
      escapes_of_dead_ + server_process_->barrier().caught() + director_->barrier().caught();
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->program != nullptr) sum += slot->process->barrier().caught();
  }
  return sum;
}

}  // namespace bth::sim
