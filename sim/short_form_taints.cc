#include "sim/short_form_taints.h"

#include <vector>

#include "absl/strings/str_split.h"

namespace bth::sim {
namespace {

using types::Json;

void SplitTaint(const std::string& text, Json* out) {
  const std::vector<std::string> effect = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const std::vector<std::string> pair = absl::StrSplit(effect[0], absl::MaxSplits('=', 1));
  out->Set("key", Json(pair[0]));
  if (pair.size() > 1) out->Set("value", Json(pair[1]));
  if (effect.size() > 1) out->Set("effect", Json(effect[1]));
}

}  // namespace

void AddTaintTo(Json* node, const std::string& taint) {
  Json out = Json::MakeObject();
  SplitTaint(taint, &out);
  node->MutableAt({"spec", "taints"}).MutableItems().push_back(std::move(out));
}

void AddTolerationTo(Json* pod, const std::string& taint) {
  Json out = Json::MakeObject();
  if (taint != "*") SplitTaint(taint, &out);
  if (out.Find("value") == nullptr) out.Set("operator", Json("Exists"));
  pod->MutableAt({"spec", "tolerations"}).MutableItems().push_back(std::move(out));
}

}  // namespace bth::sim
