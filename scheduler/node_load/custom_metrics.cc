// Source `prometheus_adaptor`: the custom metrics API of the cluster.
#include "base/status.h"
#include "base/strings.h"
#include "scheduler/node_load/source.h"

namespace bth::scheduler::node_load {
namespace {

class CustomMetricsSource final : public LoadSource {
 public:
  CustomMetricsSource(net::Executor& executor, client::ApiClient& api)
      : executor_(executor), api_(api) {}

  net::Awaitable<absl::StatusOr<Reading>> Read(std::vector<std::string> nodes,
                                               absl::Duration deadline) override {
    Samples cpu;
    Samples memory;
    absl::Status status = co_await Ask("node_cpu_usage_avg", deadline, &cpu);
    if (!status.ok()) co_return status;
    status = co_await Ask("node_memory_usage_avg", deadline, &memory);
    if (!status.ok()) co_return status;
    Reading reading = Combine(cpu, memory, 100, executor_.Now());
    model::NodeLoads known;
    for (const std::string& node : nodes) {
      if (auto found = reading.loads.extract(node)) known.insert(std::move(found));
    }
    reading.loads = std::move(known);
    co_return reading;
  }

 private:
  net::Awaitable<absl::Status> Ask(std::string metric, absl::Duration deadline, Samples* out) {
    absl::StatusOr<std::string> text = co_await Get("v1beta2", metric, deadline);
    if (absl::IsNotFound(text.status())) text = co_await Get("v1beta1", metric, deadline);
    if (!text.ok()) co_return Annotate(text.status(), metric);
    absl::StatusOr<Samples> samples = ParseMetricValues(*text);
    if (!samples.ok()) co_return Annotate(samples.status(), metric);
    *out = *std::move(samples);
    co_return absl::OkStatus();
  }

  net::Awaitable<absl::StatusOr<std::string>> Get(std::string version, std::string metric,
                                                  absl::Duration deadline) {
    client::ApiRequest request;
    request.verb = "get";
    request.path.resource = "nodes.custom.metrics.k8s.io";
    request.path.path = StrCat("/apis/custom.metrics.k8s.io/", version, "/nodes/*/", metric);
    request.timeout = deadline - executor_.Monotonic();
    co_return co_await api_.Call(std::move(request));
  }

  net::Executor& executor_;
  client::ApiClient& api_;
};

}  // namespace

std::unique_ptr<LoadSource> MakeCustomMetricsSource(const SourceContext& context) {
  return std::make_unique<CustomMetricsSource>(context.executor, context.api);
}

}  // namespace bth::scheduler::node_load
