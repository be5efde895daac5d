/** A part of a text, and whether the other text has another one in its place. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** So much of what both texts share is kept beside a difference. */
const contextLength = 60;

/** The pieces with what both texts share cut down to what stands beside a difference. */
export function onlyChanges(pieces: readonly Piece[]): readonly Piece[] {
  if (!pieces.some(({ isChanged }) => isChanged)) return pieces;
  return pieces.map(({ text, isChanged }, index) => {
    const [before, after] = [index === 0 ? 0 : contextLength, index === pieces.length - 1 ? 0 : contextLength];
    if (isChanged || text.length <= before + after + 3) return { text, isChanged };
    return { text: `${text.slice(0, before)} … ${after === 0 ? '' : text.slice(-after)}`, isChanged };
  });
}

/** Texts that differ in more words have nothing in common, and comparing them takes long. */
const mostDifferences = 2_000;

/** Both texts in pieces, with the words that differ; null where they have too little in common. */
export async function changedWords(
  a: string,
  b: string,
): Promise<{ readonly a: readonly Piece[]; readonly b: readonly Piece[] } | null> {
  const { diffWordsWithSpace } = await import('diff');
  const parts = diffWordsWithSpace(a, b, { maxEditLength: mostDifferences });
  if (parts === undefined) return null;
  return {
    a: parts.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isChanged: removed })),
    b: parts.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isChanged: added })),
  };
}
