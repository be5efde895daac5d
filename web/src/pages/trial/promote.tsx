import { useNavigate } from '@tanstack/react-router';
import { FilePlus2 } from 'lucide-react';
import { useState } from 'react';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import type { PromotedTrial, PromoteTrial } from '../../../../src/entry/server/api/trials.ts';
import { api } from '../../data/api.ts';
import { trialAddress } from '../../data/trials.ts';
import { FormDialog } from '../../kit/dialog.tsx';
import { Field, Switch, TextInput } from '../../kit/field.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { useChange } from '../../kit/use-change.ts';

type Promoted = Pick<TrialRecord, 'trialId' | 'outcome' | 'reason'>;

/** Makes a scenario of the trial, and opens it in the editor. */
export function PromoteButton({ record }: { record: Promoted }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <GuardedButton needs="edit" size="sm" icon={<FilePlus2 size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        Promote to case …
      </GuardedButton>
      {isOpen && <PromoteDialog record={record} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PromoteDialog({ record, onClose }: { record: Promoted; onClose: () => void }) {
  const navigate = useNavigate();
  const [criterion, setCriterion] = useState('');
  const [assertTools, setAssertTools] = useState(record.outcome === 'pass');
  const promoting = useChange({
    send: (body: PromoteTrial) => api.post<PromotedTrial>(`${trialAddress(record.trialId)}/promote`, body),
    stale: [['scenarios']],
    isRefusalShown: true,
    onDone: ({ file }) => navigate({ to: '/scenarios/edit', search: { file } }),
  });
  return (
    <FormDialog
      title="Promote to case"
      submit="Write and open"
      onSubmit={() => promoting.mutate(requestOf(criterion, assertTools))}
      onClose={onClose}
      sending={promoting}
    >
      <p className="text-muted">
        Writes a scenario file with the input of this trial, its work directory and the checks that it
        {record.outcome === 'pass' ? ' passed' : ' did not pass'}, and opens it in the editor.
      </p>
      <Field
        label="What must not happen again"
        hint="In plain words; a model judges it. Leave it empty to keep the checks of the scenario."
      >
        <TextInput value={criterion} onChange={setCriterion} />
      </Field>
      <Field label="Expect the tools that were called" hint="Without it they are drafts in comments of the file.">
        <Switch value={assertTools} onChange={setAssertTools} />
      </Field>
    </FormDialog>
  );
}

/** The request; an empty criterion is none. */
export function requestOf(criterion: string, assertTools: boolean): PromoteTrial {
  const text = criterion.trim();
  return { assertTools, ...(text !== '' && { criterion: text }) };
}
