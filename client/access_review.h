// Whether somebody who shows a token may read a page of ours: the API server is asked who that is
// (TokenReview) and what they may do (SubjectAccessReview), as its own programs ask it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "client/api_client.h"
#include "client/lru.h"
#include "net/awaitable.h"

namespace bth::client {

enum class Access { kAllowed, kUnauthenticated, kForbidden, kBusy };

struct AccessAnswer {
  Access access = Access::kUnauthenticated;
  std::string user;  // Known with kAllowed and kForbidden.
};

struct AccessReviewOptions {
  // How long an answer of either kind counts. A token that is withdrawn works this long at most.
  absl::Duration keep_for = absl::Seconds(10);
  // Answers kept; of each kind the one not used for longest goes first. Unknown tokens have a store
  // of their own: whoever sends many of them pushes out nobody's.
  int tokens_max = 128;
  int decisions_max = 1024;
  int asking_max = 16;  // Callers that wait for the API server at once; further ones: kBusy.
};

// Answers are kept by digest: no token stays in memory. Failures are not kept.
// Lifetime: shorter than `api`, longer than its coroutines. Thread: the executor's.
class AccessReview final {
 public:
  explicit AccessReview(ApiClient& api, AccessReviewOptions options = {});
  AccessReview(const AccessReview&) = delete;

  // May the owner of `token` get `path`, which is not one of the API server's? An error means that
  // the API server did not answer, or not to us (a role without `create` on both reviews).
  net::Awaitable<absl::StatusOr<AccessAnswer>> Ask(std::string token, std::string path);

 private:
  struct Owner {
    absl::Duration until;
    types::Json user;  // As in TokenReview's status.
  };
  struct Unknown {
    absl::Duration until;
  };
  struct Decision {
    absl::Duration until;
    bool allowed = false;
  };
  // The owner, null for a token that is nobody's.
  net::Awaitable<absl::StatusOr<types::Json>> OwnerOf(std::string token, std::string digest);
  net::Awaitable<absl::StatusOr<bool>> MayGet(types::Json user, std::string path,
                                              std::string digest);
  net::Awaitable<absl::StatusOr<types::Json>> Post(std::string group, std::string resource,
                                                   types::Json review);
  absl::Duration now() const { return api_.executor().Monotonic(); }

  ApiClient& api_;
  const AccessReviewOptions options_;
  Lru<Owner> owners_;        // By digest of the token.
  Lru<Unknown> unknown_;     // Likewise.
  Lru<Decision> decisions_;  // By digest of token and path.
  int asking_ = 0;
};

}  // namespace bth::client
