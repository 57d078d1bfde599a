// What the embedded API server fills in and refuses of resource.k8s.io.
#include <string>

#include "tests/device_claims/claim_bed.h"

namespace bth::scheduler::testing {
namespace {

std::string ClaimText(const std::string& devices) {
  return StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":)",
                R"({"name":"c"},"spec":{"devices":)", devices, "}}");
}

TEST_CASE("device rules: defaults", "[apiserver][claims]") {
  ClaimBed bed;
  bed.Create(kDeviceClaims,
             ClaimText(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",)"
                       R"("tolerations":[{"key":"k","value":"v"}]}},)"
                       R"({"name":"q","firstAvailable":[{"name":"a","deviceClassName":"gpu",)"
                       R"("allocationMode":"All"}]}]})"));
  const Json requests = bed.ClaimNamed("c").At({"spec", "devices", "requests"});
  CHECK(requests[0]["exactly"]["allocationMode"].AsString() == "ExactCount");
  CHECK(requests[0]["exactly"]["count"].AsInt() == 1);
  CHECK(requests[0]["exactly"]["tolerations"][0]["operator"].AsString() == "Equal");
  CHECK(requests[1]["firstAvailable"][0]["count"].is_null());
}

TEST_CASE("device rules: what is refused, and where", "[apiserver][claims]") {
  struct Case {
    const char* devices;
    const char* why;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"requests":[{"name":"r"}]})", "exactly one of `exactly` or `firstAvailable`"},
      {R"({"requests":[{"name":"R","exactly":{"deviceClassName":"gpu"}}]})",
       "spec.devices.requests[0].name"},
      {R"({"requests":[{"name":"r","exactly":{}}]})",
       "spec.devices.requests[0].exactly.deviceClassName"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","count":-1}}]})",
       "must be greater than zero"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"Some"}}]})",
       "supported values"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"All",)"
       R"("count":2}}]})",
       "must not be specified when allocationMode is 'All'"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu","selectors":)"
       R"([{"cel":{"expression":"device.color"}}]}}]})",
       "compilation failed"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}},)"
       R"({"name":"r","exactly":{"deviceClassName":"gpu"}}]})",
       "Duplicate value"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}],)"
       R"("constraints":[{"requests":["q"],"matchAttribute":"x.io/a"}]})",
       "must be the name of a request in the claim"},
      {R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}],)"
       R"("constraints":[{"matchAttribute":"a"}]})",
       "must include a domain"},
  }));
  ClaimBed bed;
  CAPTURE(c.devices);
  const auto answer = bed.Call("POST", kDeviceClaims, ClaimText(c.devices));
  CHECK(answer.code == 422);
  CHECK(absl::StrContains(answer.text, c.why));
}

TEST_CASE("device rules: specs stay, allocations are taken back before they change",
          "[apiserver][claims]") {
  ClaimBed bed;
  bed.Claim("c");
  const std::string claim = StrCat(kDeviceClaims, "/c");
  CHECK(bed.Patch(claim, R"({"spec":{"devices":{"requests":[]}}})") == 422);
  const auto allocate = [&](const std::string& device) {
    return bed.Patch(StrCat(claim, "/status"),
                     StrCat(R"({"status":{"allocation":{"devices":{"results":[{"request":"r",)",
                            R"("driver":"x.io","pool":"n1","device":")", device, R"("}]}}}})"));
  };
  CHECK(bed.Patch(StrCat(claim, "/status"),
                  R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})") ==
        422);
  CHECK(allocate("d0") == 200);
  CHECK(allocate("d1") == 422);
  CHECK(bed.Patch(StrCat(claim, "/status"), R"({"status":{"allocation":null}})") == 200);
  CHECK(allocate("d1") == 200);
}

TEST_CASE("device rules: slices say where they are, once", "[apiserver][claims]") {
  ClaimBed bed;
  const auto make = [&bed](const std::string& where, const std::string& devices) {
    return bed.Call("POST", "/apis/resource.k8s.io/v1/resourceslices",
                    StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",)",
                           R"("metadata":{"generateName":"s-"},"spec":{"driver":"x.io",)", where,
                           R"("pool":{"name":"p","generation":1,"resourceSliceCount":1},)",
                           R"("devices":[)", devices, "]}}"));
  };
  CHECK(make(R"("nodeName":"n1",)", R"({"name":"a"})").code == 201);
  CHECK(make("", R"({"name":"a"})").code == 422);
  CHECK(make(R"("nodeName":"n1","allNodes":true,)", R"({"name":"a"})").code == 422);
  CHECK(make(R"("allNodes":true,)", R"({"name":"a"},{"name":"a"})").code == 422);
  CHECK(make(R"("allNodes":true,)", R"({"name":"a","attributes":{"x":{}}})").code == 422);
  CHECK(make(R"("allNodes":true,)", R"({"name":"a","taints":[{"key":"k","effect":"X"}]})").code ==
        422);
}

TEST_CASE("device rules: access of administrators needs a namespace that says so",
          "[apiserver][claims]") {
  ClaimBed bed;
  const std::string claim =
      ClaimText(R"({"requests":[{"name":"q","exactly":{"deviceClassName":"gpu"}},)"
                R"({"name":"r","exactly":{"deviceClassName":"gpu","adminAccess":true}}]})");
  const auto refused = bed.Call("POST", kDeviceClaims, claim);
  CHECK(refused.code == 422);
  CHECK(
      absl::StrContains(refused.text,
                        "spec.devices.requests[1].adminAccess: Forbidden: admin access to devices "
                        "requires the `resource.kubernetes.io/admin-access: true` label on the "
                        "containing namespace"));
  const std::string from =
      StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":)",
             R"({"name":"t"},"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":)",
             R"({"deviceClassName":"gpu","adminAccess":true}}]}}}})");
  constexpr char kTemplates[] =
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates";
  CHECK(bed.Call("POST", kTemplates, from).code == 422);
  CHECK(bed.Patch("/api/v1/namespaces/default",
                  R"({"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}})") ==
        200);
  CHECK(bed.Call("POST", kDeviceClaims, claim).code == 201);
  CHECK(bed.Call("POST", kTemplates, from).code == 201);
}

TEST_CASE("device rules: what drivers said goes with the devices", "[apiserver][claims]") {
  ClaimBed bed;
  bed.Claim("c");
  const std::string status = StrCat(kDeviceClaims, "/c/status");
  CHECK(
      bed.Patch(status,
                R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":"x.io",)"
                R"("pool":"n1","device":"d0"}]}},"devices":[{"driver":"x.io","pool":"n1",)"
                R"("device":"d0","conditions":[]}]}})") == 200);
  CHECK(bed.ClaimNamed("c").At({"status", "devices"}).size() == 1);
  CHECK(bed.Patch(status, R"({"status":{"allocation":null}})") == 200);
  CHECK(bed.ClaimNamed("c").At({"status", "devices"}).is_null());
}

TEST_CASE("device rules: taints of rules", "[apiserver][claims]") {
  ClaimBed bed;
  const auto put = [&bed](const std::string& taint) {
    return bed
        .Call("POST", "/apis/resource.k8s.io/v1beta2/devicetaintrules",
              StrCat(R"({"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule",)",
                     R"("metadata":{"generateName":"r-"},"spec":{"deviceSelector":{},"taint":)",
                     taint, "}}"))
        .code;
  };
  CHECK(put(R"({"key":"x.io/k","effect":"NoExecute"})") == 201);
  CHECK(put(R"({"key":"x.io/k","effect":"PreferNoSchedule"})") == 422);
  CHECK(put(R"({"effect":"NoSchedule"})") == 422);
}

}  // namespace
}  // namespace bth::scheduler::testing
