import { type Mark, markedPieces } from './find-marks.ts';

/** A text in which what was looked for stands out. */
export function MarkedText({ text, start = 0, marks }: { text: string; start?: number; marks: readonly Mark[] }) {
  if (marks.length === 0) return text;
  return markedPieces(text, start, marks).map((piece) =>
    piece.isMarked ? (
      <mark key={piece.start} className="rounded-xs bg-error-ground text-ink outline outline-error/60">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
