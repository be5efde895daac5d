/** A text without halves of characters, which strict readers of UTF-8 refuse. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
