import { withVisibleMarks } from '../../../src/shared/text.ts';

/** Attributes that are read by people, in a tooltip or by a screen reader. */
const readAttributes = ['title', 'aria-label', 'aria-description', 'alt'] as const;

/**
 * The properties of an element whose texts hide no characters: those that turn the direction of writing around or have
 * no width are named. A value to edit or to copy is not a child, so it stays as it is.
 */
export function withVisibleProps(props: unknown): unknown {
  if (typeof props !== 'object' || props === null) return props;
  const given = props as Readonly<Record<string, unknown>>;
  let changed: Record<string, unknown> | null = null;
  const children = visible(given.children);
  if (children !== given.children) changed = { ...given, children };
  for (const name of readAttributes) {
    const text = visible(given[name]);
    if (text === given[name]) continue;
    changed ??= { ...given };
    changed[name] = text;
  }
  return changed ?? props;
}

/** The same value, unless it has a text that changes: React compares children by identity. */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return withVisibleMarks(value);
  if (!Array.isArray(value)) return value;
  const items = value.map(visible);
  return items.some((item, index) => item !== value[index]) ? items : value;
}
