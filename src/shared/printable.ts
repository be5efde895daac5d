/**
 * A text on one line without control characters and without those that turn the direction of writing around, so what a
 * tool says can neither steer the terminal it is shown on nor show something else than it is.
 */
export function printable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD');
}
