#pragma once
#include <optional>
#include <string>

#include "harness/core/campaign_lesson.h"
#include "harness/service/shell.h"
#include "harness/service/templates/template_file.h"

namespace harness {

/// A page of the playbook to begin with: it loads as it is. With a lesson it tells what happened in the campaign and
/// speaks of the technique that gained most in it, or, where none gained, of the one that cost most.
std::string pattern_page_template(int id, const std::string& name, const std::optional<CampaignLesson>& lesson);

/// The page that `harness new pattern` writes, under the next free number from 201 on; with --campaign, from what the
/// store holds of it. Throws Error(bad_input): no name, a name that is taken, an unknown campaign.
std::vector<TemplateFile> pattern_files(const NewArguments& arguments, Shell& shell);

}  // namespace harness
