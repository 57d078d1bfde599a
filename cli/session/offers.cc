#include "cli/session/offers.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/ascii.h"
#include "api/types/batch_job.h"
#include "api/types/namespace.h"
#include "api/types/pod.h"
#include "base/strings.h"
#include "cli/text/object.h"

namespace bth::cli {
namespace {

// Longer nobody waits for a word; more than this nobody reads.
constexpr GlanceLimits kOfferLimits = {absl::Milliseconds(800), 2000};

// A name goes into a line that a shell runs: what it could take for its own is not offered.
bool IsPlain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
  });
}

void AddPlain(std::string_view name, Candidates* out) {
  if (IsPlain(name)) out->words.push_back({std::string(name), ""});
}

std::vector<types::Json> ObjectsNow(Session& session, const ClusterFlags& flags,
                                    const Target& target, const Selectors& selectors) {
  const absl::StatusOr<std::unique_ptr<Cluster>> cluster = session.Connect(flags);
  if (!cluster.ok()) return {};
  return (*cluster)->Glance(target, selectors, kOfferLimits);
}

Candidates NamesNow(Session& session, const ClusterFlags& flags, const Target& target,
                    const Selectors& selectors) {
  Candidates out;
  for (const types::Json& object : ObjectsNow(session, flags, target, selectors)) {
    AddPlain(NameIn(object), &out);
  }
  return out;
}

constexpr char kOfferJobLabel[] = "volcano.sh/job-name";

}  // namespace

Offer OfferNames(const ClusterFlags* cluster, const types::ResourceType& type,
                 const std::string* ns) {
  return [cluster, &type, ns](Session& session, std::string_view) {
    return NamesNow(session, *cluster, {type, ns == nullptr ? "" : *ns, ""}, {});
  };
}

Offer OfferNamespaces(const ClusterFlags* cluster) {
  return OfferNames(cluster, types::ResourceTraits<types::Namespace>::type(), nullptr);
}

Offer OfferPodsOfJob(JobPlace place) {
  return [place](Session& session, std::string_view) {
    const types::ResourceType& type = types::ResourceTraits<types::Pod>::type();
    const std::string labels = StrCat(kOfferJobLabel, place.job->empty() ? "" : "=", *place.job);
    return NamesNow(session, *place.cluster, {type, *place.ns, ""}, {labels, ""});
  };
}

Offer OfferTasksOfJob(JobPlace place) {
  return [place](Session& session, std::string_view) {
    const types::ResourceType& type = types::ResourceTraits<types::BatchJob>::type();
    const std::string one = place.job->empty() ? "" : StrCat("metadata.name=", *place.job);
    Candidates out;
    for (const types::Json& job :
         ObjectsNow(session, *place.cluster, {type, *place.ns, ""}, {"", one})) {
      for (const types::Json& task : job.At({"spec", "tasks"}).items()) {
        AddPlain(task["name"].AsString(), &out);
      }
    }
    return out;
  };
}

}  // namespace bth::cli
