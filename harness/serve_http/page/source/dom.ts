// Elements from plain values. Texts only ever become text nodes: nothing that is recorded is read as HTML.
import { kept } from './kept';

export type Child = Node | string | number | null | undefined | false | Child[];
type Properties = Record<string, unknown>;

const kSvg = 'http://www.w3.org/2000/svg';

function add(parent: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => add(parent, one));
  else parent.append(child instanceof Node ? child : String(child));
}

function dress(element: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'style') Object.assign((element as HTMLElement).style, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  dress(element, properties);
  add(element, children);
  return element;
}

export function svg(tag: string, properties: Properties = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(kSvg, tag) as SVGElement;
  dress(element, properties);
  add(element, children);
  return element;
}

export function put(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

/// Where a page's links lead without leaving it; words alone where there is no other page.
export function link(to: string, ...children: Child[]): HTMLElement {
  return kept ? h('span', {}, ...children) : h('a', { href: to }, ...children);
}
