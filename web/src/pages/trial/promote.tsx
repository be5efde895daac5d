import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FilePlus2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { TrialRecord } from '../../../../src/domain/record.ts';
import type { PromotedTrial, PromoteTrial } from '../../../../src/entry/server/api/trials.ts';
import { api } from '../../data/api.ts';
import { namedPartsQuery } from '../../data/project.ts';
import { trialAddress } from '../../data/trials.ts';
import { FormDialog } from '../../kit/dialog.tsx';
import { Field, Switch, TextInput } from '../../kit/field.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { useChange } from '../../kit/use-change.ts';

/** The trial, and whether its case is written in a file of the project; else it is made from its trace. */
interface Promoted {
  readonly record: Pick<TrialRecord, 'trialId' | 'outcome' | 'reason'>;
  readonly isFileThere: boolean;
}

/** Makes a scenario of the trial, and opens it in the editor. */
export function PromoteButton({ trial }: { trial: Promoted }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <GuardedButton needs="edit" size="sm" icon={<FilePlus2 size={14} aria-hidden />} onClick={() => setIsOpen(true)}>
        Promote to case …
      </GuardedButton>
      {isOpen && <PromoteDialog trial={trial} onClose={() => setIsOpen(false)} />}
    </>
  );
}

type Texts = Readonly<Record<'name' | 'criterion' | 'connector' | 'binary', string>>;

function PromoteDialog({ trial: { record, isFileThere }, onClose }: { trial: Promoted; onClose: () => void }) {
  const navigate = useNavigate();
  const [texts, setTexts] = useState<Texts>({ name: '', criterion: '', connector: '', binary: '' });
  const [assertTools, setAssertTools] = useState(record.outcome === 'pass');
  const set = (key: keyof Texts) => (text: string) => setTexts({ ...texts, [key]: text });
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
      onSubmit={() => promoting.mutate(requestOf(texts, assertTools))}
      onClose={onClose}
      sending={promoting}
    >
      <p className="text-muted">
        Writes a scenario file with the input of this trial, its work directory and the checks that it
        {record.outcome === 'pass' ? ' passed' : ' did not pass'}, and opens it in the editor.
      </p>
      <Field label="Name" hint="Leave it empty for the name of the scenario and the case.">
        <TextInput value={texts.name} maxLength={200} onChange={set('name')} />
      </Field>
      <Field
        label="What must not happen again"
        hint="In plain words; a model judges it. Leave it empty to keep the checks of the scenario."
      >
        <TextInput value={texts.criterion} onChange={set('criterion')} />
      </Field>
      <Field label="Expect the tools that were called" hint="Without it they are drafts in comments of the file.">
        <Switch value={assertTools} onChange={setAssertTools} />
      </Field>
      {!isFileThere && <TraceFields texts={texts} set={set} />}
    </FormDialog>
  );
}

/** Facts that a trace may lack: where the agent of a conversation is, or the program that an agent used. */
function TraceFields({ texts, set }: { texts: Texts; set: (key: keyof Texts) => (text: string) => void }) {
  const { data } = useQuery(namedPartsQuery('connectors'));
  const names = useId();
  return (
    <>
      <Field
        label="Connector"
        hint="Of a conversation: a connector of the project, or the address of the agent. The only connector of the project is the default."
      >
        <TextInput value={texts.connector} list={names} onChange={set('connector')} />
      </Field>
      <datalist id={names}>
        {data?.items.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Program under test" hint="Of a coding agent: the command-line tool that it used.">
        <TextInput value={texts.binary} onChange={set('binary')} />
      </Field>
    </>
  );
}

/** The request; empty texts are left out. */
export function requestOf(texts: Partial<Texts>, assertTools: boolean): PromoteTrial {
  const written = Object.entries(texts).map(([key, text]) => [key, text.trim()] as const);
  return { assertTools, ...Object.fromEntries(written.filter(([, text]) => text !== '')) };
}
