#include "harness/serve_mcp/lists.h"

namespace harness::mcp {
namespace {

json listed_resources(const std::vector<Resource>& resources, const char* list, const char* address) {
  json rows = json::array();
  for (const Resource& each : resources)
    rows.push_back(
        {{address, each.uri}, {"name", each.name}, {"description", each.description}, {"mimeType", each.mime}});
  return {{list, rows}};
}

}  // namespace

json listed(const std::vector<Tool>& tools) {
  json rows = json::array();
  // Hints that are as the protocol's defaults are left out: each client pays for every byte of this list.
  for (const Tool& each : tools) {
    json hints = {{"readOnlyHint", each.read_only}, {"openWorldHint", false}};
    if (!each.read_only && !each.destructive) hints["destructiveHint"] = false;
    if (!each.read_only && each.idempotent) hints["idempotentHint"] = true;
    json schema = each.input;
    schema.erase("additionalProperties");  // the server refuses what it does not know, with the nearest name
    rows.push_back({{"name", each.name},
                    {"description", each.description},
                    {"inputSchema", std::move(schema)},
                    {"annotations", std::move(hints)}});
  }
  return {{"tools", rows}};
}

json listed(const std::vector<Resource>& resources) {
  return listed_resources(resources, "resources", "uri");
}

json listed_templates(const std::vector<Resource>& templates) {
  return listed_resources(templates, "resourceTemplates", "uriTemplate");
}

json listed(const std::vector<Prompt>& prompts) {
  json rows = json::array();
  for (const Prompt& each : prompts) {
    json arguments = json::array();
    for (const Prompt::Argument& argument : each.arguments)
      arguments.push_back(
          {{"name", argument.name}, {"description", argument.description}, {"required", argument.required}});
    rows.push_back({{"name", each.name}, {"description", each.description}, {"arguments", arguments}});
  }
  return {{"prompts", rows}};
}

}  // namespace harness::mcp
