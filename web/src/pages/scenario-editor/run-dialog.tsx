import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, MultiSelect, NumberInput, Switch, TextInput } from '../../kit/field.tsx';
import type { ScenarioKind } from './scenario-kind.ts';
import { useRunChoices, useRunStart } from './use-run-start.ts';

/** Asks how a scenario file is run, and goes to the run. */
export function RunDialog({
  file,
  kind,
  isOpen,
  onClose,
  beforeRun,
  isUnsaved,
}: {
  file: string;
  kind: ScenarioKind;
  isOpen: boolean;
  onClose: () => void;
  /** Saves the file; false keeps the run from starting. */
  beforeRun: () => Promise<boolean>;
  isUnsaved: boolean;
}) {
  const navigate = useNavigate();
  const start = useRunStart();
  const choices = useRunChoices(kind);
  const [connectors, setConnectors] = useState<readonly string[]>([]);
  const [agents, setAgents] = useState<readonly string[]>([]);
  const [models, setModels] = useState('');
  const [repeat, setRepeat] = useState<number | null>(null);
  const [isJudged, setIsJudged] = useState(true);
  const run = async (): Promise<void> => {
    if (!(await beforeRun())) return;
    const what = request(file, { connectors, agents, models, repeat, isJudged });
    const started = await start.mutateAsync(what).catch(() => null);
    if (started === null) return;
    onClose();
    await navigate({ to: '/runs/$runId', params: { runId: started.runId } });
  };
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button
        variant="primary"
        icon={<Play size={14} aria-hidden />}
        isBusy={start.isPending}
        onClick={() => void run()}
      >
        {isUnsaved ? 'Save and run' : 'Run'}
      </Button>
    </>
  );
  return (
    <Dialog title="Run this file" isOpen={isOpen} onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-4">
        {choices.connectors.length > 0 && (
          <Field label="Connectors" hint="Instead of those that the file names">
            {(id, describedBy) => (
              <MultiSelect
                id={id}
                describedBy={describedBy}
                label="Connectors"
                placeholder="As in the file"
                options={choices.connectors}
                value={connectors}
                onChange={setConnectors}
              />
            )}
          </Field>
        )}
        {choices.agents.length > 0 && (
          <Field label="Agents" hint="Who does the task">
            {(id, describedBy) => (
              <MultiSelect
                id={id}
                describedBy={describedBy}
                label="Agents"
                placeholder="As in the file or the config"
                options={choices.agents}
                value={agents}
                onChange={setAgents}
              />
            )}
          </Field>
        )}
        {kind !== 'tool' && (
          <Field label="Models" hint="Separated by commas; empty: as in the file">
            {(id, describedBy) => (
              <TextInput id={id} aria-describedby={describedBy} value={models} onChange={setModels} />
            )}
          </Field>
        )}
        <Field label="Repeat" hint="How often each trial is done; empty: as in the file">
          {(id, describedBy) => (
            <NumberInput
              id={id}
              aria-describedby={describedBy}
              value={repeat}
              onChange={setRepeat}
              className="max-w-32"
            />
          )}
        </Field>
        <Field label="Ask judges" hint="Off: what needs a judge is skipped, and nothing is spent on it">
          {(id, describedBy) => (
            <Switch id={id} describedBy={describedBy} label="Ask judges" value={isJudged} onChange={setIsJudged} />
          )}
        </Field>
      </div>
    </Dialog>
  );
}

interface Choices {
  readonly connectors: readonly string[];
  readonly agents: readonly string[];
  readonly models: string;
  readonly repeat: number | null;
  readonly isJudged: boolean;
}

function request(file: string, { connectors, agents, models, repeat, isJudged }: Choices): StartRun {
  const named = models
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '');
  return {
    paths: [file],
    ...(connectors.length > 0 ? { connectors: [...connectors] } : {}),
    ...(agents.length > 0 ? { agents: [...agents] } : {}),
    ...(named.length > 0 ? { models: named } : {}),
    ...(repeat === null ? {} : { repeat }),
    ...(isJudged ? {} : { judge: false }),
  };
}
