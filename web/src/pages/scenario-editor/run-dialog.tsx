import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, MultiSelect, NumberInput, Switch, TextInput } from '../../kit/field.tsx';
import type { ScenarioKind } from './scenario-kind.ts';
import { useRunChoices, useRunStart } from './use-run-start.ts';

interface RunDialogProps {
  readonly file: string;
  readonly kind: ScenarioKind;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Saves the file; false keeps the run from starting. */
  readonly beforeRun: () => Promise<boolean>;
  readonly isUnsaved: boolean;
}

/** A dialog about how a scenario file is run; it leads to the run. */
export function RunDialog({ file, kind, isOpen, onClose, beforeRun, isUnsaved }: RunDialogProps) {
  const navigate = useNavigate();
  const start = useRunStart();
  const choices = useRunChoices(kind);
  const [settings, setSettings] = useState(asInFile);
  const run = async (): Promise<void> => {
    if (!(await beforeRun())) return;
    const started = await start.mutateAsync(runRequest(file, settings)).catch(() => null);
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
  const set = (part: Partial<RunSettings>): void => setSettings((before) => ({ ...before, ...part }));
  return (
    <Dialog title="Run this file" isOpen={isOpen} onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-4">
        <ParticipantFields kind={kind} choices={choices} settings={settings} set={set} />
        <Field label="Repeat" hint="How often each trial is done; empty: as in the file">
          {(id, describedBy) => (
            <NumberInput
              id={id}
              aria-describedby={describedBy}
              value={settings.repeat}
              onChange={(repeat) => set({ repeat })}
              className="max-w-32"
            />
          )}
        </Field>
        <JudgeField isJudged={settings.isJudged} onChange={(isJudged) => set({ isJudged })} />
      </div>
    </Dialog>
  );
}

interface RunSettings {
  readonly connectors: readonly string[];
  readonly agents: readonly string[];
  /** Separated by commas. */
  readonly models: string;
  readonly repeat: number | null;
  readonly isJudged: boolean;
}

const asInFile: RunSettings = { connectors: [], agents: [], models: '', repeat: null, isJudged: true };

interface ParticipantFieldsProps {
  readonly kind: ScenarioKind;
  readonly choices: ReturnType<typeof useRunChoices>;
  readonly settings: RunSettings;
  readonly set: (part: Partial<RunSettings>) => void;
}

/** The connectors, agents and models of the run, as far as this kind of scenario has them. */
function ParticipantFields({ kind, choices, settings, set }: ParticipantFieldsProps) {
  return (
    <>
      {choices.connectors.length > 0 && (
        <Field label="Connectors" hint="Instead of those that the file names">
          {(id, describedBy) => (
            <MultiSelect
              id={id}
              describedBy={describedBy}
              label="Connectors"
              placeholder="As in the file"
              options={choices.connectors}
              value={settings.connectors}
              onChange={(connectors) => set({ connectors })}
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
              value={settings.agents}
              onChange={(agents) => set({ agents })}
            />
          )}
        </Field>
      )}
      {kind !== 'tool' && (
        <Field label="Models" hint="Separated by commas; empty: as in the file">
          {(id, describedBy) => (
            <TextInput
              id={id}
              aria-describedby={describedBy}
              value={settings.models}
              onChange={(models) => set({ models })}
            />
          )}
        </Field>
      )}
    </>
  );
}

function JudgeField({ isJudged, onChange }: { isJudged: boolean; onChange: (isJudged: boolean) => void }) {
  return (
    <Field label="Run judges" hint="Off: assertions that need a judge are skipped, and nothing is spent on them">
      {(id, describedBy) => (
        <Switch id={id} describedBy={describedBy} label="Run judges" value={isJudged} onChange={onChange} />
      )}
    </Field>
  );
}

function runRequest(file: string, { connectors, agents, models, repeat, isJudged }: RunSettings): StartRun {
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
