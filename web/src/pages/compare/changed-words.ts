/** A part of a text, and whether the other text has another one in its place. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
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
