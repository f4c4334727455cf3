#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "harness/serve_http/reception.h"
#include "harness/serve_http/site.h"

namespace harness::http {

struct ServerOptions {
  SiteOptions site;
  int port = 8080;             // 0: any that is free
  int most_streams = 64;       // more listeners are told to poll
  int threads_for_pages = 16;  // besides one a stream
  std::chrono::milliseconds heartbeat{2000};
  ReceptionLimits reception;
};

/// A listening server. Its threads end with it.
class Server {
 public:
  /// Throws Error(environment) where it cannot listen; Error(bad_input) where no store can be read.
  Server(Shell& shell, ServerOptions options);
  ~Server();
  int port() const { return port_; }
  /// Serves until `stop` says so, which is asked twice a second.
  void serve(const std::function<bool()>& stop);

 private:
  struct Listener;
  int port_ = 0;
  std::unique_ptr<Listener> listener_;
};

}  // namespace harness::http
