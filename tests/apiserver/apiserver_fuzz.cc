// Feeds patches and REST bodies to a server in process. The first byte chooses what is tried; the
// rest is one text, or two that a zero byte parts. Nothing may crash, and the server must answer
// with a code it documents and serve on.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/patch/apply.h"
#include "apiserver/patch/field_managers.h"
#include "apiserver/patch/field_set.h"
#include "apiserver/patch/patch.h"
#include "apiserver/registry/registry.h"
#include "apiserver/store/selector.h"
#include "apiserver/table/table.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"

namespace bth::apiserver::testing {
namespace {

void TryPatches(std::string_view document_text, std::string_view patch_text) {
  const absl::StatusOr<Json> document = Json::Parse(document_text);
  const absl::StatusOr<Json> patch = Json::Parse(patch_text);
  if (!document.ok() || !patch.ok()) return;
  const Json merged = ApplyMergePatch(*document, *patch);
  BTH_CHECK(ApplyMergePatch(merged, *patch) == merged);
  ApplyJsonPatch(*document, *patch).status().IgnoreError();
  ApplyStrategicPatch(*document, *patch, "", "Pod").status().IgnoreError();
  const ResourceTypePtr type = Registry().Find("apps", "v1", "deployments");
  PathBudget budget;
  for (const auto& [path, value] : LeavesOf(*document, MergeRules(*type), budget)) FieldText(path);
  ServerSideApply(*type, {*document, *patch, "fuzz", false, "", ""}).status().IgnoreError();
  const absl::StatusOr<Json> applied =
      ServerSideApply(*type, {*document, *patch, "fuzz", true, "", ""});
  if (applied.ok()) {
    // What was just applied is a change of nothing.
    const absl::StatusOr<Json> again =
        ServerSideApply(*type, {*applied, *patch, "fuzz", false, "", ""});
    BTH_CHECK(!again.ok() || *again == *applied);
  }
  Json next = *patch;
  TrackUpdate(*type, {"fuzz", "", ""}, *document, next).IgnoreError();
  Json rest = *document;
  const FieldSet fields = FromFieldsV1(*patch, budget);
  std::vector<const FieldPath*> paths;
  for (const FieldPath& path : fields) paths.push_back(&path);
  EraseFields(rest, paths);
}

void TryTexts(std::string_view a, std::string_view b) {
  types::ParseLabelSelector(a).status().IgnoreError();
  FieldFilter::Parse(b, {}).status().IgnoreError();
  const absl::StatusOr<Json> document = Json::Parse(b);
  if (document.ok()) EvaluateJsonPath(*document, a);
}

void TryRequest(std::string_view method, std::string_view type, std::string_view target,
                std::string_view body) {
  Bed bed;
  bed.Post(kPods, PodJson("a"));
  const Answer answer = bed.Call(std::string(method), std::string(target), std::string(body),
                                 {{"content-type", std::string(type)}});
  BTH_CHECK(answer.code >= 200 && answer.code < 600 && answer.code != 500);
  BTH_CHECK(bed.Get(kPods).code == 200);
}

// Reads may be watches, which do not end by themselves.
void TryRead(std::string_view target) {
  Bed bed;
  bed.Post(kPods, PodJson("a"));
  const auto events = bed.Watch(std::string(target));
  BTH_CHECK(events->code >= 200 && events->code < 600 && events->code != 500);
  BTH_CHECK(bed.Get(kPods).code == 200);
}

}  // namespace
}  // namespace bth::apiserver::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace bth::apiserver::testing;
  if (size < 2 || size > (1 << 16)) return 0;
  const char choice = static_cast<char>(bytes[0]);
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const size_t zero = rest.find('\0');
  const std::string_view first = rest.substr(0, zero);
  const std::string_view second = zero == rest.npos ? "" : rest.substr(zero + 1);
  const std::string pod = bth::StrCat(kPods, "/a");
  switch (choice) {
    case 'p':
      TryPatches(first, second);
      break;
    case 's':
      TryTexts(first, second);
      break;
    case 'c':
      TryRequest("POST", "application/json", kPods, rest);
      break;
    case 'm':
      TryRequest("PATCH", "application/merge-patch+json", pod, rest);
      break;
    case 'j':
      TryRequest("PATCH", "application/json-patch+json", pod, rest);
      break;
    case 't':
      TryRequest("PATCH", "application/strategic-merge-patch+json", pod, rest);
      break;
    case 'a':
      TryRequest("PATCH", "application/apply-patch+yaml", pod + "?fieldManager=f", rest);
      break;
    case 'd':
      TryRequest("POST", "application/json",
                 "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", rest);
      break;
    case 'g':
      if (!first.empty() && first.front() == '/') TryRead(first);
      break;
    default:
      break;
  }
  return 0;
}
