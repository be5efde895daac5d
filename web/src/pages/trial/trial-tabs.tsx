import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { type Tab, Tabs } from '../../kit/tabs.tsx';
import { ArtifactsTab } from './artifacts-tab.tsx';
import { eventIndexOf } from './evidence-index.ts';
import { FilesTab } from './files-tab.tsx';
import { Findings } from './findings/findings.tsx';
import type { ShowQuote } from './findings/judged-criteria.tsx';
import { RecordTab } from './record-tab.tsx';
import { TracePanel } from './trace/trace-panel.tsx';
import { useEventsOfTypes } from './trace/use-events-of-types.ts';
import { useMedia } from './use-media.ts';
import { useTrialAddress } from './use-trial-address.ts';

const fileTypes = ['file-change'];

/** Results and trace, beside each other where there is room, and otherwise one at a time. */
export function TrialTabs({ trial }: { trial: TrialDetail }) {
  const { record, eventCount, artifacts } = trial;
  const address = useTrialAddress(record.trialId);
  const isWide = useMedia('(min-width: 80rem)');
  const files = useEventsOfTypes(record.trialId, fileTypes);
  const tabs: readonly Tab[] = [
    { key: 'results', label: 'Results' },
    ...(isWide ? [] : [{ key: 'trace', label: 'Trace', count: eventCount }]),
    { key: 'files', label: 'Files', ...(files.indices && { count: files.indices.length }) },
    { key: 'artifacts', label: 'Artifacts', count: artifacts.length },
    { key: 'record', label: 'Record' },
  ];
  const usual = !isWide && address.search.event !== undefined ? 'trace' : 'results';
  const tab = tabs.find(({ key }) => key === address.search.tab)?.key ?? usual;
  const onQuote: ShowQuote = ({ event: name, quote }) => {
    const event = eventIndexOf(name, eventCount);
    if (event === undefined) return undefined;
    return () =>
      address.change({ event, quote, type: undefined, text: undefined, ...(isWide ? {} : { tab: 'trace' }) });
  };
  const trace = (
    <div className="h-[calc(100dvh-var(--bar-height)-1rem)] overflow-hidden rounded-lg border border-line bg-surface lg:h-[calc(100dvh-2rem)]">
      <TracePanel trialId={record.trialId} total={eventCount} lengthMs={record.durationMs ?? 0} address={address} />
    </div>
  );
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="min-w-0">
        <Tabs tabs={tabs} value={tab} label="Parts of the trial" onChange={(key) => address.change({ tab: key })}>
          {tab === 'results' && <Findings record={record} onQuote={onQuote} />}
          {tab === 'files' && <FilesTab trialId={record.trialId} eventCount={eventCount} indices={files.indices} />}
          {tab === 'artifacts' && <ArtifactsTab trial={trial} />}
          {tab === 'record' && <RecordTab record={record} />}
          {tab === 'trace' && trace}
        </Tabs>
      </div>
      {isWide && <div className="sticky top-4 min-w-0">{trace}</div>}
    </div>
  );
}
