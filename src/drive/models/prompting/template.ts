/** Puts texts into the places of a template. */
export type Template = (parts: Readonly<Record<string, string>>) => string;

/**
 * A text with places such as `{{task}}`, taken apart once. All are filled in one pass, so text that looks like a place
 * inside the data stays data; a place that is given no text stays as it is.
 */
export function templateOf(text: string): Template {
  const [start = '', ...pieces] = text.split(/\{\{(\w+)\}\}/);
  const places = pieces.flatMap((name, index) => (index % 2 === 0 ? [{ name, after: pieces[index + 1] ?? '' }] : []));
  return (parts) =>
    places
      .reduce(
        (filled, { name, after }) =>
          filled + ((Object.hasOwn(parts, name) ? parts[name] : undefined) ?? `{{${name}}}`) + after,
        start,
      )
      .trimEnd();
}
