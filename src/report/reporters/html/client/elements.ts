import type { Outcome } from '../../../../domain/outcome.ts';
import { withVisibleMarks } from '../../../../shared/text.ts';

/** Content of an element; a string always becomes text, never markup. */
export type Child = Node | string | null | undefined | false;

type Attribute = string | number | boolean | undefined | ((event: Event) => void);

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An element with attributes, listeners (`onclick`) and children; nothing is ever read as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  addChildren(made, children);
  return made;
}

/** The same for a shape of a drawing. */
export function shape<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS(svgNamespace, tag);
  setAttributes(made, attributes);
  addChildren(made, children);
  return made;
}

/** Puts other children in the place of those that an element has. */
export function replaceChildren(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  addChildren(parent, children);
}

function setAttributes(made: Element, attributes: Readonly<Record<string, Attribute>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice('on'.length), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
}

/** Characters in texts that turn the direction of writing around or have no width are named. */
function addChildren(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(typeof child === 'string' ? withVisibleMarks(child) : child);
  }
}

/** Every answer that something can have, with a mark that is distinct without its colour. */
const marks = {
  pass: ['✓', 'passed'],
  fail: ['✗', 'failed'],
  error: ['!', 'not judged'],
  skipped: ['–', 'skipped'],
  measured: ['·', 'measured'],
  'no-data': ['–', 'no data'],
  pending: ['…', 'pending'],
} as const;

export type State = keyof typeof marks;

/** An outcome in words. */
export function outcomeWord(outcome: Outcome): string {
  return marks[outcome][1];
}

/** Mark and word of an answer. */
export function badge(state: State): HTMLElement {
  const [mark, word] = marks[state];
  return element('span', { class: `badge ${state}` }, element('span', { 'aria-hidden': 'true' }, mark), word);
}

/** A heading with its content; nothing where there is no content. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  return element('section', { class: 'card' }, element('h2', {}, title), ...children);
}

/** A row of a table: its cells, and whether it is bad news. */
export interface TableRow {
  readonly cells: readonly Child[];
  readonly isProblem?: boolean | undefined;
}

/** A table that scrolls by itself when it is too wide; headers that begin with `#` are over numbers. */
export function table(name: string, headers: readonly string[], rows: readonly TableRow[]): HTMLElement {
  const isNumber = headers.map((header) => header.startsWith('#'));
  const cellClass = (index: number): string | undefined => (isNumber[index] ? 'number' : undefined);
  const head = headers.map((header, index) =>
    element('th', { scope: 'col', class: cellClass(index) }, header.replace(/^#/, '')),
  );
  const body = rows.map(({ cells, isProblem }) =>
    element(
      'tr',
      { class: isProblem ? 'problem' : undefined },
      ...cells.map((cell, index) => element('td', { class: cellClass(index) }, cell)),
    ),
  );
  return scrolling(
    name,
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)),
  );
}

/** Something wide in a box that can be scrolled with the keyboard too. */
export function scrolling(name: string, content: Node): HTMLElement {
  return element('div', { class: 'scrolling', role: 'region', 'aria-label': name, tabindex: '0' }, content);
}

/** A label with its value. */
export function fact(label: string, ...value: readonly Child[]): HTMLElement {
  return element('div', { class: 'fact' }, element('dt', {}, label), element('dd', {}, ...value));
}

/** A remark beside the results. */
export function remark(kind: 'note' | 'warning', ...children: readonly Child[]): HTMLElement {
  return element('p', { class: `remark ${kind}` }, ...children);
}

/** A text that is folded until it is opened. */
export function hidden(label: string, text: string): HTMLElement {
  return element('details', {}, element('summary', {}, label), element('pre', {}, text));
}
