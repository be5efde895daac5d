/** What can stand inside of an element; texts become text, whatever is in them. */
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

function addChildren(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) parent.append(child);
  }
}
