// Serves the web page: queues, jobs and nodes, for a browser. It holds no data of the cluster: its
// script asks the API server that it came from, or came through, with the rights of the reader.
#pragma once

#include <string_view>

#include "net/http.h"

namespace bth::page {

// The folder of the page. Everything below it is the page's.
inline constexpr std::string_view kPath = "/ui";

// The page, and `others` for every other path. May be copied; thread: that of `others`.
net::Handler WithPage(net::Handler others);

}  // namespace bth::page
