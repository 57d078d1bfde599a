// Answers for people and simple clients.
#pragma once

#include <string>
#include <utility>

#include "net/http.h"

namespace bth::net {

// A page in plain text, UTF-8.
inline Response TextResponse(int status, std::string text) {
  Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

}  // namespace bth::net
