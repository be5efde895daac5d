/** Text of tools and files as one line of Markdown that shows it as it is: it cannot become markup. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, (character) => `\\${character}`);
}
