// A server in process whose webhooks are functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/pem.h"
#include "tests/apiserver/bed.h"

namespace bth::apiserver::testing {

// The servers of all webhooks: what a path answers, and what was asked.
class Hooks {
 public:
  // Gets the request of a review and gives the members of the response beside its uid.
  using Responder = std::function<Json(const Json& request)>;

  void On(std::string path, Responder answer) {
    state_->answers[std::move(path)] = std::move(answer);
  }
  // Answers with this code and text, whatever is asked.
  void OnRaw(std::string path, int code, std::string text) {
    state_->raw[std::move(path)] = {code, std::move(text)};
  }
  // Takes this long to answer.
  void Delay(std::string path, absl::Duration delay) { state_->delays[std::move(path)] = delay; }
  // "PATH OPERATION NAME" of each call.
  const std::vector<std::string>& calls() const { return state_->calls; }
  const Json& last() const { return state_->reviews.back()["request"]; }
  const std::vector<Json>& reviews() const { return state_->reviews; }
  const std::vector<Endpoint>& endpoints() const { return state_->endpoints; }
  void Forget() {
    state_->calls.clear();
    state_->reviews.clear();
  }
  void RefuseConnections() { state_->refuses = true; }
  // Runs once, while the next call is waited for.
  void Meanwhile(std::function<void()> action) { state_->meanwhile = std::move(action); }

  Options Using(Options options = {}) {
    options.connect_outside =
        [state =
             state_](const Endpoint& endpoint) -> absl::StatusOr<std::unique_ptr<net::Transport>> {
      state->endpoints.push_back(endpoint);
      auto handler = [state](net::Request request) { return Serve(state, std::move(request)); };
      return net::MakeInProcessTransport(*state->executor, std::move(handler));
    };
    return options;
  }
  void Attach(net::Executor& executor) { state_->executor = &executor; }

 private:
  struct State {
    net::Executor* executor = nullptr;
    std::map<std::string, Responder> answers;
    std::map<std::string, std::pair<int, std::string>> raw;
    std::map<std::string, absl::Duration> delays;
    std::vector<std::string> calls;
    std::vector<Json> reviews;
    std::vector<Endpoint> endpoints;
    std::function<void()> meanwhile;
    bool refuses = false;
  };

  static net::Awaitable<net::Response> Serve(std::shared_ptr<State> state, net::Request request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const Json review = Parse(request.body);
    const Json& asked = review["request"];
    state->calls.push_back(
        StrCat(path, " ", asked["operation"].AsString(), " ", asked["name"].AsString()));
    state->reviews.push_back(review);
    if (auto action = std::exchange(state->meanwhile, nullptr)) action();
    if (const auto delay = state->delays.find(path); delay != state->delays.end()) {
      co_await net::Sleep(*state->executor, delay->second);
    }
    net::Response response;
    response.headers.Set("content-type", "application/json");
    if (const auto raw = state->raw.find(path); raw != state->raw.end()) {
      response.status = raw->second.first;
      response.body = raw->second.second;
      co_return response;
    }
    Json answer = Json::MakeObject({{"allowed", true}});
    if (const auto found = state->answers.find(path); found != state->answers.end()) {
      answer = found->second(asked);
    }
    answer.Set("uid", asked["uid"]);
    response.body = Json::MakeObject({{"apiVersion", review["apiVersion"]},
                                      {"kind", "AdmissionReview"},
                                      {"response", std::move(answer)}})
                        .Dump();
    co_return response;
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

struct HookBed : Hooks, Bed {
  explicit HookBed(Options options = {}) : Bed(Using(std::move(options))) { Attach(executor); }

  // Sends without letting time pass; the answer arrives while the executor runs.
  std::shared_ptr<Answer> Send(std::string method, std::string target, std::string body) {
    net::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.timeout = absl::InfiniteDuration();
    request.headers.Set("content-type", "application/json");
    auto answer = std::make_shared<Answer>();
    net::Spawn(executor, Take(*transport, std::move(request), answer));
    executor.RunUntilIdle();
    return answer;
  }

 private:
  static net::Awaitable<void> Take(net::Transport& transport, net::Request request,
                                   std::shared_ptr<Answer> answer) {
    absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
    answer->code = -1;  // The server is gone.
    if (!response.ok()) co_return;
    answer->code = response->status;
    answer->body = Parse(response->body);
    answer->headers = response->headers;
  }
};

inline const char kRegistrations[] = "/apis/admissionregistration.k8s.io/v1/";

// A webhook at https://hooks.test/NAME; `more` are members that replace the usual ones.
inline Json HookJson(std::string_view name, std::string_view more = "{}") {
  Json hook = Json::MakeObject(
      {{"name", StrCat(name, ".example.com")},
       {"clientConfig", Json::MakeObject({{"url", StrCat("https://hooks.test/", name)}})},
       {"rules", Parse(R"([{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
                            "resources":["configmaps"]}])")},
       {"sideEffects", "None"},
       {"admissionReviewVersions", Json::MakeArray({"v1"})}});
  const Json extra = Parse(more);
  for (const auto& [key, value] : extra.members()) hook.Set(key, value);
  return hook;
}
inline std::string Configuration(bool mutating, std::string_view name, Json::Array hooks) {
  return Json::MakeObject({{"apiVersion", "admissionregistration.k8s.io/v1"},
                           {"kind", mutating ? "MutatingWebhookConfiguration"
                                             : "ValidatingWebhookConfiguration"},
                           {"metadata", Json::MakeObject({{"name", name}})},
                           {"webhooks", Json(std::move(hooks))}})
      .Dump();
}
inline std::string ConfigurationsPath(bool mutating) {
  return StrCat(kRegistrations, mutating ? "mutating" : "validating", "webhookconfigurations");
}
// One configuration with one webhook, both of that name.
inline Answer AddHook(Bed& bed, bool mutating, std::string_view name,
                      std::string_view more = "{}") {
  return bed.Post(ConfigurationsPath(mutating),
                  Configuration(mutating, name, {HookJson(name, more)}));
}

inline Json Patching(std::string_view patch) {
  return Json::MakeObject(
      {{"allowed", true}, {"patchType", "JSONPatch"}, {"patch", net::Base64Encode(patch)}});
}
inline Json Denying(std::string_view message) {
  return Json::MakeObject(
      {{"allowed", false}, {"status", Json::MakeObject({{"message", message}})}});
}

}  // namespace bth::apiserver::testing
