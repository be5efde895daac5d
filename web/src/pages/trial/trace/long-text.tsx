import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useEffect, useMemo, useRef } from 'react';
import { classes } from '../../../kit/classes.ts';
import { findMarks, type Mark, markedPieces, type Wanted } from './marks.ts';
import { useMarkInView } from './use-cursor.ts';

/** A text in which what was looked for stands out. */
export function MarkedText({ text, start = 0, marks }: { text: string; start?: number; marks: readonly Mark[] }) {
  if (marks.length === 0) return <>{text}</>;
  return (
    <>
      {markedPieces(text, start, marks).map((piece) =>
        piece.isMarked ? (
          <mark key={piece.start} className="rounded-xs bg-error-ground text-ink outline outline-error/60">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** A part of a long text that is drawn as one. */
interface TextChunk {
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

/** Texts up to this length are drawn whole. */
const shortEnough = 8_000;
const lineHeightPx = 16;

/** A text of any length in a box of limited height; of a very long one only the part in view is drawn. */
export function LongText({
  text,
  label,
  wanted,
  height = 'usual',
}: {
  text: string;
  label: string;
  wanted: Wanted | undefined;
  height?: BoxHeight;
}) {
  const marks = useMemo(() => (wanted ? findMarks(text, wanted) : []), [text, wanted]);
  const isQuoted = wanted?.isQuote === true;
  const Drawn = text.length <= shortEnough ? ShortText : ChunkedText;
  return <Drawn text={text} label={label} marks={marks} isQuoted={isQuoted} height={height} />;
}

type BoxHeight = 'usual' | 'tall';

interface DrawnText {
  readonly text: string;
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly isQuoted: boolean;
  readonly height: BoxHeight;
}

function ShortText({ text, label, marks, isQuoted, height }: DrawnText) {
  const box = useRef<HTMLDivElement>(null);
  useMarkInView(box, isQuoted ? marks[0] : undefined);
  return (
    <TextBox label={label} ref={box} height={height}>
      <pre className="font-mono text-xs whitespace-pre-wrap">
        <MarkedText text={text} marks={marks} />
      </pre>
    </TextBox>
  );
}

function ChunkedText({ text, label, marks, isQuoted, height }: DrawnText) {
  const box = useRef<HTMLDivElement>(null);
  const chunks = useMemo(() => textChunks(text), [text]);
  const virtualizer = useVirtualizer({
    count: chunks.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (chunks[index]?.lines ?? 1) * lineHeightPx,
    overscan: 2,
  });
  const first = isQuoted ? marks[0] : undefined;
  useEffect(() => {
    if (first) virtualizer.scrollToIndex(chunkAt(chunks, first.start), { align: 'center' });
  }, [first, chunks, virtualizer]);
  useMarkInView(box, first);
  return (
    <TextBox label={label} ref={box} height={height}>
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const chunk = chunks[index];
          return (
            chunk && (
              <pre
                key={index}
                ref={virtualizer.measureElement}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                className="absolute top-0 left-0 w-full font-mono text-xs whitespace-pre-wrap"
              >
                <MarkedText text={chunk.text} start={chunk.start} marks={marks} />
              </pre>
            )
          );
        })}
      </div>
    </TextBox>
  );
}

function TextBox({
  label,
  ref,
  height,
  children,
}: {
  label: string;
  ref: Ref<HTMLDivElement>;
  height: BoxHeight;
  children: ReactNode;
}) {
  return (
    <div
      ref={ref}
      role="group"
      aria-label={label}
      tabIndex={0}
      className={classes(
        'overflow-auto rounded-md border border-line bg-raised/40 p-2',
        height === 'tall' ? 'max-h-[70dvh]' : 'max-h-96',
      )}
    >
      {children}
    </div>
  );
}
