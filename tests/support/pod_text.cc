#include "tests/support/pod_text.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "absl/strings/numbers.h"
#include "api/model/taints.h"
#include "base/strings.h"
#include "tests/support/numa_text.h"

namespace bth::test {
namespace {

using model::NodeRequirement;
using model::TaintEffect;

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

TaintEffect ReadEffect(const std::string& text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  throw std::invalid_argument("not a taint effect: " + text);
}

std::vector<Symbol> ReadSymbols(std::string_view text, Interner& symbols) {
  std::vector<Symbol> values;
  for (const std::string& value : SplitText(text, '|')) values.push_back(symbols.Intern(value));
  std::sort(values.begin(), values.end());
  return values;
}

NodeRequirement LabelIn(const std::string& key, std::string_view values, Interner& symbols) {
  return {.key = symbols.Intern(key),
          .op = model::SelectorOp::kIn,
          .values = ReadSymbols(values, symbols)};
}

// "key", "key=value", with ":Effect" or without; "*" tolerates everything.
model::Toleration ReadToleration(const std::string& text, Interner& symbols) {
  if (text == "*") return {.exists = true};
  model::Toleration toleration;
  const size_t colon = text.find(':');
  if (colon != std::string::npos) toleration.effect = ReadEffect(text.substr(colon + 1));
  const std::string pair = text.substr(0, colon);
  const size_t equals = pair.find('=');
  toleration.key = symbols.Intern(pair.substr(0, equals));
  toleration.exists = equals == std::string::npos;
  toleration.value = symbols.Intern(toleration.exists ? "" : pair.substr(equals + 1));
  return toleration;
}

model::UnsupportedFeature ReadFeature(const std::string& text) {
  using model::UnsupportedFeature;
  static const auto* const kFeatures = new std::map<std::string, UnsupportedFeature>{
      {"", UnsupportedFeature::kNone}, {"dims", UnsupportedFeature::kDimensions}};
  return kFeatures->at(text);
}

bool IsConstraintKey(const std::string& key) {
  for (const char* prefix : {"select.", "need.", "prefer."}) {
    if (key.starts_with(prefix)) return true;
  }
  for (const char* exact :
       {"names", "tolerate", "port", "image", "unsupported", "revocable", "own", "policy"}) {
    if (key == exact) return true;
  }
  return false;
}

void ReadTerms(const Statement& task, Interner& symbols, model::PodConstraints* pod) {
  for (const auto& [key, value] : task.Under("select.")) {
    pod->node_selector.emplace_back(symbols.Intern(key), symbols.Intern(value));
  }
  model::NodeTerm required;
  for (const auto& [key, values] : task.Under("need.")) {
    required.labels.push_back(LabelIn(key, values, symbols));
  }
  for (const std::string& names : task.All("names")) {
    required.names.push_back(LabelIn("metadata.name", names, symbols));
  }
  if (!required.labels.empty() || !required.names.empty()) {
    pod->has_required_terms = true;
    pod->required_terms.push_back(std::move(required));
  }
  for (const auto& [key, text] : task.Under("prefer.")) {
    const size_t colon = text.rfind(':');
    int32_t weight = 0;
    if (colon == std::string::npos || !absl::SimpleAtoi(text.substr(colon + 1), &weight)) {
      throw std::invalid_argument("prefer needs :<weight>: " + text);
    }
    model::NodeTerm term;
    term.labels.push_back(LabelIn(key, text.substr(0, colon), symbols));
    pod->has_preferred_terms = true;
    pod->preferred_terms.push_back({std::move(term), weight});
  }
}

}  // namespace

std::string ConstraintWords(const Statement& task) {
  std::string words;
  for (const auto& [key, value] : task.args) {
    if (IsConstraintKey(key)) StrAppend(&words, key, "=", value, " ");
  }
  return words;
}

model::PodConstraints ReadConstraints(const Statement& task, Interner& symbols) {
  model::PodConstraints pod;
  ReadTerms(task, symbols, &pod);
  const model::Taint cordoned{.key = symbols.Intern(kUnschedulableTaint),
                              .value = symbols.Intern(""),
                              .effect = TaintEffect::kNoSchedule};
  for (const std::string& text : task.All("tolerate")) {
    pod.tolerations.push_back(ReadToleration(text, symbols));
    pod.tolerates_unschedulable |= model::Tolerates(pod.tolerations.back(), cordoned);
  }
  for (const std::string& text : task.All("port")) pod.ports.push_back(ReadPort(text));
  for (const std::string& name : task.All("image")) pod.images.push_back(symbols.Intern(name));
  pod.revocable = task.Has("revocable");
  if (auto numa = ReadPodNuma(task); numa != nullptr) {
    auto extras = std::make_shared<model::PodExtras>();
    extras->qos = model::QosClass::kGuaranteed;
    extras->numa = std::move(numa);
    pod.extras = std::move(extras);
  }
  pod.image_containers = std::max<int>(1, static_cast<int>(pod.images.size()));
  for (const std::string& feature : task.All("unsupported")) {
    pod.unsupported |= model::Bit(ReadFeature(feature));
  }
  return pod;
}

void ReadNodeFacts(const Statement& node, Interner& symbols, model::NodeFacts* facts) {
  for (const auto& [key, value] : node.Under("label.")) {
    model::NodeLabel label{.key = symbols.Intern(key), .value = symbols.Intern(value)};
    int64_t number = 0;
    if (absl::SimpleAtoi(value, &number)) label.number = number;
    facts->labels.push_back(label);
  }
  std::sort(facts->labels.begin(), facts->labels.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  for (const std::string& text : node.All("taint")) {
    const model::Toleration same = ReadToleration(text, symbols);
    if (!same.effect) throw std::invalid_argument("a taint needs an effect: " + text);
    facts->taints.push_back({.key = same.key, .value = same.value, .effect = *same.effect});
  }
  for (const auto& [name, size] : node.Under("image.")) {
    facts->images.emplace_back(symbols.Intern(name), static_cast<int64_t>(ParseQuantity(size)));
  }
  std::sort(facts->images.begin(), facts->images.end());
  facts->unschedulable = node.Has("cordoned");
  facts->revocable_zone = node.Text("label.volcano.sh/revocable-zone");
  facts->node_group = node.Text("label.volcano.sh/nodegroup-name");
}

model::HostPort ReadPort(std::string_view text) {
  model::HostPort port;
  const size_t at = text.find('@');
  if (at != std::string_view::npos) port.ip = text.substr(at + 1);
  const std::string_view number = text.substr(0, std::min(at, text.find('/')));
  if (text.find("/UDP") != std::string_view::npos) port.protocol = 1;
  if (text.find("/SCTP") != std::string_view::npos) port.protocol = 2;
  if (!SimpleAtoi(number, &port.port)) {
    throw std::invalid_argument("not a port: " + std::string(text));
  }
  return port;
}

}  // namespace bth::test
