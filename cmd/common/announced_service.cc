#include "cmd/common/announced_service.h"

#include <utility>

#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::cmd {

using types::Json;

net::Awaitable<absl::Status> Announce(client::ApiClient& api, AnnouncedService service) {
  const Json ns = Json::MakeObject({{"apiVersion", "v1"},
                                    {"kind", "Namespace"},
                                    {"metadata", Json::MakeObject({{"name", service.ns}})}});
  client::ApiPath namespaces{"namespaces", "/api/v1/namespaces"};
  const client::ApiClient::Text made_ns = co_await api.Create(std::move(namespaces), ns.Dump());
  if (!made_ns.ok() && !absl::IsAlreadyExists(made_ns.status())) {
    co_return Annotate(made_ns.status(), StrCat("namespace ", service.ns));
  }
  const Json port = Json::MakeObject({{"port", int64_t{service.port}},
                                      {"targetPort", int64_t{service.target_port}},
                                      {"protocol", "TCP"}});
  const Json spec = Json::MakeObject({{"ports", Json::MakeArray({port})}});
  const Json body = Json::MakeObject({{"apiVersion", "v1"},
                                      {"kind", "Service"},
                                      {"metadata", Json::MakeObject({{"name", service.name}})},
                                      {"spec", spec}});
  const std::string path = StrCat("/api/v1/namespaces/", service.ns, "/services");
  client::ApiPath all{"services", path};
  const client::ApiClient::Text made = co_await api.Create(std::move(all), body.Dump());
  if (made.ok()) co_return absl::OkStatus();
  if (!absl::IsAlreadyExists(made.status())) {
    co_return Annotate(made.status(), StrCat("service ", service.name));
  }
  client::ApiPath one{"services", StrCat(path, "/", service.name)};
  client::Patch patch;
  patch.body = Json::MakeObject({{"spec", spec}}).Dump();
  const client::ApiClient::Text patched = co_await api.Patch(std::move(one), std::move(patch));
  co_return Annotate(patched.status(), StrCat("service ", service.name));
}

}  // namespace bth::cmd
