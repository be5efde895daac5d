import { useQuery } from '@tanstack/react-query';
import { changedWords, type Piece } from './changed-words.ts';

/** Both texts in pieces with the words that differ; undefined until they are known, null where too little is common. */
export function useChangedWords(a: string, b: string) {
  const { data } = useQuery({
    queryKey: ['changed-words', a, b],
    queryFn: () => changedWords(a, b),
    enabled: a !== '' && b !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return data;
}

/** A text whose changed words are marked in a colour. */
export function MarkedWords({ pieces, look }: { pieces: readonly Piece[]; look: string }) {
  return (
    <>
      {pieces.map(({ text, isChanged }, index) =>
        isChanged ? (
          <mark key={`${index + 1}`} className={`rounded-sm px-0.5 text-ink ${look}`}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </>
  );
}
