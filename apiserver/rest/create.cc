#include <utility>

#include "apiserver/rest/coerce_body.h"
#include "apiserver/rest/metadata.h"
#include "apiserver/rest/namespaces.h"
#include "apiserver/rest/output.h"
#include "apiserver/rest/write.h"
#include "apiserver/rest/write_context.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

constexpr int kNameAttempts = 8;

// One attempt under one name. AlreadyExists when the name is taken.
net::Awaitable<WriteResult> CreateOnce(std::shared_ptr<Core> core, const ApiRequest& request,
                                       Json object) {
  const bool named = !std::as_const(object)["metadata"]["name"].AsString().empty();
  BTH_CO_RETURN_IF_ERROR(PrepareCreate(*core, request, object));
  WriteContext write = ContextOf(*core, request, Operation::kCreate);
  write.name = std::as_const(object)["metadata"]["name"].AsString();
  write.object = std::move(object);
  write.name_is_generated = !named;
  BTH_CO_RETURN_IF_ERROR(CheckNamespace(*core, request, write.name));
  Collection& collection = core->CollectionOf(*request.type);
  if (core->stages.MayWait(write)) {
    absl::Status admitted = co_await core->stages.Run(write);
    BTH_CO_RETURN_IF_ERROR(admitted);
    BTH_CO_RETURN_IF_ERROR(CheckNamespace(*core, request, write.name));
  } else {
    BTH_CO_RETURN_IF_ERROR(core->stages.RunNow(write));
  }
  // Last, as with the real server: an invalid object is invalid whether or not its name is taken.
  // A webhook may have given it another name.
  const ObjectKey key{request.type->namespaced ? request.ns : "", write.name};
  if (collection.Get(key) != nullptr) co_return AlreadyExists(write.subject());
  Written written;
  written.created = true;
  written.warnings = std::move(write.warnings);
  written.object = std::move(write.object);
  BTH_CO_RETURN_IF_ERROR(CheckShape(written.object));
  ToStorage(*request.type, written.object);
  if (!request.dry_run) written.stored = core->store->Put(collection, &written.object);
  co_return written;
}

}  // namespace

net::Awaitable<WriteResult> Create(std::shared_ptr<Core> core, const ApiRequest& request,
                                   Json object) {
  BTH_CO_RETURN_IF_ERROR(MatchRequest(request, object));
  std::vector<std::string> warnings;
  BTH_CO_RETURN_IF_ERROR(CoerceBody(request, object, warnings));
  const Json& given = object;
  const bool named = !given["metadata"]["name"].AsString().empty();
  for (int attempt = 1;; ++attempt) {
    Json copy = object;
    WriteResult result = co_await CreateOnce(core, request, std::move(copy));
    if (result.ok()) {
      result->warnings.insert(result->warnings.begin(), warnings.begin(), warnings.end());
    }
    if (result.ok() || named || attempt == kNameAttempts || HttpCode(result.status()) != 409) {
      co_return result;
    }
  }
}

}  // namespace bth::apiserver
