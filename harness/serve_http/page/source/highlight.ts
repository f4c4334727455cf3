// CUDA C++ in colours: enough for reading, one pass, and every part a text node.
import { h } from './dom';

const kKeywords = new Set(('alignas auto bool break case catch char class const constexpr consteval continue decltype default delete do double else enum explicit ' +
  'extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public register return short ' +
  'signed sizeof static static_assert static_cast reinterpret_cast const_cast dynamic_cast struct switch template this throw true try typedef typename union ' +
  'unsigned using virtual void volatile while').split(' '));
const kCuda = new Set(('__global__ __device__ __host__ __shared__ __constant__ __launch_bounds__ __restrict__ __forceinline__ __noinline__ __syncthreads ' +
  'threadIdx blockIdx blockDim gridDim warpSize asm half bfloat16 __half __nv_bfloat16 float2 float4 int4 uint4 size_t uint32_t uint64_t int32_t').split(' '));

const kToken = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(^[ \t]*#[^\n]*)|(\b\d[\w.']*)|([A-Za-z_]\w*)/gm;

/// A list of lines, each a list of nodes. A comment over several lines is one on each.
export function highlighted(source: string): Node[][] {
  const lines: Node[][] = [[]];
  const push = (text: string, name: string): void => {
    text.split('\n').forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part) lines.at(-1)!.push(name ? h('span', { class: name }, part) : document.createTextNode(part));
    });
  };
  let at = 0;
  for (const match of source.matchAll(kToken)) {
    if (match.index > at) push(source.slice(at, match.index), '');
    const [text, comment, literal, directive, number, word] = match;
    push(text, comment ? 'hc' : literal ? 'hs' : directive ? 'hd' : number ? 'hn' : word && kKeywords.has(word) ? 'hk' : word && kCuda.has(word) ? 'hg' : '');
    at = match.index + text.length;
  }
  push(source.slice(at), '');
  return lines;
}

export interface Beside { text: string; part: number; title: string }   // `part`: of the whole, as a bar behind it

/// Lines with numbers; `beside`: what stands at the left of a line (counts of a profile).
export function listing(source: string, beside: Map<number, Beside> = new Map()): HTMLElement {
  const lines = highlighted(source.endsWith('\n') ? source.slice(0, -1) : source);
  const cell = (found: Beside | undefined): HTMLElement => h('td', { class: 'beside', title: found?.title }, found ? [h('i', { style: { width: `${(found.part * 100).toFixed(1)}%` } }), h('span', {}, found.text)] : '');
  return h('div', { class: 'code', tabindex: 0 }, h('table', { class: beside.size ? 'counted' : '' }, h('tbody', {},
    lines.map((nodes, at) => h('tr', { id: `L${at + 1}`, class: (beside.get(at + 1)?.part ?? 0) > 0.08 ? 'marked' : null },
      beside.size ? cell(beside.get(at + 1)) : null,
      h('td', { class: 'at' }, h('a', { href: `#L${at + 1}` }, at + 1)), h('td', { class: 'line' }, nodes))))));
}

/// A unified diff.
export function diff_listing(text: string): HTMLElement {
  let old_at = 0, new_at = 0;
  const rows = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) { old_at = Number(hunk[1]); new_at = Number(hunk[2]); return h('tr', { class: 'hunk' }, h('td', { class: 'at' }), h('td', { class: 'at' }), h('td', { class: 'line' }, line)); }
    if (line.startsWith('---') || line.startsWith('+++')) return null;
    const sign = line[0] ?? ' ';
    const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : '';
    const code = highlighted(line.slice(1))[0] ?? [];
    return h('tr', { class: kind }, h('td', { class: 'at' }, sign === '+' ? '' : old_at++), h('td', { class: 'at' }, sign === '-' ? '' : new_at++),
      h('td', { class: 'line' }, h('i', { class: 'sign' }, sign), code));
  });
  return h('div', { class: 'code', tabindex: 0 }, h('table', { class: 'diff' }, h('tbody', {}, rows)));
}
