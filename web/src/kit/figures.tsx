import type { PointerEvent } from 'react';
import { costText, percentText } from '../../../src/report/presentation/figures-text.ts';
import { formatDuration, grouped } from '../../../src/shared/format.ts';
import { useNow } from './use-now.ts';
import { agoText, fullTimeText } from './when-text.ts';

/** When something happened: how long ago, and in full when pointed at. */
export function When({ at }: { at: number }) {
  const now = useNow(30_000);
  const tellInFull = (event: PointerEvent<HTMLTimeElement>): void => {
    event.currentTarget.title = fullTimeText(at);
  };
  return (
    <time dateTime={isoText(at)} onPointerEnter={tellInFull} className="whitespace-nowrap">
      {agoText(at, now)}
    </time>
  );
}

/** How long something took. */
export function Duration({ ms }: { ms: number | null }) {
  return <Figure text={ms === null ? null : formatDuration(ms)} />;
}

/** What something cost. */
export function Money({ usd }: { usd: number | null }) {
  return <Figure text={usd === null ? null : costText(usd)} />;
}

/** A share. */
export function Percent({ value }: { value: number | null }) {
  return <Figure text={value === null ? null : percentText(value)} />;
}

/** How many. */
export function Count({ value }: { value: number | null }) {
  return <Figure text={value === null ? null : grouped(value)} />;
}

function Figure({ text }: { text: string | null }) {
  if (text === null)
    return (
      <span className="text-muted" title="not known">
        –
      </span>
    );
  return <span className="whitespace-nowrap tabular-nums">{text}</span>;
}

function isoText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
