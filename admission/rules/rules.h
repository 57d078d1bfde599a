// The rule behind each webhook. One file per kind and duty: jobs_validate.cc, queues_mutate.cc ...
#pragma once

#include "admission/rules/known.h"
#include "admission/rules/request.h"

namespace bth::admission {

Verdict MutateJob(const Request& request, const Settings& settings, const Known& known);
Verdict ValidateJob(const Request& request, const Settings& settings, const Known& known);
Verdict MutatePod(const Request& request, const Settings& settings, const Known& known);
Verdict ValidatePod(const Request& request, const Settings& settings, const Known& known);
Verdict MutatePodGroup(const Request& request, const Settings& settings, const Known& known);
Verdict ValidatePodGroup(const Request& request, const Settings& settings, const Known& known);
Verdict MutateQueue(const Request& request, const Settings& settings, const Known& known);
Verdict ValidateQueue(const Request& request, const Settings& settings, const Known& known);
Verdict ValidateJobFlow(const Request& request, const Settings& settings, const Known& known);
Verdict ValidateCronJob(const Request& request, const Settings& settings, const Known& known);
Verdict ValidateHyperNode(const Request& request, const Settings& settings, const Known& known);

}  // namespace bth::admission
