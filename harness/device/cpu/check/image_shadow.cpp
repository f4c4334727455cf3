#include "harness/device/cpu/check/image_shadow.h"

#include <algorithm>

#include "harness/device/cpu/check/access_map.h"

namespace harness::cpu {
namespace {

bool is_view(const Executable& executable, const std::string& name) {
  const Argument* const argument = find_argument(executable.problem, name);
  return argument && argument->kind == ArgumentKind::view;
}

ImageShadow::Buffer describe(const Executable& executable, const ImageBuffer& buffer) {
  ImageShadow::Buffer described{buffer.name, static_cast<std::size_t>(buffer.offset),
                                static_cast<std::size_t>(buffer.bytes), true, false};
  if (const Argument* const argument = find_argument(executable.problem, buffer.name)) {
    described.writable = is_written(argument->kind);
    described.defined = argument->kind != ArgumentKind::output;
    return described;
  }
  for (const Workspace& workspace : executable.plan.workspaces)
    if (workspace.name == buffer.name) described.defined = workspace.zeroed;
  return described;
}

}  // namespace

ImageShadow::ImageShadow(const Executable& executable, std::span<const std::byte> image)
    : base_(reinterpret_cast<std::uintptr_t>(image.data())),
      bytes_(image.size()),
      shadow_(is_observed(executable.layout) ? kLineBytes : image.size()) {
  for (const ImageBuffer& buffer : executable.layout.buffers)
    if (buffer.bytes > 0 && !is_view(executable, buffer.name)) buffers_.push_back(describe(executable, buffer));
  std::sort(buffers_.begin(), buffers_.end(), [](const Buffer& a, const Buffer& b) { return a.offset < b.offset; });
  std::uint32_t next = 0;
  for (std::size_t line = 0; line < bytes_; line += kLineBytes) {
    while (next < buffers_.size() && buffers_[next].offset + buffers_[next].bytes <= line) ++next;
    first_.push_back(next);
  }
  for (const Buffer& buffer : buffers_)
    if (buffer.defined && !is_observed(executable.layout)) shadow_.set_written(buffer.offset, buffer.bytes);
}

const ImageShadow::Buffer* ImageShadow::at(std::size_t offset) const {
  for (std::size_t i = first_[offset / kLineBytes]; i < buffers_.size() && buffers_[i].offset <= offset; ++i)
    if (offset - buffers_[i].offset < buffers_[i].bytes) return &buffers_[i];
  return nullptr;
}

const ImageShadow::Buffer* ImageShadow::nearest(std::uintptr_t address) const {
  const auto distance = [&](const Buffer& buffer) {
    const std::uintptr_t start = base_ + buffer.offset, end = start + buffer.bytes;
    return address < start ? start - address : address - end;
  };
  const auto nearest = std::min_element(buffers_.begin(), buffers_.end(),
                                        [&](const Buffer& a, const Buffer& b) { return distance(a) < distance(b); });
  return nearest == buffers_.end() ? nullptr : &*nearest;
}

}  // namespace harness::cpu
