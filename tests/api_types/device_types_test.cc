#include <string>

#include "api/types/codec.h"
#include "api/types/device.h"
#include "api/types/fragment.h"
#include "api/types/resource_claim.h"
#include "tests/support/catch.h"

namespace bth::types {
namespace {

constexpr const char* kSlice = R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
 "metadata":{"name":"s"},"spec":{"driver":"x.io","nodeName":"n",
 "pool":{"name":"p","generation":0,"resourceSliceCount":2},
 "sharedCounters":[{"name":"card","counters":{"slots":{"value":"4"}}}],
 "devices":[{"name":"d","attributes":{"a":{"int":0},"b":{"bool":false},"c":{"string":""},
   "d":{"version":"1.2.3"}},
  "capacity":{"memory":{"value":"16Gi","requestPolicy":{"default":"1Gi","validValues":["1Gi","2Gi"],
    "validRange":{"min":"1Gi","max":"4Gi","step":"1Gi"}}}},
  "consumesCounters":[{"counterSet":"card","counters":{"slots":{"value":"2"}}}],
  "nodeName":"n","nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In",
    "values":["v"]}]}]},"allNodes":true,
  "taints":[{"key":"t","value":"v","effect":"NoSchedule"}],"bindsToNode":true,
  "bindingConditions":["Ready"],"bindingFailureConditions":["Broken"],
  "allowMultipleAllocations":true}]}})";

constexpr const char* kClass = R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass",
 "metadata":{"name":"c"},"spec":{"selectors":[{"cel":{"expression":"true"}}],
 "config":[{"opaque":{"driver":"x.io","parameters":{"kind":7,"deep":[{"a":null}]}}}],
 "extendedResourceName":"x.io/gpu"}})";

constexpr const char* kClaim = R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
 "metadata":{"name":"c","namespace":"ns"},"spec":{"devices":{"requests":[
   {"name":"r","exactly":{"deviceClassName":"gpu","selectors":[{"cel":{"expression":"true"}}],
     "allocationMode":"ExactCount","count":2,"adminAccess":true,
     "tolerations":[{"key":"t","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5}],
     "capacity":{"requests":{"memory":"4Gi"}}}},
   {"name":"q","firstAvailable":[{"name":"a","deviceClassName":"gpu","allocationMode":"All"}]}],
  "constraints":[{"requests":["r"],"matchAttribute":"x.io/numa"},{"distinctAttribute":"x.io/id"}],
  "config":[{"requests":["r"],"opaque":{"driver":"x.io","parameters":{"a":1}}}]}},
 "status":{"allocation":{"devices":{"results":[{"request":"r","driver":"x.io","pool":"p",
    "device":"d","adminAccess":true,"tolerations":[{"key":"t","operator":"Exists"}],
    "bindingConditions":["Ready"],"bindingFailureConditions":["Broken"],"shareID":"u-1",
    "consumedCapacity":{"memory":"4Gi"}}]},
   "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",
     "values":["n"]}]}]},"allocationTimestamp":"2026-01-02T03:04:05Z"},
  "reservedFor":[{"resource":"pods","name":"p","uid":"u"}],
  "devices":[{"driver":"x.io","pool":"p","device":"d","conditions":[{"type":"Ready",
    "status":"True"}]}]}})";

constexpr const char* kTemplate = R"({"apiVersion":"resource.k8s.io/v1",
 "kind":"ResourceClaimTemplate","metadata":{"name":"t","namespace":"ns"},
 "spec":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},
 "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]},"unknown":1}}})";

template <class T>
T Whole(const char* text) {
  const auto first = Decode<T>(std::string_view(text));
  REQUIRE(first.ok());
  const auto again = Decode<T>(std::string_view(Encode(*first)));
  REQUIRE(again.ok());
  CHECK(*again == *first);
  // Every field that the struct has is in the document.
  const Json whole = *Json::Parse(text);
  const Json written = *Json::Parse(Encode(*first));
  CHECK(written["spec"] == whole["spec"]);
  return *first;
}

TEST_CASE("devices: slices are read and written", "[types]") {
  const auto slice = Whole<ResourceSlice>(kSlice);
  const Device& device = slice.spec.devices.at(0);
  // Zeros are values.
  CHECK(device.attributes.Find("a")->integer == 0);
  CHECK(device.attributes.Find("b")->boolean == false);
  CHECK(device.attributes.Find("c")->text == "");
  CHECK(device.capacity.Find("memory")->value.ToString() == "16Gi");
  CHECK(device.node_selector.view.terms.size() == 1);
}

TEST_CASE("devices: settings for drivers are kept whatever they are", "[types]") {
  const auto device_class = Whole<DeviceClass>(kClass);
  CHECK(device_class.spec.config.at(0).view.driver == "x.io");
  CHECK(device_class.spec.config.at(0).raw.At({"opaque", "parameters", "kind"}).AsInt() == 7);
}

TEST_CASE("devices: claims are read and written", "[types]") {
  const auto claim = Whole<ResourceClaim>(kClaim);
  CHECK(claim.spec.requests.at(0).exactly->count == 2);
  CHECK(claim.spec.requests.at(1).first_available.at(0).allocation_mode == "All");
  CHECK(claim.status.allocation->results.at(0).share_id == "u-1");
  CHECK(FragmentToJson(claim.status) == (*Json::Parse(kClaim))["status"]);
  CHECK_FALSE(IsReadFromProtobuf<ResourceClaim>());
}

TEST_CASE("devices: templates keep the spec as it was written", "[types]") {
  const auto from = Whole<ResourceClaimTemplate>(kTemplate);
  CHECK(from.spec.spec.raw["unknown"].AsInt() == 1);
  CHECK(from.spec.meta.labels.Find("a") != nullptr);
}

TEST_CASE("devices: what cannot be read is told with its path", "[types]") {
  const auto slice = Decode<ResourceSlice>(std::string_view(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},
          "spec":{"devices":[{"name":"d","capacity":{"m":{"value":"x"}}}]}})"));
  REQUIRE_FALSE(slice.ok());
  CHECK(absl::StrContains(slice.status().message(), "spec.devices[0].capacity.m.value"));
}

}  // namespace
}  // namespace bth::types
