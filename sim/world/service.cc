#include "sim/world/service.h"

#include "base/status.h"
#include "net/certificates.h"

namespace bth::sim {
namespace {

constexpr size_t kPairsMax = 64;

}  // namespace

class Service::Caller final : public net::Transport {
 public:
  Caller(Service& service, std::shared_ptr<Process> from, std::string authorities_pem)
      : service_(service), from_(std::move(from)), authorities_pem_(std::move(authorities_pem)) {}

  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    const absl::StatusOr<Harbour*> harbour = service_.Choose(authorities_pem_);
    if (!harbour.ok()) co_return harbour.status();
    Line line(from_, **harbour);
    co_return co_await line.Fetch(std::move(request));
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    return Fetch(std::move(request));
  }

 private:
  Service& service_;
  const std::shared_ptr<Process> from_;
  const std::string authorities_pem_;
};

apiserver::ConnectTo Service::ConnectFrom(std::shared_ptr<Process> from) {
  return
      [this, from = std::move(from)](
          const apiserver::Endpoint& endpoint) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
        return std::make_unique<Caller>(*this, from, endpoint.ca_pem);
      };
}

bool Service::IsTrusted(const std::string& certificate_pem, const std::string& authorities_pem) {
  if (trusted_.size() > kPairsMax) trusted_.clear();
  const auto [known, is_new] = trusted_.try_emplace({certificate_pem, authorities_pem}, false);
  if (is_new) known->second = net::IsSignedBy(certificate_pem, authorities_pem);
  return known->second;
}

absl::StatusOr<Harbour*> Service::Choose(const std::string& authorities_pem) {
  const std::vector<Replica> replicas = replicas_();
  if (replicas.empty()) return Refused();
  Replica chosen = replicas[rng_.Below(replicas.size())];
  if (chosen.door == nullptr && rng_.Chance(0.7)) {
    for (const Replica& other : replicas) {
      if (other.door != nullptr) chosen = other;
    }
  }
  if (chosen.door == nullptr) return Refused();
  if (!IsTrusted(chosen.door->certificate_pem, authorities_pem)) {
    ++untrusted_;
    return absl::UnavailableError(
        "TLS handshake: certificate refused: signed by an authority that is not known");
  }
  chosen.harbour->server = chosen.door->server;
  return chosen.harbour;
}

}  // namespace bth::sim
