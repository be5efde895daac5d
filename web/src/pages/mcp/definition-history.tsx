import type { DefinitionHistory } from '../../../../src/entry/server/api/workbench.ts';
import { counted } from '../../../../src/shared/format.ts';
import { definitionHistoryQuery } from '../../data/workbench.ts';
import { changedLines } from '../../file-editor/changed-lines.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { DiffBlock, Mono } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { When } from '../../kit/figures.tsx';
import { RunIdLink } from '../../kit/trial-link.tsx';
import { useRead } from '../../kit/use-read.tsx';

type Version = DefinitionHistory['versions'][number];
type Change = Version['changes'][number];

/** How the tools of a server changed from run to run; with a session also since the last run. */
export function DefinitionHistoryView({ label, session }: { label: string; session?: string | undefined }) {
  const [data, instead] = useRead(definitionHistoryQuery(label, session), 3);
  if (!data) return instead;
  if (data.versions.length === 0) return <p className="text-muted">No stored run has listed its tools yet.</p>;
  return (
    <ol aria-label="Definition history" className="flex flex-col gap-4">
      {data.versions.map((version) => (
        <li key={version.runId ?? 'now'} className="flex flex-col gap-1.5">
          <VersionHead version={version} />
          {version.changes.map((change) => (
            <ChangeView key={change.tool} change={change} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function VersionHead({ version: { runId, seenAt, tools, isFirst, changes } }: { version: Version }) {
  const about = isFirst
    ? `first seen with ${counted(tools, 'tool')}`
    : changes.length === 0
      ? 'the same as in the last run'
      : `${counted(changes.length, 'tool')} of ${tools} changed`;
  return (
    <p className="text-sm">
      {runId === null ? (
        <span className="font-medium">This session</span>
      ) : (
        <RunIdLink runId={runId}>
          <When at={seenAt} />
        </RunIdLink>
      )}
      <span className="text-muted">: {about}</span>
    </p>
  );
}

const tones: Readonly<Record<Change['kind'], Tone>> = { added: 'info', removed: 'bad', changed: 'warn' };

function ChangeView({ change: { tool, kind, fields, before, after } }: { change: Change }) {
  const isKept =
    kind === 'added' ? after !== null : kind === 'removed' ? before !== null : before !== null && after !== null;
  const head = (
    <span className="flex flex-wrap items-center gap-2">
      <Mono>{tool}</Mono>
      <Badge tone={tones[kind]}>{kind}</Badge>
      {fields.length > 0 && <span className="text-xs text-muted">{fields.join(', ')}</span>}
    </span>
  );
  if (!isKept) {
    return (
      <div className="pl-5">
        {head}
        <p className="text-xs text-muted">
          Only the fingerprint of its definition was kept: suites keep whole definitions.
        </p>
      </div>
    );
  }
  return (
    <Disclosure summary={head} isOpen={kind === 'changed'}>
      <DiffBlock text={changedLines(jsonOf(before), jsonOf(after))} maxHeight={360} />
    </Disclosure>
  );
}

function jsonOf(definition: Change['before']): string {
  return definition === null ? '' : JSON.stringify(definition, null, 2);
}
