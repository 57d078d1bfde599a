// Defaults and rules of pod specs, alone and inside templates: what kube-apiserver fills in and
// refuses. Used by the embedded API server for pods and workloads, and by admission for the
// templates of jobs. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/rules/field_error.h"
#include "api/types/json.h"

namespace bth::rules {

// Fills in a pod spec: restartPolicy, dnsPolicy, terminationGracePeriodSeconds, schedulerName,
// securityContext, and of containers pull policies, paths, protocols, requests from limits ...
void DefaultPodSpec(types::Json& spec);

struct PodRuleOptions {
  bool pod_level_resources = true;
  bool allow_ephemeral_containers = false;  // Not in templates.
};

// The broken rules of `spec`, in Kubernetes' order; `field` is where it stands ("spec",
// "template.spec").
FieldErrors CheckPodSpec(const types::Json& spec, std::string_view field,
                         const PodRuleOptions& options = {});

// Of a whole template {metadata, spec}: labels, annotations, then the spec.
FieldErrors CheckPodTemplate(const types::Json& pod_template, std::string_view field,
                             const PodRuleOptions& options = {});

}  // namespace bth::rules
