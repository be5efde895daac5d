import { Activity } from 'lucide-react';
import { usePageKeys } from '../../../app/keys.ts';
import { EmptyState } from '../../../kit/page.tsx';
import type { TrialAddress } from '../use-trial-address.ts';
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
  const toHit = (direction: 1 | -1): void => {
    const event = nextHit(hits ?? [], search.event, direction);
    if (event !== undefined) change({ event, quote: undefined });
  };
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
        hits={hits && { count: hits.length, number: hitNumber(hits, search.event), isComplete: view.areHitsComplete }}
        groups={groups}
        onFind={(text) => change({ text: text === '' ? undefined : text })}
        onHit={toHit}
        onGroups={(chosen) => change({ type: chosen.length === 0 ? undefined : chosen.join(',') })}
        onOpenAll={() => setOpenness(() => ({ rule: 'all', exceptions: new Map() }))}
        onCloseAll={() => setOpenness(() => ({ rule: 'none', exceptions: new Map() }))}
      />
      <TraceList
        trialId={trialId}
        total={total}
        lengthMs={lengthMs}
        view={view}
        pointedAt={search.event !== undefined && search.event < total ? search.event : undefined}
        visit={visit}
        isLinked={!isBlind}
      />
    </section>
  );
}
