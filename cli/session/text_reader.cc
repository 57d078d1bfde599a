#include "cli/session/text_reader.h"

#include <optional>
#include <string>
#include <utility>

namespace bth::cli {

TextReader::TextReader(client::ApiClient& api, client::ApiRequest request, Ears ears)
    : api_(api), ears_(std::move(ears)) {
  work_.Start(api_.executor(), Run(std::move(request)));
}

net::Awaitable<void> TextReader::Run(client::ApiRequest request) {
  const absl::Status status = co_await Read(std::move(request));
  status_ = status.ok() ? status : ears_.told(status);
  is_over_ = true;
  ears_.on_end();
}

net::Awaitable<absl::Status> TextReader::Read(client::ApiRequest request) {
  absl::StatusOr<client::TextStream> text = co_await api_.OpenText(std::move(request));
  if (!text.ok()) co_return text.status();
  for (;;) {
    absl::StatusOr<std::optional<std::string>> piece = co_await text->Next();
    if (!piece.ok()) co_return piece.status();
    if (!piece->has_value()) co_return absl::OkStatus();
    ears_.on_piece(**piece);
  }
}

}  // namespace bth::cli
