import { grouped } from '../../../../shared/format.ts';
import { element } from './element.ts';

/** A list that shows its first items, and more of them on demand. */
export function inSteps<Item>(
  className: string,
  items: readonly Item[],
  step: number,
  itemOf: (item: Item) => HTMLElement,
): HTMLElement {
  const list = element('ul', { class: className }, ...items.slice(0, step).map(itemOf));
  if (items.length <= step) return list;
  let shown = step;
  const nextCount = (): number => Math.min(step * 10, items.length - shown);
  const showMore = (): void => {
    const added = items.slice(shown, shown + nextCount()).map(itemOf);
    list.append(...added);
    shown += added.length;
    button.textContent = `Show ${grouped(nextCount())} more`;
    button.hidden = shown >= items.length;
    added[0]?.querySelector('a')?.focus({ preventScroll: true });
  };
  const button = element(
    'button',
    { type: 'button', class: 'more', onclick: showMore },
    `Show ${grouped(nextCount())} more`,
  );
  return element('div', {}, list, button);
}
