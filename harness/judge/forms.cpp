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

template <double kFactor>
Change scaled(std::uint64_t, std::uint64_t) {
  return [](double value, random::Words, const ElementPlace&) { return value * kFactor; };
}

/// "lowered" goes beyond what an exponential in f32 can tell from zero, 2^-149 = exp(-103.3): a maximum that begins at
/// 0 leaves nothing to divide by.
template <double kOffset>
Change shifted(std::uint64_t, std::uint64_t) {
  return [](double value, random::Words, const ElementPlace&) { return value + kOffset; };
}

/// One element in 128.
Change spikes(std::uint64_t, std::uint64_t) {
  return [](double value, random::Words bits, const ElementPlace&) {
    return (bits.w[0] & 127u) == 0 ? value * 64 : value;
  };
}

/// About sixteen in the whole tensor: whoever looks at a part of it finds nothing. They are so large that among them
/// there are some that overflow an exponential whose maximum was not taken away, but for one draw in a thousand.
Change few_spikes(std::uint64_t, std::uint64_t) {
  return [](double value, random::Words bits, const ElementPlace& at) {
    return random::below(bits, at.elements) < 16 ? value * 512 : value;
  };
}

Change one_hot(std::uint64_t seed, std::uint64_t stream) {
  return [=](double, random::Words, const ElementPlace& at) {
    const std::uint64_t hot = random::below(random::words(seed, stream, at.row), static_cast<std::int64_t>(at.columns));
    return at.column == hot ? 1.0 : 0.0;
  };
}

Change constant_rows(std::uint64_t seed, std::uint64_t stream) {
  return [=](double, random::Words, const ElementPlace& at) {
    return random::normal(random::words(seed, stream, at.row));
  };
}

/// As few, of 70,000 to 140,000: what has been through half precision on the way is infinite there. Nothing is so large
/// in types that do not reach as far (in_form).
Change wide_spikes(std::uint64_t, std::uint64_t) {
  return [](double value, random::Words bits, const ElementPlace& at) {
    constexpr double kBeyondHalf = 7e4;
    if (random::below(bits, at.elements) >= 16) return value;
    const double size = kBeyondHalf * (1 + static_cast<double>(bits.w[1]) * 0x1p-32);
    return (bits.w[2] & 1u) != 0 ? size : -size;
  };
}

/// From -1 to 1 along a row; each row begins elsewhere.
Change ramp(std::uint64_t, std::uint64_t) {
  return [](double, random::Words, const ElementPlace& at) {
    constexpr double kGolden = 0.6180339887498949;
    const double along = (static_cast<double>(at.column) + 0.5) / static_cast<double>(at.columns);
    const double turned = along + kGolden * static_cast<double>(at.row);
    return 2 * (turned - std::floor(turned)) - 1;
  };
}

struct Form {
  const char* name;
  Change (*change)(std::uint64_t seed, std::uint64_t stream);
};

constexpr Form kForms[] = {{"nominal", nullptr},
                           {"scaled 1e-2", scaled<1e-2>},
                           {"scaled 1e2", scaled<1e2>},
                           {"large", scaled<8.0>},
                           {"spikes", spikes},
                           {"few spikes", few_spikes},
                           {"shifted", shifted<2.0>},
                           {"lowered", shifted<-120.0>},
                           {"one-hot", one_hot},
                           {"ramp", ramp},
                           {"constant rows", constant_rows},
                           {"wide spikes", wide_spikes}};

/// Of "scaled 1e7"; nothing: it is no such form.
std::optional<double> scale_of(const std::string& form) {
  constexpr std::string_view kScaled = "scaled ";
  double scale = 0;
  if (!form.starts_with(kScaled)) return std::nullopt;
  const char* const end = form.data() + form.size();
  const auto [behind, wrong] = std::from_chars(form.data() + kScaled.size(), end, scale);
  return wrong == std::errc() && behind == end && std::isfinite(scale) ? std::optional(scale) : std::nullopt;
}

/// Few of the whole tensor.
bool is_one_of_few(random::Words bits, const ElementPlace& at) {
  return random::below(bits, at.elements) < 4;
}

double with_sign(double magnitude, random::Words bits, const ValueDomain& domain) {
  return domain.lo < 0 && (bits.w[2] & 1u) != 0 ? -magnitude : magnitude;
}

/// Magnitudes of every size up to the ends, and the ends themselves.
Change to_the_ends(const ValueDomain& domain) {
  const double most = std::max(std::fabs(domain.lo), std::fabs(domain.hi));
  return [=](double value, random::Words bits, const ElementPlace&) {
    if ((bits.w[0] & 7u) != 0) return value;
    const std::uint32_t choice = bits.w[1] & 3u;
    if (choice < 2) return choice == 0 ? domain.lo : domain.hi;
    const double along = static_cast<double>(bits.w[3]) * 0x1p-32;
    return with_sign(most > 1 ? std::exp2(along * std::log2(most)) : along * most, bits, domain);
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

Change denormal(const ValueDomain& domain, Dtype dtype) {
  return [=, least = least_normal(dtype)](double value, random::Words bits, const ElementPlace&) {
    if ((bits.w[0] & 7u) != 0) return value;
    return with_sign(least * static_cast<double>(bits.w[1]) * 0x1p-32, bits, domain);
  };
}

/// One of four numbers each.
Change ties() {
  return [](double, random::Words bits, const ElementPlace&) { return static_cast<double>(bits.w[0] & 3u) - 1; };
}

/// Every second row falls.
Change sorted() {
  return [](double, random::Words bits, const ElementPlace& at) {
    const double within = static_cast<double>(bits.w[0]) * 0x1p-32;
    const double along = (static_cast<double>(at.column) + within) / static_cast<double>(at.columns);
    return (at.row % 2 == 0 ? 1 : -1) * (6 * along - 3);
  };
}

}  // namespace

Change domain_change(const std::string& form, const Argument& argument) {
  if (!argument.values) return nullptr;
  const ValueDomain domain = *argument.values;
  if (form == "ends") return to_the_ends(domain);
  if (form == "denormals" && domain.denormals) return denormal(domain, argument.dtype);
  if (form == "ties" && domain.ties) return ties();
  if (form == "sorted" && domain.sorted) return sorted();
  const bool infinite = form == "infinities" && domain.infinities;
  if (!infinite && !(form == "nans" && domain.nan)) return nullptr;
  return [=](double value, random::Words bits, const ElementPlace& at) {
    if (!is_one_of_few(bits, at)) return value;
    using limits = std::numeric_limits<double>;
    return infinite ? with_sign(limits::infinity(), bits, domain) : limits::quiet_NaN();
  };
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

Change form_change(const std::string& form, std::uint64_t seed, std::uint64_t stream) {
  if (const auto scale = scale_of(form); scale && std::ranges::find(kForms, form, &Form::name) == std::end(kForms))
    return [factor = *scale](double value, random::Words, const ElementPlace&) { return value * factor; };
  if (std::vector<double> planted = planted_values(form); !planted.empty())
    return [planted = std::move(planted)](double value, random::Words bits, const ElementPlace& at) {
      const std::uint64_t place = at.row * at.columns + at.column;
      if (place < planted.size()) return planted[place];
      return (bits.w[0] & 7u) == 0 ? planted[bits.w[1] % planted.size()] : value;
    };
  const auto row = std::ranges::find(kForms, form, &Form::name);
  return row == std::end(kForms) || row->change == nullptr ? nullptr : row->change(seed, stream);
}

}  // namespace harness::judge
