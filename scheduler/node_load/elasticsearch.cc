// Source `elasticsearch`: one search per node, many searches per request.
#include <algorithm>

#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/http.h"
#include "scheduler/node_load/source.h"
#include "scheduler/web_client.h"

namespace bth::scheduler::node_load {
namespace {

using types::Json;

constexpr size_t kNodesPerRequest = 100;

Json Average(const char* field) {
  return Json::MakeObject({{"avg", Json::MakeObject({{"field", field}})}});
}

// The averages of the last ten minutes of one node.
std::string Search(const std::string& field, const std::string& node) {
  const Json range = Json::MakeObject(
      {{"range", Json::MakeObject(
                     {{"@timestamp", Json::MakeObject({{"gte", "now-10m"}, {"lt", "now"}})}})}});
  const Json term = Json::MakeObject({{"term", Json::MakeObject({{field, node}})}});
  Json query = Json::MakeObject({{"size", 0}});
  query.Set("query", Json::MakeObject(
                         {{"bool", Json::MakeObject({{"must", Json::MakeArray({range, term})}})}}));
  query.Set("aggs", Json::MakeObject({{"cpu", Average("host.cpu.usage")},
                                      {"mem", Average("system.memory.actual.used.pct")}}));
  return query.Dump();
}

class ElasticsearchSource final : public LoadSource {
 public:
  ElasticsearchSource(net::Executor& executor, std::unique_ptr<WebClient> web, std::string index,
                      std::string field)
      : executor_(executor),
        web_(std::move(web)),
        path_(StrCat("/", net::PercentEncode(index), "/_msearch")),
        field_(std::move(field)) {}

  net::Awaitable<absl::StatusOr<Reading>> Read(std::vector<std::string> nodes,
                                               absl::Duration deadline) override {
    Samples cpu;
    Samples memory;
    for (size_t first = 0; first < nodes.size(); first += kNodesPerRequest) {
      const size_t end = std::min(nodes.size(), first + kNodesPerRequest);
      WebClient::Call call;
      call.method = "POST";
      call.path = path_;
      call.content_type = "application/x-ndjson";
      for (size_t i = first; i < end; ++i) {
        StrAppend(&call.body, "{}\n", Search(field_, nodes[i]), "\n");
      }
      call.timeout = deadline - executor_.Monotonic();
      const absl::StatusOr<std::string> text = co_await web_->Exchange(std::move(call));
      if (!text.ok()) co_return text.status();
      const absl::StatusOr<std::vector<CpuAndMemory>> found =
          ParseElasticsearchAnswer(*text, end - first);
      if (!found.ok()) co_return found.status();
      for (size_t i = first; i < end; ++i) {
        const CpuAndMemory& load = (*found)[i - first];
        if (load.cpu) cpu[nodes[i]].value = *load.cpu;
        if (load.memory) memory[nodes[i]].value = *load.memory;
      }
    }
    co_return Combine(cpu, memory, 100, executor_.Now());
  }

 private:
  net::Executor& executor_;
  const std::unique_ptr<WebClient> web_;
  const std::string path_;
  const std::string field_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoadSource>> MakeElasticsearchSource(const SourceContext& context,
                                                                    const LoadSettings& settings) {
  BTH_ASSIGN_OR_RETURN(const client::ServerUrl server,
                       client::ParseServerUrl(Setting(settings, "address")));
  WebClient::Options options;
  options.insecure_skip_verify = Setting(settings, "tls.insecureSkipVerify") == "true";
  options.username = Setting(settings, "elasticsearch.username");
  options.password = Setting(settings, "elasticsearch.password");
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<WebClient> web,
                       WebClient::Create(context.transports, server, std::move(options)));
  return std::make_unique<ElasticsearchSource>(
      context.executor, std::move(web), Setting(settings, "elasticsearch.index", "metricbeat-*"),
      Setting(settings, "elasticsearch.hostnameFieldName", "host.hostname"));
}

}  // namespace bth::scheduler::node_load
