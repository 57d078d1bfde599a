// A server in process on virtual time, with calls that read like requests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types/json.h"
#include "apiserver/api_server.h"
#include "base/strings.h"
#include "net/awaitable.h"
#include "net/http.h"
#include "net/virtual_executor.h"

namespace bth::apiserver::testing {

using types::Json;

inline Json Parse(std::string_view text) {
  absl::StatusOr<Json> json = Json::Parse(text);
  BTH_CHECK(json.ok());
  return *std::move(json);
}

struct Answer {
  int code = 0;
  Json body;
  std::string text;
  net::Headers headers;

  std::string reason() const { return std::string(body["reason"].AsString()); }
  std::string message() const { return std::string(body["message"].AsString()); }
  std::string at(std::initializer_list<std::string_view> path) const {
    const Json& value = body.At(path);
    return value.is_string() ? std::string(value.AsString()) : value.Dump();
  }
};

// The events of one watch as they arrive.
struct Events {
  std::vector<Json> all;
  bool ended = false;
  int code = 0;
  net::CancelToken cancel;

  // "ADDED a" of each, "BOOKMARK" without a name.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Json& event : all) {
      std::string name(event["type"].AsString());
      const std::string_view object = event.At({"object", "metadata", "name"}).AsString();
      if (!object.empty()) StrAppend(&name, " ", std::string(object));
      names.push_back(std::move(name));
    }
    return names;
  }
};

class Bed {
 public:
  explicit Bed(Options options = {}) {
    if (!options.seed.has_value()) options.seed = 1;
    auto made = ApiServer::Create(executor, std::move(options));
    BTH_CHECK(made.ok());
    server = *std::move(made);
    transport = net::MakeInProcessTransport(executor, server->handler());
  }
  ~Bed() {
    for (auto& events : watches_) events->cancel.Cancel();
    server.reset();
    executor.RunUntilIdle();
  }

  Answer Call(std::string method, std::string target, std::string body = {},
              net::Headers headers = {}) {
    if (!body.empty() && !headers.Has("content-type")) {
      headers.Set("content-type", "application/json");
    }
    net::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    auto answer = std::make_shared<Answer>();
    net::Spawn(executor, Fetch(*transport, std::move(request), answer));
    executor.RunUntilIdle();
    BTH_CHECK(answer->code != 0);
    return *answer;
  }
  Answer Get(std::string target, net::Headers headers = {}) {
    return Call("GET", std::move(target), "", std::move(headers));
  }
  Answer Post(std::string target, std::string body) {
    return Call("POST", std::move(target), std::move(body));
  }
  Answer Put(std::string target, std::string body) {
    return Call("PUT", std::move(target), std::move(body));
  }
  Answer Delete(std::string target, std::string body = {}) {
    return Call("DELETE", std::move(target), std::move(body));
  }
  Answer Patch(std::string target, std::string kind, std::string body) {
    return Call("PATCH", std::move(target), std::move(body),
                {{"content-type", StrCat("application/", kind)}});
  }
  Answer Merge(std::string target, std::string body) {
    return Patch(std::move(target), "merge-patch+json", std::move(body));
  }

  std::shared_ptr<Events> Watch(std::string target, net::Headers headers = {}) {
    net::Request request;
    request.target = std::move(target);
    request.headers = std::move(headers);
    auto events = std::make_shared<Events>();
    request.cancel = events->cancel;
    watches_.push_back(events);
    net::Spawn(executor, Follow(*transport, std::move(request), events));
    executor.RunUntilIdle();
    return events;
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(1767225600)};  // 2026-01-01T00:00:00Z
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<net::Transport> transport;

 private:
  static net::Awaitable<void> Fetch(net::Transport& transport, net::Request request,
                                    std::shared_ptr<Answer> answer) {
    absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
    BTH_CHECK(response.ok());
    answer->code = response->status;
    answer->text = response->body;
    answer->headers = response->headers;
    absl::StatusOr<Json> json = Json::Parse(response->body, {.depth_max = 200});
    if (json.ok()) answer->body = *std::move(json);
  }

  static net::Awaitable<void> Follow(net::Transport& transport, net::Request request,
                                     std::shared_ptr<Events> events) {
    absl::StatusOr<net::Response> response = co_await transport.Open(std::move(request));
    BTH_CHECK(response.ok());
    events->code = response->status;
    std::string rest = response->body;
    while (response->stream != nullptr) {
      absl::StatusOr<std::optional<std::string>> piece = co_await response->stream->Next();
      if (!piece.ok() || !piece->has_value()) break;
      rest += **piece;
      for (size_t end; (end = rest.find('\n')) != rest.npos; rest.erase(0, end + 1)) {
        events->all.push_back(Parse(rest.substr(0, end)));
      }
    }
    events->ended = true;
  }

  std::vector<std::shared_ptr<Events>> watches_;
};

// Objects that tests need often.
inline std::string PodJson(std::string_view name, std::string_view more = "") {
  return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", std::string(name),
                R"("},"spec":{"containers":[{"name":"c","image":"img"}])", std::string(more), "}}");
}
inline std::string ConfigJson(std::string_view name, std::string_view labels = "{}") {
  return StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")", std::string(name),
                R"(","labels":)", std::string(labels), R"(},"data":{"k":"v"}})");
}
inline const char kPods[] = "/api/v1/namespaces/default/pods";
inline const char kConfigs[] = "/api/v1/namespaces/default/configmaps";
inline const char kLines[] = "/apis/batch.example.com/v1/lines";
inline const char kDefinitions[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// A definition with and one without a status subresource.
inline Json GangDefinition() {
  return Parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"gangs.batch.example.com"},
    "spec":{"group":"batch.example.com","scope":"Namespaced",
      "names":{"plural":"gangs","kind":"Gang","shortNames":["gg"],"categories":["all"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
        "additionalPrinterColumns":[
          {"name":"STATUS","type":"string","jsonPath":".status.phase"},
          {"name":"Min","type":"integer","jsonPath":".spec.min"},
          {"name":"AGE","type":"date","jsonPath":".metadata.creationTimestamp"}]}]}})");
}
inline Json LineDefinition() {
  return Parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"lines.batch.example.com"},
    "spec":{"group":"batch.example.com","scope":"Cluster",
      "names":{"plural":"lines","kind":"Line"},
      "versions":[{"name":"v1","served":true,"storage":true,
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size",
          "statusReplicasPath":".status.size"}},
        "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
}

}  // namespace bth::apiserver::testing
