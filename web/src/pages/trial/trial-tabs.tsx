import { useMemo } from 'react';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { CopyButton, WithCode } from '../../kit/code.tsx';
import { type Tab, Tabs } from '../../kit/disclosure.tsx';
import { Card, Remark } from '../../kit/page.tsx';
import { useIsWide } from '../../kit/use-media.ts';
import { ArtifactsTab, FilesTab } from './files-tab.tsx';
import { Findings } from './findings/findings.tsx';
import type { ShowQuote } from './findings/judge-section.tsx';
import { ObservedSection } from './findings/observed-section.tsx';
import { LongText } from './trace/long-text.tsx';
import { TracePanel } from './trace/trace-panel.tsx';
import { useEventsOfTypes } from './trace/use-trace.ts';
import { TrialFacts } from './trial-facts.tsx';
import { eventIndexOf, useTrialAddress } from './use-trial-address.ts';
import { decidingFindings } from './what-happened/deciding.ts';
import { WhatHappened } from './what-happened/what-happened.tsx';

/** The record as it is stored. */
function RecordTab({ record }: { record: TrialRecord }) {
  const text = useMemo(() => JSON.stringify(record, null, 2), [record]);
  return (
    <Card title="The record as it is stored" actions={<CopyButton text={text} label="Copy the record" />}>
      <LongText text={text} label="Record as JSON" wanted={undefined} height="tall" />
    </Card>
  );
}

const fileTypes = ['file-change'];

/** The reason, results and trace of a trial; these beside each other where there is room, and otherwise one at a time. */
export function TrialTabs({ trial }: { trial: TrialDetail }) {
  const { record, eventCount, artifacts } = trial;
  const address = useTrialAddress(record.trialId);
  const isWide = useIsWide();
  const files = useEventsOfTypes(record.trialId, fileTypes);
  const tabs: readonly Tab[] = [
    { key: 'results', label: 'Results' },
    ...(isWide ? [] : [{ key: 'trace', label: 'Trace', count: eventCount }]),
    { key: 'files', label: 'Files', ...(files.indices && { count: files.indices.length }) },
    ...(isReport ? [] : [{ key: 'artifacts', label: 'Artifacts', count: artifacts.length }]),
    { key: 'record', label: 'Record' },
  ];
  const usual = !isWide && address.search.event !== undefined ? 'trace' : 'results';
  const tab = tabs.find(({ key }) => key === address.search.tab)?.key ?? usual;
  const showEvent = (event: string, quote?: string): void => {
    const whole = { type: undefined, text: undefined, view: undefined };
    address.change({ event, quote, ...whole, ...(isWide ? {} : { tab: 'trace' }) });
  };
  const onQuote: ShowQuote = ({ event: name, quote }) =>
    eventIndexOf(name, eventCount) === undefined ? undefined : () => showEvent(name, quote);
  const deciding = useMemo(() => decidingFindings(record), [record]);
  const trace = (
    <div className="h-[calc(100dvh-var(--bar-height)-1rem)] overflow-hidden rounded-lg border border-line bg-surface lg:h-[calc(100dvh-2rem)]">
      {trial.traceNote === null ? (
        <TracePanel trialId={record.trialId} total={eventCount} lengthMs={record.durationMs ?? 0} address={address} />
      ) : (
        <Remark tone="info">
          <WithCode text={trial.traceNote} />
        </Remark>
      )}
    </div>
  );
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <WhatHappened trial={trial} deciding={deciding} onQuote={onQuote} />
        <Tabs tabs={tabs} value={tab} label="Parts of the trial" onChange={(key) => address.change({ tab: key })}>
          {tab === 'results' && (
            <div className="flex flex-col gap-4">
              <Findings record={record} above={deciding} onQuote={onQuote} />
              <ObservedSection trial={trial} onEvent={showEvent} />
              <Card title="Facts">
                <TrialFacts trial={trial} />
              </Card>
            </div>
          )}
          {tab === 'files' && <FilesTab trialId={record.trialId} eventCount={eventCount} indices={files.indices} />}
          {!isReport && tab === 'artifacts' && <ArtifactsTab trial={trial} />}
          {tab === 'record' && <RecordTab record={record} />}
          {tab === 'trace' && trace}
        </Tabs>
      </div>
      {isWide && <div className="sticky top-4 min-w-0">{trace}</div>}
    </div>
  );
}
