// Who may submit to which queue: what a request submits to, what is asked about it, how a refusal
// reads. Optional; the asking is done by the webhook server. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/known.h"
#include "admission/rules/request.h"

namespace bth::admission {

// Exactly one of the two is set.
struct QueueSubmission {
  std::string queue;
  // A PodGroup in the request's namespace, whose spec.queue it is; "" there is "default". While
  // there is none, nothing is submitted: the pod waits for it, and who makes it is asked then.
  std::string pod_group;
  friend bool operator==(const QueueSubmission&, const QueueSubmission&) = default;
};

// Of jobs, pod groups, cron jobs and job templates spec.queue; of job flows those of the templates
// that they name and that are there, and those that their patches name, by name, each once; of pods
// of ours their PodGroup's, and that in which the controllers are going to make one for them, if
// they name none or one of the controllers' names. On UPDATE only those that the object did not
// have. Empty: the request submits to no queue.
std::vector<QueueSubmission> SubmissionsOf(const Request& request, const Settings& settings,
                                           const Known& known);

// The SubjectAccessReview that asks: may this user create queues/submit of that name?
Json SubmitReview(const UserInfo& user, std::string_view queue);

// Who, which queue, and the rule of a ClusterRole that would allow it.
Verdict RefuseSubmission(const UserInfo& user, std::string_view queue);

}  // namespace bth::admission
