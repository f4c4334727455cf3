#pragma once
#include "harness/core/error.h"

namespace harness {

/// The store failed, and not what was being done: a campaign then ends with store_error.
struct StoreFailure : Error {
  using Error::Error;
};

/// Calls into the ledger; its Errors become StoreFailures of the same kind and words.
template <typename Call>
auto stored(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const Error& error) {
    throw StoreFailure(error.kind(), error.what());
  }
}

}  // namespace harness
