import { Activity } from 'lucide-react';
import { useEffect, useState } from 'react';
import { usePageKeys } from '../../../app/keys.ts';
import { EmptyState } from '../../../kit/page.tsx';
import { eventIndexOf, eventName, type TrialAddress } from '../use-trial-address.ts';
import { hitNumber, nextHit } from './marks.ts';
import { TraceList } from './trace-list.tsx';
import { TraceToolbar } from './trace-toolbar.tsx';
import { useTraceView } from './use-trace.ts';

interface TracePanelProps {
  readonly trialId: string;
  readonly total: number;
  readonly lengthMs: number;
  readonly address: TrialAddress;
  /** On a page that must not reveal how the trial ended and that has its own keys. */
  readonly isBlind?: boolean;
}

/** The trace as a timeline that can be searched, filtered and walked through. */
export function TracePanel({ trialId, total, lengthMs, address, isBlind = false }: TracePanelProps) {
  const { search, visit, change } = address;
  const view = useTraceView(trialId, total, search);
  const { hits, rows, groups, setOpenness } = view;
  const pointedAt = search.event === undefined ? undefined : eventIndexOf(search.event, total);
  const toHit = (direction: 1 | -1): void => {
    const hit = nextHit(hits ?? [], pointedAt, direction);
    if (hit !== undefined) change({ event: eventName(hit), quote: undefined });
  };
  const step = useStepToHit(search.text ?? '', hits, toHit, change);
  const toPreviousHit = (): void => toHit(-1);
  usePageKeys(isBlind ? {} : { n: () => toHit(1), N: toPreviousHit });
  if (total === 0) return <EmptyState icon={<Activity size={20} />} title="Nothing was recorded in this trial" />;
  return (
    <section aria-label="Trace" className="flex h-full min-h-0 flex-col">
      <TraceToolbar
        total={total}
        shown={rows.count}
        isShownComplete={view.areRowsComplete}
        find={search.text ?? ''}
        hits={hits && { count: hits.length, number: hitNumber(hits, pointedAt), isComplete: view.areHitsComplete }}
        view={view.kind}
        groups={groups}
        onFind={(text) => change({ text: text === '' ? undefined : text })}
        onHit={toHit}
        onStep={step}
        onView={(kind) => change({ view: kind === 'list' ? undefined : kind })}
        onGroups={(chosen) => change({ type: chosen.length === 0 ? undefined : chosen.join(',') })}
        onOpenAll={() => setOpenness(() => ({ rule: 'all', exceptions: new Map() }))}
        onCloseAll={() => setOpenness(() => ({ rule: 'none', exceptions: new Map() }))}
      />
      <TraceList
        trialId={trialId}
        total={total}
        lengthMs={lengthMs}
        view={view}
        pointedAt={pointedAt}
        visit={visit}
        isLinked={!isBlind}
      />
    </section>
  );
}

/** Goes to a hit of the text in the field; those that are still looked for are waited for. */
export function useStepToHit(
  find: string,
  hits: readonly number[] | undefined,
  toHit: (direction: 1 | -1) => void,
  change: TrialAddress['change'],
): (direction: 1 | -1, text: string) => void {
  const [awaited, setAwaited] = useState<{ readonly text: string; readonly direction: 1 | -1 }>();
  useEffect(() => {
    if (!awaited || awaited.text !== find || hits === undefined) return;
    setAwaited(undefined);
    toHit(awaited.direction);
  });
  return (direction, text) => {
    if (text === find && hits !== undefined) return toHit(direction);
    setAwaited({ text, direction });
    if (text !== find) change({ text, event: undefined, quote: undefined });
  };
}
