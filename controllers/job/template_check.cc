#include "controllers/job/template_check.h"

#include <string_view>
#include <vector>

#include "base/strings.h"

namespace bth::controllers {
namespace {

std::string NegativeIn(const types::ResourceList& amounts, std::string_view place) {
  for (const auto& [name, quantity] : amounts) {
    if (!quantity.is_negative()) continue;
    return StrCat(place, ".", name, ": quantity \"", quantity.ToString(), "\" is negative");
  }
  return "";
}

std::string NegativeIn(const types::ResourceRequirements& resources, std::string_view place) {
  std::string text = NegativeIn(resources.requests, StrCat(place, ".requests"));
  return text.empty() ? NegativeIn(resources.limits, StrCat(place, ".limits")) : text;
}

std::string NegativeIn(const std::vector<types::Container>& containers, std::string_view place) {
  for (size_t i = 0; i < containers.size(); ++i) {
    std::string text = NegativeIn(containers[i].resources, StrCat(place, "[", i, "].resources"));
    if (!text.empty()) return text;
  }
  return "";
}

std::string NegativeIn(const types::PodSpec& spec, std::string_view place) {
  std::string text = NegativeIn(spec.containers, StrCat(place, ".containers"));
  if (text.empty()) text = NegativeIn(spec.init_containers, StrCat(place, ".initContainers"));
  if (text.empty() && spec.resources.has_value()) {
    text = NegativeIn(*spec.resources, StrCat(place, ".resources"));
  }
  return text.empty() ? NegativeIn(spec.overhead, StrCat(place, ".overhead")) : text;
}

}  // namespace

std::string NegativeAmountText(const types::BatchJobSpec& spec) {
  for (size_t i = 0; i < spec.tasks.size(); ++i) {
    std::string text = NegativeIn(spec.tasks[i].pod_template.view.spec,
                                  StrCat("spec.tasks[", i, "].template.spec"));
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace bth::controllers
