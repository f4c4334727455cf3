#include "harness/serve_http/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <malloc.h>

#include <atomic>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "harness/core/error.h"
#include "harness/serve_http/reception.h"

namespace harness::http {
namespace {

Asked asked_of(const httplib::Request& request) {
  Asked asked;
  asked.method = request.method;
  asked.path = request.path;
  // A secret belongs into a body: an address is logged on its way, so its words are not read as a form's.
  const bool form_in_address = request.method == "POST" && request.target.find('?') != std::string::npos;
  if (!form_in_address)
    for (const auto& [name, value] : request.params) asked.words[name] = value;
  asked.asker = {request.get_header_value("Host"), request.get_header_value("Origin"),
                 request.get_header_value("Sec-Fetch-Site"), request.get_header_value("Sec-Fetch-Mode")};
  asked.authorization = request.get_header_value("Authorization");
  asked.cookie = request.get_header_value("Cookie");
  return asked;
}

void put(Answer answer, httplib::Response& response) {
  response.status = answer.status;
  Headers headers = confining_headers();
  for (const auto& own : answer.headers) {
    std::erase_if(headers, [&](const auto& usual) { return usual.first == own.first; });
    headers.push_back(own);
  }
  for (const auto& [name, value] : headers) response.set_header(name, value);
  response.set_header("Content-Type", answer.type);
  response.body = std::move(answer.body);  // megabytes, sometimes
}

/// cpp-httplib would compress a file for each request, with Brotli at its highest quality: half a second for the script
/// of the page. So it is not told what the client takes; files are compressed by gzip, once.
constexpr const char* kTakesGzip = "Harness-Takes-Gzip";

void keep_from_compressing(httplib::Request& request) {
  const bool gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
  request.headers.erase("Accept-Encoding");
  request.headers.erase(kTakesGzip);
  if (gzip) request.set_header(kTakesGzip, "yes");
}

std::string event_text(const LiveFeed::Moment& moment) {
  return fmt::format("id: {}\ndata: {}\n\n", moment.number, moment.text);
}

}  // namespace

class PackedFiles {
 public:
  /// The content of a file of ours as gzip; `tag` names its version.
  const std::string& packed(const std::string& tag, const std::string& content) {
    const std::lock_guard lock(mutex_);
    std::string& known = packed_[tag];
    if (known.empty()) {
      httplib::detail::gzip_compressor().compress(content.data(), content.size(), true,
                                                  [&](const char* text, std::size_t size) {
                                                    known.append(text, size);
                                                    return true;
                                                  });
    }
    return known;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> packed_;
};

/// A request that has come whole, and where its answer goes.
class Wire : public httplib::Stream {
 public:
  Wire(Connection& connection, std::size_t size) : connection_(connection), size_(size) {}
  bool is_readable() const override { return at_ < size_; }
  bool is_writable() const override { return true; }
  ssize_t read(char* text, std::size_t size) override {
    const std::size_t some = std::min(size, size_ - at_);
    std::copy_n(connection_.in.data() + at_, some, text);
    at_ += some;
    return static_cast<ssize_t>(some);
  }
  /// What is left of an answer is sent when the client takes it; a stream of events, which writes again, waits for
  /// that.
  ssize_t write(const char* text, std::size_t size) override {
    constexpr std::chrono::seconds kPatience{5};
    if (connection_.left() > 0 && !send_left(connection_, kPatience)) return -1;
    return send_now(connection_, text, size) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override { get_remote_ip_and_port(ip, port); }
  socket_t socket() const override { return connection_.socket; }

 private:
  Connection& connection_;
  const std::size_t size_;
  std::size_t at_ = 0;
};

/// Hands connections in as they come.
struct AtOnce : httplib::TaskQueue {
  void enqueue(std::function<void()> task) override { task(); }
  void shutdown() override {}
};

/// What knows HTTP; a Reception keeps its connections.
class Answerer : public httplib::Server {
 public:
  std::function<void(int)> take;
  /// Whether the client may ask again.
  bool answer(Connection& connection) {
    const std::size_t size = connection.whole ? whole_request(connection.in) : connection.in.size();
    const bool reads = connection.in.starts_with("GET ") || connection.in.starts_with("HEAD ");
    const bool last = !connection.whole || !reads || of_unknown_length(connection.in);
    Wire wire(connection, size);
    bool closed = false;
    const bool written = process_request(wire, last, closed, keep_from_compressing);
    connection.in.erase(0, size);
    return written && !closed && !last;
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    take(socket);
    return true;
  }
};

struct Server::Listener {
  Listener(Shell& shell, const ServerOptions& options)
      : site(shell, options.site), most_streams(options.most_streams), heartbeat(options.heartbeat) {
    server.new_task_queue = [] { return new AtOnce; };
    server.take = [this](int socket) { reception->take(socket); };
    server.set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(options.reception.idle).count());
    server.set_payload_max_length(4096);
    server.set_tcp_nodelay(true);
    // Not SO_REUSEPORT, the default: two servers would share a port, each with a part of the requests.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.Get("/live",
               [this](const httplib::Request& request, httplib::Response& response) { stream(request, response); });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      const std::string seen = request.get_header_value("If-None-Match");
      put(site.answer(asked_of(request)), response);
      if (response.status == 200 && !seen.empty() && seen == response.get_header_value("ETag")) {
        response.status = 304;
        response.body.clear();
      } else if (request.path.starts_with("/assets/")) {
        pack(request, response);
      }
    };
    server.Get(".*", answer);
    server.Post(".*", answer);
    server.Put(".*", answer);
    server.Delete(".*", answer);
    reception = std::make_unique<Reception>(options.reception, options.most_streams + options.threads_for_pages,
                                            [this](Connection& connection) { return server.answer(connection); });
  }

  void pack(const httplib::Request& request, httplib::Response& response) {
    const std::string tag = response.get_header_value("ETag");
    if (tag.empty()) return;
    response.set_header("Vary", "Accept-Encoding");
    if (!request.has_header(kTakesGzip)) return;
    response.body = packed_files.packed(tag, response.body);
    response.set_header("Content-Encoding", "gzip");
  }

  /// Each stream holds a thread; more than there are threads for would leave none for pages.
  void stream(const httplib::Request& request, httplib::Response& response) {
    if (const auto refused = site.refusal(asked_of(request))) return put(*refused, response);
    if (streams.fetch_add(1) >= most_streams) {
      --streams;
      response.set_header("Retry-After", "10");
      return put({503, "text/plain; charset=utf-8", "too many listeners: ask /live.json instead\n", {}}, response);
    }
    for (const auto& [name, value] : confining_headers()) response.set_header(name, value);
    response.set_header("Cache-Control", "no-store");
    auto told = std::make_shared<std::int64_t>(0);
    response.set_chunked_content_provider(
        "text/event-stream", [this, told](std::size_t, httplib::DataSink& sink) { return tell(*told, sink); },
        [this](bool) { --streams; });
  }

  /// Something is written at least once a heartbeat: only so is it noticed that nobody listens any more.
  bool tell(std::int64_t& told, httplib::DataSink& sink) {
    const LiveFeed::Moment moment = site.live().after(told, heartbeat);
    if (stopped) return false;
    const std::string text = moment.number > told ? event_text(moment) : std::string(":\n\n");
    told = moment.number;
    return sink.write(text.data(), text.size());
  }

  Site site;
  int most_streams;
  std::chrono::milliseconds heartbeat;
  std::atomic<int> streams{0};
  std::atomic<bool> stopped{false};
  PackedFiles packed_files;
  Answerer server;
  std::unique_ptr<Reception> reception;
};

Server::Server(Shell& shell, ServerOptions options) {
  signal(SIGPIPE, SIG_IGN);
  mallopt(M_ARENA_MAX, 2);             // else each of the threads keeps memory of its own
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // an answer of megabytes is given back once it is sent
  shell.rooms.page_record(shell.store_path(), SqlReach::everything);  // a store that cannot be read is told at once
  listener_ = std::make_unique<Listener>(shell, options);
  const std::string& host = options.site.host;
  port_ = options.port == 0 ? listener_->server.bind_to_any_port(host) : options.port;
  const bool bound = options.port == 0 ? port_ > 0 : listener_->server.bind_to_port(host, options.port);
  if (!bound)
    throw environment_error(fmt::format(
        "cannot listen on {} port {}; is another program there? Name another with --port", host, options.port));
}

Server::~Server() = default;

void Server::serve(const std::function<bool()>& stop) {
  std::thread serving([this] { listener_->server.listen_after_bind(); });
  while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  listener_->stopped = true;
  listener_->site.live().end();
  listener_->server.stop();
  serving.join();
}

}  // namespace harness::http
