// A door in front of pages: only those come in whom the API server lets in.
#pragma once

#include <string_view>

#include "client/access_review.h"
#include "metrics/registry.h"
#include "net/http.h"

namespace bth::cmd {

// Where whoever comes through the API server's proxy of Services shows a token: the server keeps
// the usual field for itself.
inline constexpr std::string_view kProxiedToken = "Batholith-Authorization";

// Passes a request on when the owner of its bearer token may `get` its path, as a rule with
// nonResourceURLs allows it. Others get a Status document: 401 without a token or with an unknown
// one, 403 without permission, 429 while too many wait, 500 when the API server cannot be asked;
// the reason of the last is logged, once a minute at most. Everything but `pages` outlives the
// handler. Thread: the executor's.
net::Handler GuardPages(net::Executor& executor, client::AccessReview& review,
                        metrics::Registry& registry, net::Handler pages);

}  // namespace bth::cmd
