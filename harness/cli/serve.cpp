#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/serve_http/server.h"
#include "harness/system/interrupt.h"

// serve: the live page.
namespace harness {
namespace {

struct ServeArguments {
  http::ServerOptions options;
  std::string token_file;
};

int run_serve(ServeArguments arguments, Shell& shell) {
  http::SiteOptions& site = arguments.options.site;
  if (!arguments.token_file.empty()) site.token = http::read_token(arguments.token_file);
  if (!http::is_loopback(site.host)) {
    if (site.token.empty())
      throw bad_input(
          fmt::format("--host {} lets other machines ask; give --token-file FILE, a secret they must know", site.host));
    report::err("anybody on the way can read what is sent: put a reverse proxy with TLS before it\n");
  }
  catch_interrupts();
  http::Server server(shell, arguments.options);
  const bool ipv6 = site.host.find(':') != std::string::npos;
  report::err("http://{}:{}/ shows {}; Ctrl-C ends it\n", ipv6 ? "[" + site.host + "]" : site.host, server.port(),
              shell.store_path());
  server.serve(interrupted);
  return 0;
}

}  // namespace

void define_serve(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ServeArguments>();
  app.add_option("--host", arguments->options.site.host,
                 "The address to listen on; another than loopback needs a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  app.add_option("--port", arguments->options.port, "0 takes any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--token-file", arguments->token_file, "Its first line is what a browser must know")
      ->type_name("FILE");
  app.add_flag("--agents", arguments->options.site.agents,
               "Show only what agents may know: no seeds, tolerances or confirmations");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return run_serve(*arguments, shell); };
}

}  // namespace harness
