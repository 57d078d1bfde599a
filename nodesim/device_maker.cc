#include "nodesim/device_maker.h"

#include <utility>

#include "api/types/node.h"
#include "api/types/resource_claim.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

using types::Json;

absl::Status UnlessThere(const absl::Status& status) {
  return absl::IsAlreadyExists(status) ? absl::OkStatus() : status;
}

}  // namespace

absl::StatusOr<DeviceOffer> ParseDeviceOffer(const std::string& text) {
  DeviceOffer out;
  const size_t equals = text.find('=');
  const bool formed = equals != std::string::npos && equals > 0 &&
                      SimpleAtoi(std::string_view(text).substr(equals + 1), &out.count);
  if (!formed || out.count < 1 || out.count > kDevicesMax) {
    return absl::InvalidArgumentError(
        StrCat("\"", text, "\" is not of the form gpu.example.com=4, with 1 to ", kDevicesMax));
  }
  out.driver = text.substr(0, equals);
  return out;
}

Json MakeSlice(const DeviceOffer& offer, const std::string& node, const std::string& node_uid) {
  Json slice = Json::MakeObject();
  slice.Set("apiVersion", "resource.k8s.io/v1");
  slice.Set("kind", "ResourceSlice");
  Json& meta = slice["metadata"];
  meta.Set("name", StrCat(node, "-", offer.driver));
  meta["ownerReferences"].MutableItems().push_back(Json::MakeObject(
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", node_uid}}));
  Json& spec = slice["spec"];
  spec.Set("driver", offer.driver);
  spec.Set("nodeName", node);
  spec.Set("pool", Json::MakeObject(
                       {{"name", node}, {"generation", int64_t{1}}, {"resourceSliceCount", 1}}));
  for (int64_t i = 0; i < offer.count; ++i) {
    Json device = Json::MakeObject();
    device.Set("name", StrCat("device-", i));
    device.MutableAt({"attributes", "index", "int"}) = i;
    device.MutableAt({"attributes", "model", "string"}) = "simulated";
    device.MutableAt({"capacity", "memory", "value"}) = "16Gi";
    spec["devices"].MutableItems().push_back(std::move(device));
  }
  return slice;
}

Json MakeDeviceClass(const DeviceOffer& offer) {
  Json out = Json::MakeObject();
  out.Set("apiVersion", "resource.k8s.io/v1");
  out.Set("kind", "DeviceClass");
  out["metadata"].Set("name", offer.driver);
  Json selector = Json::MakeObject();
  selector["cel"].Set("expression", StrCat("device.driver == \"", offer.driver, "\""));
  out["spec"]["selectors"].MutableItems().push_back(std::move(selector));
  return out;
}

net::Awaitable<absl::Status> EnsureDeviceClasses(client::ApiClient& api,
                                                 std::vector<std::string> offers) {
  for (const std::string& text : offers) {
    const absl::StatusOr<DeviceOffer> offer = ParseDeviceOffer(text);
    if (!offer.ok()) co_return offer.status();
    client::ApiPath path = client::PathOf<types::DeviceClass>();
    const std::string body = MakeDeviceClass(*offer).Dump();
    const client::ApiClient::Text made = co_await api.Create(std::move(path), body);
    absl::Status status = UnlessThere(made.status());
    if (!status.ok()) co_return status;
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> EnsureSlices(client::ApiClient& api, std::vector<std::string> offers,
                                          std::string node) {
  if (offers.empty()) co_return absl::OkStatus();
  const absl::StatusOr<types::Node> object =
      co_await client::GetObject<types::Node>(api, std::string(), node);
  if (!object.ok()) co_return object.status();
  for (const std::string& text : offers) {
    const absl::StatusOr<DeviceOffer> offer = ParseDeviceOffer(text);
    if (!offer.ok()) co_return offer.status();
    client::ApiPath path = client::PathOf<types::ResourceSlice>();
    const std::string body = MakeSlice(*offer, node, object->meta.uid).Dump();
    const client::ApiClient::Text made = co_await api.Create(std::move(path), body);
    absl::Status status = UnlessThere(made.status());
    if (!status.ok()) co_return status;
  }
  co_return absl::OkStatus();
}

}  // namespace bth::nodesim
