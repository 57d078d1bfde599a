// Where requests lead, and how to ask for single objects of a collection.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/rest/request.h"
#include "net/http.h"

namespace bth::sim {

inline constexpr std::string_view kFlows = "/apis/flow.volcano.sh/v1alpha1/jobflows";
inline constexpr std::string_view kJobTemplates = "/apis/flow.volcano.sh/v1alpha1/jobtemplates";
inline constexpr std::string_view kCronJobs = "/apis/batch.volcano.sh/v1alpha1/cronjobs";

// All empty: it leads nowhere.
apiserver::ResourcePath PathOf(const net::Request& request);
// "NS/NAME", as the ledger has it.
std::string KeyOf(const apiserver::ResourcePath& path);

// The part of a collection ("/api/v1/pods") that is in the namespace; all of it for an empty one.
std::string CollectionIn(const std::string& collection, std::string_view ns);
std::string ObjectIn(const std::string& collection, std::string_view ns, std::string_view name);

}  // namespace bth::sim
