// The way of one HTTP request through the server.
#pragma once

#include <memory>

#include "apiserver/rest/core.h"
#include "net/http.h"

namespace bth::apiserver {

// Answers one request; every failure is an answer with a Status document.
net::Awaitable<net::Response> Handle(std::shared_ptr<Core> core, net::Request request);

}  // namespace bth::apiserver
