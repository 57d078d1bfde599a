// The Service in front of the webhook managers: whom the API server reaches when it calls it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/webhooks/connect.h"
#include "base/rng.h"
#include "net/http.h"
#include "sim/world/line.h"

namespace bth::sim {

// What a program serves, from when on it listens.
struct Door {
  std::shared_ptr<net::Transport> server;  // On its process.
  std::string certificate_pem;
};

// One of those behind the Service.
struct Replica {
  Harbour* harbour = nullptr;
  const Door* door = nullptr;  // Null: it does not listen.
};

// Sends each call to one of the replicas, now and then to one that has just gone, as the tables of
// nodes do. Of TLS this much is left: who shows a certificate that the caller's authorities did not
// sign is not talked to. Lifetime: longer than the transports. Thread: the timeline's.
class Service final {
 public:
  using Replicas = std::function<std::vector<Replica>()>;
  Service(uint64_t seed, Replicas replicas) : rng_(seed), replicas_(std::move(replicas)) {}
  Service(const Service&) = delete;

  // Of the API server that runs in `from`.
  apiserver::ConnectTo ConnectFrom(std::shared_ptr<Process> from);
  // How often one was called in vain because its certificate was not trusted.
  uint64_t untrusted() const { return untrusted_; }

 private:
  class Caller;
  absl::StatusOr<Harbour*> Choose(const std::string& authorities_pem);
  bool IsTrusted(const std::string& certificate_pem, const std::string& authorities_pem);

  Rng rng_;
  const Replicas replicas_;
  uint64_t untrusted_ = 0;
  // What was found out of the latest pairs of certificate and authorities.
  std::map<std::pair<std::string, std::string>, bool> trusted_;
};

}  // namespace bth::sim
