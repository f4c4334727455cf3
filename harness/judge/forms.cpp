#include "harness/judge/forms.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/core/generators.h"

namespace harness::judge {
namespace {

struct Form {
  const char* name;
  FormKind kind;
  double a = 0;
};

/// "lowered" goes beyond what an exponential in f32 can tell from zero, 2^-149 = exp(-103.3): a maximum that begins at
/// 0 leaves nothing to divide by. Of few spikes whoever looks at a part of the tensor finds nothing; they are so large
/// that among them there are some that overflow an exponential whose maximum was not taken away, but for one draw in a
/// thousand. What has been through half precision on the way is infinite in wide spikes.
constexpr Form kForms[] = {{"scaled 1e-2", FormKind::scaled, 1e-2},
                           {"scaled 1e2", FormKind::scaled, 1e2},
                           {"large", FormKind::scaled, 8},
                           {"spikes", FormKind::spikes},
                           {"few spikes", FormKind::few_spikes},
                           {"shifted", FormKind::shifted, 2},
                           {"lowered", FormKind::shifted, -120},
                           {"one-hot", FormKind::one_hot},
                           {"ramp", FormKind::ramp},
                           {"constant rows", FormKind::constant_rows},
                           {"wide spikes", FormKind::wide_spikes}};

/// Of "scaled 1e7"; nothing: it is no such form.
std::optional<double> scale_of(const std::string& form) {
  constexpr std::string_view kScaled = "scaled ";
  double scale = 0;
  if (!form.starts_with(kScaled)) return std::nullopt;
  const char* const end = form.data() + form.size();
  const auto [behind, wrong] = std::from_chars(form.data() + kScaled.size(), end, scale);
  return wrong == std::errc() && behind == end && std::isfinite(scale) ? std::optional(scale) : std::nullopt;
}

/// Magnitudes of every size up to the ends, and the ends themselves.
Change to_the_ends(const ValueDomain& domain) {
  const double most = std::max(std::fabs(domain.lo), std::fabs(domain.hi));
  return [=](double value, random::Words bits, const ElementPlace&) {
    if ((bits.w[0] & 7u) != 0) return value;
    const std::uint32_t choice = bits.w[1] & 3u;
    if (choice < 2) return choice == 0 ? domain.lo : domain.hi;
    const double along = static_cast<double>(bits.w[3]) * 0x1p-32;
    const double size = most > 1 ? std::exp2(along * std::log2(most)) : along * most;
    return domain.lo < 0 && (bits.w[2] & 1u) != 0 ? -size : size;
  };
}

Change few_nans() {
  return [](double value, random::Words bits, const ElementPlace& at) {
    return random::below(bits, at.elements) < 4 ? std::numeric_limits<double>::quiet_NaN() : value;
  };
}

double least_normal(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 0x1p-1022;
    case Dtype::f16:
      return 0x1p-14;
    case Dtype::e4m3:
      return 0x1p-6;
    case Dtype::e5m2:
      return 0x1p-14;
    default:
      return 0x1p-126;
  }
}

std::optional<Form> domain_form(const std::string& form, const Argument& argument) {
  if (!argument.values) return std::nullopt;
  const ValueDomain& domain = *argument.values;
  if (form == "denormals" && domain.denormals) return Form{"", FormKind::denormals, least_normal(argument.dtype)};
  if (form == "ties" && domain.ties) return Form{"", FormKind::ties};
  if (form == "sorted" && domain.sorted) return Form{"", FormKind::sorted};
  if (form == "infinities" && domain.infinities) return Form{"", FormKind::infinities};
  return std::nullopt;
}

std::optional<Form> known_form(const std::string& form, const Argument& argument) {
  if (const auto of_domain = domain_form(form, argument)) return of_domain;
  // Further out than half precision reaches: in f32 an honest exponential of values so large is off by a thousandth.
  const bool narrow = form == "wide spikes" && argument.dtype != Dtype::bf16;
  const auto* const row = std::ranges::find(kForms, narrow ? "few spikes" : form, &Form::name);
  if (row != std::end(kForms)) return *row;
  if (const auto scale = scale_of(form)) return Form{"", FormKind::scaled, *scale};
  return std::nullopt;
}

bool comes_in_forms(const Argument& argument) {
  const GeneratorKind* const kind = argument.gen ? find_generator(argument.gen->kind) : nullptr;
  return kind != nullptr && kind->has_forms && is_floating(argument.dtype);
}

}  // namespace

bool grants_form(const std::string& form, const Argument& argument) {
  if (!comes_in_forms(argument) || !argument.values) return false;
  return form == "ends" || (form == "nans" && argument.values->nan) || domain_form(form, argument);
}

std::optional<ValueForm> value_form(const std::string& form, const Argument& argument) {
  const std::optional<Form> known = comes_in_forms(argument) ? known_form(form, argument) : std::nullopt;
  if (!known) return std::nullopt;
  ValueForm made;
  made.kind = known->kind;
  made.a = known->a;
  made.stream = form_stream(argument);
  made.columns = place_of(argument, 0).columns;
  made.elements = place_of(argument, 0).elements;
  if (const auto& domain = argument.values) {
    made.bounded = 1;
    made.lo = domain->lo;
    made.hi = domain->hi;
  }
  return made;
}

std::uint64_t form_stream(const Argument& argument) {
  return random::stream_of((argument.name + ":form").c_str());
}

ElementPlace place_of(const Argument& argument, std::uint64_t element) {
  const auto columns =
      static_cast<std::uint64_t>(argument.shape.empty() ? 1 : std::max<std::int64_t>(1, argument.shape.back()));
  const auto elements = static_cast<std::uint64_t>(std::max<std::int64_t>(1, count_elements(argument)));
  return {element / columns, element % columns, columns, elements};
}

std::vector<double> planted_values(const std::string& form) {
  constexpr std::string_view kPlanted = "planted ";
  std::vector<double> values;
  if (!form.starts_with(kPlanted)) return values;
  const char* at = form.data() + kPlanted.size();
  for (const char* const end = form.data() + form.size(); at < end; ++at) {
    double value = 0;
    const auto [behind, wrong] = std::from_chars(at, end, value);
    if (wrong != std::errc() || !std::isfinite(value) || (behind != end && *behind != ' ')) return {};
    values.push_back(value);
    at = behind;
  }
  return values;
}

const std::vector<std::string>& draw_forms() {
  return draw_form_names();
}

bool is_form(const std::string& form) {
  return std::ranges::find(draw_forms(), form) != draw_forms().end() || scale_of(form) || !planted_values(form).empty();
}

Change form_change(const std::string& form, const Argument& argument) {
  if (!comes_in_forms(argument)) return nullptr;
  if (argument.values && form == "ends") return to_the_ends(*argument.values);
  if (argument.values && form == "nans" && argument.values->nan) return few_nans();
  if (std::vector<double> planted = planted_values(form); !planted.empty())
    return [planted = std::move(planted)](double value, random::Words bits, const ElementPlace& at) {
      const std::uint64_t place = at.row * at.columns + at.column;
      if (place < planted.size()) return planted[place];
      return (bits.w[0] & 7u) == 0 ? planted[bits.w[1] % planted.size()] : value;
    };
  return nullptr;
}

}  // namespace harness::judge
