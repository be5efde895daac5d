/** A text on one line without control characters, so that what a tool says cannot steer the terminal it is shown on. */
export function printable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\u0000-\u001F\u007F-\u009F]/g, '\uFFFD');
}
