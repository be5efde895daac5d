import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useEffect, useMemo, useRef } from 'react';
import { classes } from '../../../kit/classes.ts';
import { findMarks, type Mark, type Wanted } from './find-marks.ts';
import { MarkedText } from './marked-text.tsx';
import { chunkAt, textChunks } from './text-chunks.ts';
import { useMarkInView } from './use-mark-in-view.ts';

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
