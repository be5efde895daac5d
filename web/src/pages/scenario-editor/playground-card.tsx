import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { Grid, GridRow } from '../../../../src/entry/server/api/grid.ts';
import type { RunHead } from '../../../../src/entry/server/api/runs.ts';
import { plainOutput, trialTitle } from '../../../../src/report/presentation/trial-text.ts';
import { api } from '../../data/api.ts';
import { namedPartsQuery, settingsQuery } from '../../data/project.ts';
import { runAddress } from '../../data/queries.ts';
import { OutcomeBadge, StatusBadge } from '../../kit/badge.tsx';
import { CodeBlock } from '../../kit/code.tsx';
import { Select, type SelectOption } from '../../kit/field.tsx';
import { Duration } from '../../kit/figures.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { useChange } from '../../kit/use-change.ts';
import { startRun } from '../runs/use-start-run.ts';
import type { ScenarioKind } from './scenario-kind.ts';

const asInFile = '';
const shownCases = 20;
const lookAgainMs = 500;

/** Tries the file once, against one connector or with one agent, and shows how it went without leaving the page. */
export function PlaygroundCard({
  file,
  kind,
  beforeRun,
}: {
  file: string;
  kind: ScenarioKind;
  beforeRun: () => Promise<boolean>;
}) {
  const start = useRunStart();
  const choices = useRunChoices(kind);
  const [who, setWho] = useState(asInFile);
  const [runId, setRunId] = useState<string | null>(null);
  const isOfConnectors = kind === 'conversation';
  const options = isOfConnectors ? choices.connectors : choices.agents;
  const go = async (): Promise<void> => {
    if (!(await beforeRun())) return;
    const chosen = who === asInFile ? {} : isOfConnectors ? { connectors: [who] } : { agents: [who] };
    const started = await start
      .mutateAsync({ paths: [file], repeat: 1, reuse: false, name: 'Playground', ...chosen })
      .catch(() => null);
    if (started !== null) setRunId(started.runId);
  };
  return (
    <Card
      title="Playground"
      actions={
        <>
          {options.length > 0 && (
            <Select
              label={isOfConnectors ? 'Connector to try' : 'Agent to try'}
              options={[{ value: asInFile, label: 'As in the file' }, ...options]}
              value={who}
              onChange={setWho}
            />
          )}
          <GuardedButton
            needs="run"
            size="sm"
            icon={<FlaskConical size={13} aria-hidden />}
            isBusy={start.isPending}
            onClick={() => void go()}
          >
            Try once
          </GuardedButton>
        </>
      }
    >
      {runId === null ? (
        <p className="text-muted">Saves the file, runs every case of it once and shows how it went.</p>
      ) : (
        <PlaygroundRun key={runId} runId={runId} />
      )}
    </Card>
  );
}

function PlaygroundRun({ runId }: { runId: string }) {
  const address = runAddress(runId);
  const run = useQuery({
    queryKey: ['run', runId, 'playground'],
    queryFn: async ({ signal }) => {
      const detail = await api.get<RunHead>(`${address}/head`, {}, signal);
      const cases = await api.get<Grid>(`${address}/cases`, { sort: 'problems', limit: shownCases }, signal);
      return { detail, cases: cases.items };
    },
    refetchInterval: ({ state }) => (state.data?.detail.isLive === false ? false : lookAgainMs),
  });
  if (run.error) return <ErrorView error={run.error} onRetry={() => void run.refetch()} />;
  if (run.data === undefined) return <p role="status">Starting …</p>;
  const { detail, cases } = run.data;
  return (
    <div role="status" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        {detail.isLive ? (
          <StatusBadge status={detail.status} isLive={detail.isLive} />
        ) : (
          <OutcomeBadge outcome={detail.outcome} marks={Object.keys(detail.marks)} />
        )}
        <span className="min-w-0 flex-1">{detail.reason}</span>
        <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
          Open the run
        </Link>
      </div>
      <ul className="flex flex-col divide-y divide-line">
        {cases.flatMap((row) => row.arms.map((arm) => <TriedCase key={arm.trialId} row={row} arm={arm} />))}
      </ul>
    </div>
  );
}

/** A case that was tried: what came back, and why it ended as it did. */
function TriedCase({ row, arm: { trialId, trials, answer, reason, variant, durationMs } }: TriedCaseProps) {
  const [trial] = trials;
  return (
    <li className="flex flex-col gap-1 py-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        {trial && <OutcomeBadge outcome={trial.outcome} marks={[]} />}
        <Link to="/trials/$trialId" params={{ trialId }} className="min-w-0 font-medium break-words hover:underline">
          {trialTitle({ ...row, variant, repeat: 1 })}
        </Link>
        <span className="text-xs text-muted">
          <Duration ms={durationMs} />
        </span>
      </div>
      {answer !== null && <CodeBlock label="Answer" text={plainOutput(answer)} />}
      <p className="text-muted">{reason}</p>
    </li>
  );
}

interface TriedCaseProps {
  readonly row: GridRow;
  readonly arm: GridRow['arms'][number];
}

/** Starts runs; a refusal becomes a message. */
function useRunStart() {
  return useChange({ send: startRun, stale: [['runs'], ['dashboard']] });
}

/** Who can take part in a run of a scenario of this kind: connectors of the project, or agents found here. */
function useRunChoices(kind: ScenarioKind): { connectors: SelectOption[]; agents: SelectOption[] } {
  const hasConnectors = kind === 'conversation';
  const hasAgents = kind === 'cli-tool' || kind === 'mcp-server';
  const { data: connectors } = useQuery({ ...namedPartsQuery('connectors'), enabled: hasConnectors });
  const { data: settings } = useQuery({ ...settingsQuery(), enabled: hasAgents });
  return {
    connectors: (hasConnectors ? (connectors?.items ?? []) : []).map(({ name, value }) => ({
      value: name,
      label: name,
      hint: String(value.type ?? ''),
    })),
    agents: (hasAgents ? (settings?.agents ?? []) : []).map(({ id, title, isUsable, detail }) => ({
      value: id,
      label: id,
      hint: isUsable ? title : detail,
    })),
  };
}
