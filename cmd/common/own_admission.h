// The product's own webhooks inside the embedded API server: stages of its writes, without HTTP.
#pragma once

#include "admission/rules/known.h"
#include "apiserver/api_server.h"

namespace bth::cmd {

// From now on every write of an object that a webhook of vc-webhook-manager looks at passes its
// rule: the server answers as if the webhooks were registered and never failed. Objects that are in
// the store already are left as they are, and so are those of the namespaces kube-system and
// volcano-system. Rules see queues and namespaces as they are at that moment. Before the first
// request; once.
void AddOwnAdmission(apiserver::ApiServer& server, admission::Settings settings);

}  // namespace bth::cmd
