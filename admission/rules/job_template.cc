#include "admission/rules/job_template.h"

#include <optional>

#include "admission/rules/whole_cpus.h"
#include "api/rules/pod_defaults.h"
#include "api/rules/pod_template.h"
#include "base/strings.h"

namespace bth::admission {

std::string CheckTaskTemplate(const WrittenTask& written, size_t index, std::string_view ns,
                              const Settings& settings) {
  const types::BatchTask& task = written.task;
  types::Json& spec = written.pod_template["spec"];
  if (spec.is_null()) spec = types::Json::MakeObject();
  rules::DefaultPodSpec(spec);
  rules::PodRuleOptions options;
  options.pod_level_resources = settings.pod_level_resources;
  std::string text;
  for (const rules::FieldError& error :
       rules::CheckPodTemplateObject(written.pod_template, task.name, ns, options)) {
    StrAppend(&text, text.empty() ? StrCat("spec.task[", index, "].") : "", error.ToString(), ". ");
  }
  if (!text.empty()) return text;
  const std::optional<size_t> container = ContainerWithoutWholeCpus(task, written.pod_template);
  if (!container) return "";
  return StrCat("the cpu request isn't an integer in spec.task[", index, "] container[", *container,
                "].");
}

}  // namespace bth::admission
