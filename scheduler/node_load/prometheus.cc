// Source `prometheus`: instant queries over many nodes at once.
#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "net/http.h"
#include "scheduler/node_load/source.h"
#include "scheduler/web_client.h"

namespace bth::scheduler::node_load {
namespace {

constexpr size_t kNodesPerQuery = 100;

// The names as a regular expression inside a PromQL string.
std::string Alternatives(const std::vector<std::string>& nodes, size_t first, size_t end) {
  std::string out;
  for (size_t i = first; i < end; ++i) {
    if (i > first) out += '|';
    for (const char c : nodes[i]) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '-' || c == '_';
      if (!plain) out += "\\\\";
      out += c;
    }
  }
  return out;
}

std::string CpuQuery(const std::string& instances) {
  return StrCat(
      "avg_over_time(clamp_min(100 - (avg by (instance) "
      "(rate(node_cpu_seconds_total{mode=\"idle\",instance=~\"",
      instances, "\"}[5m])) * 100), 0)[10m:30s])");
}

std::string MemoryQuery(const std::string& instances) {
  return StrCat("100*avg_over_time(((1-node_memory_MemAvailable_bytes{instance=~\"", instances,
                "\"}/node_memory_MemTotal_bytes{instance=~\"", instances, "\"}))[10m:30s])");
}

class PrometheusSource final : public LoadSource {
 public:
  PrometheusSource(net::Executor& executor, std::unique_ptr<WebClient> web)
      : executor_(executor), web_(std::move(web)) {}

  net::Awaitable<absl::StatusOr<Reading>> Read(std::vector<std::string> nodes,
                                               absl::Duration deadline) override {
    Samples cpu;
    Samples memory;
    for (size_t first = 0; first < nodes.size(); first += kNodesPerQuery) {
      const size_t end = std::min(nodes.size(), first + kNodesPerQuery);
      const std::string instances = Alternatives(nodes, first, end);
      std::string query = CpuQuery(instances);
      absl::Status status = co_await Ask(std::move(query), deadline, &cpu);
      if (!status.ok()) co_return Annotate(status, "cpu");
      query = MemoryQuery(instances);
      status = co_await Ask(std::move(query), deadline, &memory);
      if (!status.ok()) co_return Annotate(status, "memory");
    }
    co_return Combine(cpu, memory, 1, executor_.Now());
  }

 private:
  net::Awaitable<absl::Status> Ask(std::string query, absl::Duration deadline, Samples* out) {
    WebClient::Call call;
    call.method = "POST";
    call.path = "/api/v1/query";
    call.content_type = "application/x-www-form-urlencoded";
    call.body = StrCat("query=", net::PercentEncode(query));
    call.timeout = deadline - executor_.Monotonic();
    const absl::StatusOr<std::string> text = co_await web_->Exchange(std::move(call));
    if (!text.ok()) co_return text.status();
    absl::StatusOr<Samples> samples = ParsePrometheusAnswer(*text);
    if (!samples.ok()) co_return samples.status();
    out->merge(*samples);
    co_return absl::OkStatus();
  }

  net::Executor& executor_;
  const std::unique_ptr<WebClient> web_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoadSource>> MakePrometheusSource(const SourceContext& context,
                                                                 const LoadSettings& settings) {
  BTH_ASSIGN_OR_RETURN(const client::ServerUrl server,
                       client::ParseServerUrl(Setting(settings, "address")));
  WebClient::Options options;
  options.insecure_skip_verify = Setting(settings, "tls.insecureSkipVerify") == "true";
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<WebClient> web,
                       WebClient::Create(context.transports, server, std::move(options)));
  return std::make_unique<PrometheusSource>(context.executor, std::move(web));
}

}  // namespace bth::scheduler::node_load
