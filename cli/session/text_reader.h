// A text that is read while its command does something else.
#pragma once

#include <functional>
#include <string_view>

#include "absl/status/status.h"
#include "client/api_client.h"
#include "client/background.h"

namespace bth::cli {

// Reading ends with the object. Made by Cluster. Thread: the one that waits in the cluster's calls.
class TextReader final {
 public:
  struct Ears {
    std::function<void(std::string_view)> on_piece;
    std::function<absl::Status(const absl::Status&)> told;  // How a failure is told.
    std::function<void()> on_end;
  };
  // `api` outlives it.
  TextReader(client::ApiClient& api, client::ApiRequest request, Ears ears);
  TextReader(const TextReader&) = delete;

  bool is_over() const { return is_over_; }
  // How it ended.
  const absl::Status& status() const { return status_; }

 private:
  net::Awaitable<void> Run(client::ApiRequest request);
  net::Awaitable<absl::Status> Read(client::ApiRequest request);

  client::ApiClient& api_;
  const Ears ears_;
  bool is_over_ = false;
  absl::Status status_;
  client::Background work_;
};

}  // namespace bth::cli
