/** A part of a long text that is drawn as one. */
export interface TextChunk {
  readonly start: number;
  readonly text: string;
  readonly lines: number;
}

const longestChunk = 4_000;

/** Parts of a text in order, cut at the ends of lines where there are any. */
export function textChunks(text: string, longest = longestChunk): TextChunk[] {
  const chunks: TextChunk[] = [];
  for (let start = 0; start < text.length; ) {
    const end = chunkEnd(text, start, longest);
    const part = text.slice(start, end);
    chunks.push({ start, text: part, lines: part.split('\n').length - (part.endsWith('\n') ? 1 : 0) });
    start = end;
  }
  return chunks;
}

function chunkEnd(text: string, start: number, longest: number): number {
  const end = start + longest;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1);
  if (line >= start) return line + 1;
  const isInPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return isInPair && longest > 1 ? end - 1 : end;
}

/** The chunk that holds a place of the text. */
export function chunkAt(chunks: readonly TextChunk[], place: number): number {
  const next = chunks.findIndex(({ start }) => start > place);
  return next === -1 ? Math.max(chunks.length - 1, 0) : Math.max(next - 1, 0);
}
