#include "sim/world/server_seat.h"

#include <utility>

#include "api/types/crd/generate.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

// As whoever runs containers does.
constexpr absl::Duration kRestartPause = absl::Seconds(2);
// A server whose disk has failed answers nothing but errors until somebody looks after it.
constexpr absl::Duration kFailedFor = absl::Seconds(15);

// One for each story: the definitions are the same every time.
const std::vector<types::Json>& Definitions() {
  static const auto* const kDefinitions = [] {
    auto definitions = types::crd::GenerateDefinitions();
    BTH_CHECK(definitions.ok());
    auto* const out = new std::vector<types::Json>();
    for (types::crd::Definition& definition : *definitions) {
      out->push_back(std::move(definition.object));
    }
    return out;
  }();
  return *kDefinitions;
}

}  // namespace

ServerSeat::ServerSeat(Parts parts) : parts_(std::move(parts)) {
  if (parts_.story.disk) {
    Platter::Parts disk{.timeline = parts_.timeline,
                        .weather = parts_.weather,
                        .wait = [this](absl::Duration pause) { process_->Halt(pause); },
                        .die =
                            [this] {
                              process_->Halt(absl::InfiniteDuration());
                              KillAfter(absl::ZeroDuration(), kRestartPause);
                            },
                        .fail = [this] { KillAfter(kFailedFor, kRestartPause); }};
    platter_ = std::make_unique<Platter>(parts_.story.seed, std::move(disk));
  }
  Start();
  if (has_disk() && parts_.story.disk_lies) platter_->set_lies();
}

ServerSeat::~ServerSeat() {
  EndLife();
}

apiserver::Options ServerSeat::Options() {
  apiserver::Options options;
  options.seed = parts_.rng.Next();
  options.crds = Definitions();
  options.watch_timeout = parts_.story.watch_timeout;
  options.store.history.events_max = parts_.story.history_max;
  options.connect_outside = parts_.service.ConnectFrom(process_);
  if (parts_.story.bookmarks > absl::ZeroDuration()) {
    options.bookmark_period = parts_.story.bookmarks;
  }
  if (!has_disk()) return options;
  options.store.data_dir = "/simulated";
  options.store.journal_bytes_min = parts_.story.journal_bytes;
  options.store.disk = [this](const std::string& folder) { return platter_->Open(folder); };
  return options;
}

void ServerSeat::Watch(apiserver::Store& store) {
  const auto is_current = [this, life = life_] { return life == life_; };
  store.OnCommit(
      [this, is_current](apiserver::Collection& collection, const apiserver::StoreEvent& event) {
        if (!is_current()) return;
        if (!has_disk()) return parts_.on_event(collection.name(), event);
        survivors_.Applied(collection.name(), event);
      });
  if (!has_disk()) return;
  // While the disk takes its time, nobody hears of anything: those who look on do so first
  // afterwards.
  store.OnDurable(
      [this, is_current](apiserver::Collection& collection, const apiserver::StoreEvent& event) {
        process_->Post([this, is_current, name = collection.name(), event] {
          if (!is_current()) return;
          survivors_.Told(name, event);
          parts_.on_event(name, event);
        });
      });
}

void ServerSeat::Start() {
  const bool is_first = life_ == 0;
  ++life_;
  process_ = std::make_shared<Process>(parts_.timeline, "server");
  former_.push_back(process_);
  auto server = apiserver::ApiServer::Create(*process_, Options());
  if (!server.ok()) {
    BTH_CHECK(!is_first);
    if (absl::IsDataLoss(server.status())) {
      return parts_.on_loss(std::string(ToStd(server.status().message())));
    }
    platter_->Crash();
    return StartAgainAfter(kRestartPause);
  }
  server_ = *std::move(server);
  if (parts_.story.admission && parts_.story.webhooks == 0 && parts_.extend) {
    parts_.extend(*server_);
  }
  if (is_first && has_disk()) {
    // What a server has from the beginning is on disk before anything happens to it.
    parts_.timeline.RunUntilIdle();
    survivors_.Begin(server_->store());
  }
  if (!is_first) {
    const std::string lost = survivors_.Judge(server_->store(), parts_.on_event);
    if (!lost.empty()) parts_.on_loss(lost);
  }
  Watch(server_->store());
  direct_ = net::MakeInProcessTransport(*process_, server_->handler());
  parts_.harbour.process = process_;
  parts_.harbour.server = net::MakeInProcessTransport(*process_, server_->handler());
}

void ServerSeat::EndLife() {
  ++life_;
  if (has_disk()) platter_->Crash();
  Sink(&parts_.harbour);
  direct_.reset();
  server_.reset();
  // What was cut off comes to its end. Nobody sees anything of it.
  process_->RunReady();
  escapes_of_dead_ += process_->barrier().caught();
  process_->Die();
}

void ServerSeat::Kill(absl::Duration down) {
  if (server_ == nullptr || !has_disk()) return;
  EndLife();
  StartAgainAfter(down);
}

void ServerSeat::StartAgainAfter(absl::Duration pause) {
  parts_.on_fault(parts_.timeline.Elapsed() + pause);
  parts_.director.RunAfter(pause, [this, life = life_] {
    if (life == life_ && server_ == nullptr) Start();
  });
}

void ServerSeat::KillAfter(absl::Duration pause, absl::Duration down) {
  parts_.on_fault(parts_.timeline.Elapsed() + pause + down);
  parts_.director.RunAfter(pause, [this, life = life_, down] {
    if (life == life_) Kill(down);
  });
}

void ServerSeat::Pause(absl::Duration lasts) {
  PauseFor(lasts, process_, parts_.director);
}

void ServerSeat::ClearUp() {
  if (server_ != nullptr && !server_->store().health().ok()) EndLife();
  if (server_ == nullptr) Start();
  if (process_->paused()) process_->Resume();
}

}  // namespace bth::sim
