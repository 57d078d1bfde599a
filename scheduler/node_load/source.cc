#include "scheduler/node_load/source.h"

#include "base/strings.h"
#include "base/suggest.h"

namespace bth::scheduler::node_load {

std::string Setting(const LoadSettings& settings, const std::string& key,
                    const std::string& fallback) {
  const auto found = settings.find(key);
  return found == settings.end() || found->second.empty() ? fallback : found->second;
}

absl::StatusOr<std::unique_ptr<LoadSource>> MakeLoadSource(const SourceContext& context,
                                                           const LoadSettings& settings) {
  const std::string type = Setting(settings, "type");
  if (type.empty()) return nullptr;
  if (type == "prometheus_adaptor") return MakeCustomMetricsSource(context);
  const bool known = type == "prometheus" || type == "elasticsearch" || type == "local";
  if (!known) {
    return absl::InvalidArgumentError(
        StrCat("data cannot be collected from the ", type,
               " monitoring system. The supported monitoring systems are elasticsearch, "
               "prometheus, and prometheus_adaptor",
               DidYouMean(type, {"elasticsearch", "local", "prometheus", "prometheus_adaptor"})));
  }
  if (Setting(settings, "address").empty()) {
    return absl::InvalidArgumentError("metrics address is empty");
  }
  if (type == "prometheus") return MakePrometheusSource(context, settings);
  if (type == "elasticsearch") return MakeElasticsearchSource(context, settings);
  return MakeFileSource(context, settings);
}

}  // namespace bth::scheduler::node_load
