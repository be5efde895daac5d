const fillers = new Set(
  'a an and are as at be by can do for from has have in into is it its of on or that the their them then there these this those to tool use used uses using when which will with you your'.split(
    ' ',
  ),
);

/** The words of a name in snake_case, kebab-case, camelCase or with dots, in lower case. */
export function nameWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The words of a text that mean something, without their endings: `reads files` is `read file`. */
export function meaningfulWords(text: string): string[] {
  return nameWords(text)
    .filter((word) => !fillers.has(word))
    .map(stem);
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3);
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

const mostQuoted = 5;

/** Names for a sentence: the first few, and how many more there are. */
export function quoted(names: readonly string[]): string {
  const listed = names.slice(0, mostQuoted).map((name) => `\`${name}\``);
  const more = names.length - listed.length;
  return more > 0 ? `${listed.join(', ')} and ${more} more` : listed.join(', ');
}
