// Bodies of reviews, as an API server sends them.
#pragma once

#include <string>

#include "base/strings.h"

namespace bth::admission::testing {

// `object` and `old_object` are JSON.
struct ReviewText {
  std::string group = "scheduling.volcano.sh";
  std::string version = "v1beta1";
  std::string resource = "queues";
  std::string operation = "CREATE";
  std::string name = "q1";
  std::string ns;
  std::string object = "null";
  std::string old_object = "null";
  std::string user = R"({"username":"ann","uid":"7","groups":["team"],"extra":{"k":["v","w"]}})";
};

inline std::string ToText(const ReviewText& text) {
  return StrCat(
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)",
      R"("kind":{"group":")", text.group, R"(","version":")", text.version, R"(","kind":"Any"},)",
      R"("resource":{"group":")", text.group, R"(","version":")", text.version, R"(","resource":")",
      text.resource, R"("},"name":")", text.name, R"(","namespace":")", text.ns,
      R"(","operation":")", text.operation, R"(","userInfo":)", text.user, R"(,"object":)",
      text.object, R"(,"oldObject":)", text.old_object,
      R"(,"dryRun":false,"options":{"kind":"CreateOptions"}}})");
}

inline std::string QueueText(const std::string& name, const std::string& spec = "{}",
                             const std::string& annotations = "{}") {
  return StrCat(
      R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":")", name,
      R"(","annotations":)", annotations, R"(},"spec":)", spec, "}");
}

}  // namespace bth::admission::testing
