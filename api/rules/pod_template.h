// Rules of pod specs, alone and inside templates: what kube-apiserver refuses. Used by the embedded
// API server for pods and workloads, and by admission for the templates of jobs. Pure, any thread.
#pragma once

#include <string_view>

#include "api/rules/field_error.h"
#include "api/types/json.h"

namespace bth::rules {

struct PodRuleOptions {
  bool pod_level_resources = true;
  bool allow_ephemeral_containers = false;  // Not in templates.
  // Rules that hold of pods and not of templates, to which something may still be added.
  bool is_pod = false;
  // What servers of today let pass beyond what all servers do: any printable name of a variable,
  // underscores in search domains, sleeps of 0 s, restart policies of single containers ...
  bool relaxed = false;
  // Volumes come from claims beside the template, as those of stateful sets do.
  bool claims_volumes = false;
  // Of a real pod: its ephemeral volumes make claims that begin with it.
  std::string_view pod_name;
};

// The broken rules of `spec`, in Kubernetes' order; `field` is where it stands ("spec",
// "template.spec"). At most kFieldErrorsMax (part.h). Cost: one walk, n log n in names.
FieldErrors CheckPodSpec(const types::Json& spec, std::string_view field,
                         const PodRuleOptions& options = {});

// Of a whole template {metadata, spec}: labels, annotations, then the spec.
FieldErrors CheckPodTemplate(const types::Json& pod_template, std::string_view field,
                             const PodRuleOptions& options = {});

// Of an object PodTemplate with that name and namespace: `metadata...`, then `template...`.
FieldErrors CheckPodTemplateObject(const types::Json& pod_template, std::string_view name,
                                   std::string_view ns, const PodRuleOptions& options = {});

}  // namespace bth::rules
