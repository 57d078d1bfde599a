// Where the pods of a batch job find each other. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/batch_job.h"

namespace bth::controllers {

// Null when there is none.
const types::BatchTask* FindTask(const types::BatchJob& job, std::string_view name);

// "hostname.subdomain" of one replica: the template's hostname or the pod's name, and the
// template's subdomain or the job's name.
std::string HostOf(const types::BatchJob& job, const types::BatchTask& task, int32_t index);
// Of all replicas; only one when the template gives all of them the same hostname.
std::vector<std::string> HostsOf(const types::BatchJob& job, const types::BatchTask& task);
// The short names that go with them.
std::vector<std::string> HostNamesOf(const types::BatchJob& job, const types::BatchTask& task);

// Names in the DNS are of one part and short. Empty, or that `what` cannot be for that reason, and
// what to mend.
std::string NoHostNameText(std::string_view what, std::string_view name);

// The index at the end of "job-task-index"; "" for a name of fewer parts.
std::string IndexText(std::string_view pod_name);
// The same as a number; nothing when it is none.
std::optional<int32_t> IndexNumber(std::string_view pod_name);

}  // namespace bth::controllers
