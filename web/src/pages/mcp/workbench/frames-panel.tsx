import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { Frame } from '../../../../../src/entry/server/api/workbench.ts';
import { counted, grouped } from '../../../../../src/shared/format.ts';
import { CodeBlock } from '../../../kit/code.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Card, EmptyState } from '../../../kit/page.tsx';
import { SearchInput } from '../../../kit/text-input.tsx';
import { frameText } from './json-text.ts';

const shownFrames = 200;

/** Every message of the protocol as it passed, the newest first. */
export function FramesPanel({ frames }: { frames: readonly Frame[] }) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = frames.filter(({ summary, text: frame }) => `${summary}\n${frame}`.toLowerCase().includes(wanted));
  const newest = found.slice(-shownFrames).reverse();
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <SearchInput value={text} onChange={setText} placeholder="Method or text" label="Search frames" />
        <p className="text-xs text-muted">
          {counted(found.length, 'frame')}
          {found.length > shownFrames && `, the last ${shownFrames} are shown`}. Secrets are masked.
        </p>
      </div>
      <Card isFlush>
        {newest.length === 0 && <EmptyState title="No frame yet" />}
        <ol aria-label="Frames" className="divide-y divide-line">
          {newest.map((frame) => (
            <li key={frame.sequence} className="px-4 py-1">
              <FrameRow frame={frame} />
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}

function FrameRow({ frame: { direction, summary, text, at, leftOut } }: { frame: Frame }) {
  const isOurs = direction === 'to-server';
  const Arrow = isOurs ? ArrowRight : ArrowLeft;
  const isProblem = summary.startsWith('error');
  return (
    <Disclosure
      summary={
        <span className="flex min-w-0 items-center gap-2 text-xs">
          <Arrow size={13} aria-hidden className={isOurs ? 'shrink-0 text-accent' : 'shrink-0 text-pass'} />
          <span className="sr-only">{isOurs ? 'to the server' : 'from the server'}</span>
          <code className={`min-w-0 flex-1 truncate font-mono ${isProblem ? 'text-fail' : ''}`}>{summary}</code>
          <span className="text-muted tabular-nums max-sm:hidden">{grouped(text.length + leftOut)} characters</span>
          <time className="text-muted tabular-nums">{timeText(at)}</time>
        </span>
      }
    >
      <CodeBlock text={frameText(text)} label={summary} />
      {leftOut > 0 && <p className="pt-1 text-xs text-muted">{grouped(leftOut)} characters are left out.</p>}
    </Disclosure>
  );
}

/** The time of day with milliseconds. */
function timeText(at: number): string {
  const date = new Date(at);
  const two = (value: number, width = 2): string => String(value).padStart(width, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`;
}
