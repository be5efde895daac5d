/**
 * A value as JSON that can stand inside a script element: without `<` nothing in it can end the element, open a
 * comment or begin another script.
 */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}

/** Text as it may stand between tags and inside a quoted attribute. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
