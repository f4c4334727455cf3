#pragma once
#include <functional>
#include <string>
#include <vector>

// A server that its clients reach by a socket of this machine: the judge's user runs it, and the client, another user
// or a container with this one file, connects.
namespace harness::mcp {

/// Serves each client that connects in a process of its own, until SIGINT or SIGTERM. `users`: whose processes may
/// connect, by number; the kernel says who they are. Throws Error: the socket cannot be made, or is in use.
void listen_at(const std::string& path, const std::vector<unsigned>& users,
               const std::function<void(int input, int output)>& serve);

/// Carries standard input to the server at a socket and its answers to standard output, until either ends.
/// Throws Error(environment) if nobody listens there, or this user is turned away.
void connect_to(const std::string& path);

}  // namespace harness::mcp
