#include "apiserver/rest/write_context.h"

namespace bth::apiserver {

WriteContext ContextOf(const Core& core, const ApiRequest& request, Operation operation) {
  WriteContext write;
  write.operation = operation;
  write.type = request.type;
  write.ns = request.ns;
  write.subresource = request.subresource;
  write.request = &request;
  write.user = request.user;
  write.dry_run = request.dry_run;
  write.now = core.Now();
  return write;
}

}  // namespace bth::apiserver
