const stringOrComment = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** JSON without its comments: they become as many spaces, so that every other character stays where it is. */
export function maskJsonComments(text: string): string {
  return text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : found.replace(/[^\n\r]/g, ' ')));
}
