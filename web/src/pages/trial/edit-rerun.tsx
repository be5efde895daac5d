import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PencilLine, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { StartedRun } from '../../../../src/entry/server/api/runs.ts';
import type { Rerun, RerunTrial } from '../../../../src/entry/server/api/trials.ts';
import { changedValue, isSameValue } from '../../../../src/shared/document-edit/document-change.ts';
import { api } from '../../data/api.ts';
import { rerunQuery, trialAddress } from '../../data/trials.ts';
import { fieldProblems } from '../../forms/field-problems.ts';
import { type JsonSchema, readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Dialog, FormDialog } from '../../kit/dialog.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { useRead } from '../../kit/use-read.tsx';

/** Opens the input of the trial's case, to run it once more with another one. */
export function EditRerunButton({ trialId }: { trialId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <GuardedButton needs="run" size="sm" icon={<PencilLine size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        Edit and rerun …
      </GuardedButton>
      {isOpen && <EditRerunDialog trialId={trialId} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function EditRerunDialog({ trialId, onClose }: { trialId: string; onClose: () => void }) {
  const [data, instead] = useRead(rerunQuery(trialId), 4);
  if (data?.isPossible) return <RerunForm trialId={trialId} rerun={data} onClose={onClose} />;
  return (
    <Dialog title="Edit and rerun" isOpen onClose={onClose}>
      {data ? <p>{data.whyNot}</p> : instead}
    </Dialog>
  );
}

function RerunForm({ trialId, rerun, onClose }: { trialId: string; rerun: Rerun; onClose: () => void }) {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: (changes: RerunTrial) => api.post<StartedRun>(`${trialAddress(trialId)}/rerun`, changes),
    onSuccess: ({ runId }) => navigate({ to: '/runs/$runId', params: { runId } }),
  });
  const form = useMemo(() => readForm(schemaOf(rerun)), [rerun]);
  const [value, setValue] = useState<unknown>(() => firstValue(rerun));
  const changes = changesOf(rerun, value);
  const canRun = Object.keys(changes).length > 0 && fieldProblems(form, value).length === 0;
  return (
    <FormDialog
      title="Edit and rerun"
      submit="Run"
      icon={<Play size={14} aria-hidden />}
      onSubmit={() => start.mutate(changes)}
      onClose={onClose}
      sending={start}
      isReady={canRun}
      isWide
    >
      <p className="text-muted">
        Runs this case once with the input below. No file is changed, and the run is never compared with others.
      </p>
      <SchemaForm
        field={form}
        value={value}
        problems={noProblems}
        onChange={(change) => setValue((before: unknown) => changedValue(before, change))}
      />
    </FormDialog>
  );
}

const noProblems: readonly [] = [];

/** The keys that can be changed, as a form shows them: a text as text, other data as YAML. */
function schemaOf({ keys, input }: Rerun): JsonSchema {
  const schemas = {
    input: typeof input === 'string' ? { type: 'string', title: 'content' } : {},
    messages: { description: 'messages that begin the conversation' },
    userMessages: { type: 'array', items: { type: 'string' }, description: 'messages of the user, turn by turn' },
  };
  const properties = Object.fromEntries(keys.map((key) => [key, schemas[key]]));
  return { type: 'object', properties, required: keys.filter((key) => key === 'input'), additionalProperties: false };
}

function firstValue(rerun: Rerun): Record<string, unknown> {
  return Object.fromEntries(rerun.keys.flatMap((key) => (rerun[key] === null ? [] : [[key, rerun[key]]])));
}

/** The keys whose values are no longer those of the files. */
export function changesOf(rerun: Rerun, value: unknown): RerunTrial {
  const present = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const empty = { input: null, messages: [], userMessages: [] };
  const changed = rerun.keys
    .map((key) => [key, present[key] ?? empty[key]] as const)
    .filter(([key, now]) => !isSameValue(now, rerun[key] ?? empty[key]));
  return Object.fromEntries(changed) as RerunTrial;
}
