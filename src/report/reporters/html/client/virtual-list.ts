import { grouped } from '../../../../shared/format.ts';
import { element } from './elements.ts';

/** A list that shows its first items, and more of them on demand. */
export function inSteps<Item>(
  className: string,
  items: readonly Item[],
  step: number,
  itemOf: (item: Item) => HTMLElement,
): HTMLElement {
  const list = element('ul', { class: className }, ...items.slice(0, step).map(itemOf));
  if (items.length <= step) return list;
  let count = step;
  const nextCount = (): number => Math.min(step * 10, items.length - count);
  const showMore = (): void => {
    const added = items.slice(count, count + nextCount()).map(itemOf);
    list.append(...added);
    count += added.length;
    button.textContent = `Show ${grouped(nextCount())} more`;
    button.hidden = count >= items.length;
    added[0]?.querySelector('a')?.focus({ preventScroll: true });
  };
  const button = element(
    'button',
    { type: 'button', class: 'more', onclick: showMore },
    `Show ${grouped(nextCount())} more`,
  );
  return element('div', {}, list, button);
}

/** Rows beyond the window, ready for scrolling. */
const spareRows = 8;

/** A list of any length of which only the rows in view exist. */
export class VirtualList<Item> {
  readonly element = element('ol', { class: 'virtual' });
  readonly #rowOf: (item: Item) => HTMLElement;
  readonly #heightPx: () => number;
  readonly #itemRole: string | undefined;
  readonly #visible = new Map<number, HTMLElement>();
  #items: readonly Item[] = [];

  constructor(
    rowOf: (item: Item) => HTMLElement,
    heightPx: () => number,
    roles?: { readonly list: string; readonly item: string },
  ) {
    this.#rowOf = rowOf;
    this.#heightPx = heightPx;
    this.#itemRole = roles?.item;
    if (roles) this.element.setAttribute('role', roles.list);
    this.element.addEventListener('keydown', (event) => this.#move(event));
  }

  /** Shows other items from the first on. */
  show(items: readonly Item[]): void {
    this.#items = items;
    for (const row of this.#visible.values()) row.remove();
    this.#visible.clear();
    this.update();
  }

  /** Makes the rows that came into view and drops those that left it; the one with the focus stays. */
  update(): void {
    const height = this.#heightPx();
    this.element.style.height = `${this.#items.length * height}px`;
    const top = -this.element.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / height) - spareRows);
    const last = Math.min(this.#items.length - 1, Math.ceil((top + window.innerHeight) / height) + spareRows);
    for (const [index, row] of this.#visible) {
      if ((index >= first && index <= last) || row.contains(document.activeElement)) continue;
      row.remove();
      this.#visible.delete(index);
    }
    for (let index = first; index <= last; index++) this.#place(index, height);
  }

  #place(index: number, height: number): HTMLElement | undefined {
    const item = this.#items[index];
    if (item === undefined) return undefined;
    const row = this.#visible.get(index) ?? this.#made(item, index);
    row.style.transform = `translateY(${index * height}px)`;
    return row;
  }

  #made(item: Item, index: number): HTMLElement {
    const role = this.#itemRole;
    const attributes = { role, 'aria-setsize': this.#items.length, 'aria-posinset': index + 1, 'data-index': index };
    const row = element('li', attributes, this.#rowOf(item));
    const next = [...this.#visible].filter(([other]) => other > index).sort(([a], [b]) => a - b)[0];
    this.element.insertBefore(row, next?.[1] ?? null);
    this.#visible.set(index, row);
    return row;
  }

  #move(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const ends: Readonly<Record<string, number>> = { Home: 0, End: this.#items.length - 1 };
    const row = event.target instanceof Element ? event.target.closest('li') : null;
    const wanted = ends[event.key] ?? Number(row?.dataset.index) + (steps[event.key] ?? Number.NaN);
    if (Number.isNaN(wanted)) return;
    event.preventDefault();
    const target = this.#place(Math.min(Math.max(wanted, 0), this.#items.length - 1), this.#heightPx());
    target?.querySelector('a')?.focus();
    target?.scrollIntoView({ block: 'nearest' });
    this.update();
  }
}
