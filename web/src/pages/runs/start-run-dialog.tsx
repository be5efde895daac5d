import { type FormEvent, useId, useState } from 'react';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, Switch, TextInput } from '../../kit/field.tsx';
import { ErrorView } from '../../kit/page.tsx';
import { emptyRunForm, type RunForm, runFormProblems, runWish } from './run-form.ts';
import { useStartRun } from './start-run.tsx';

/** Asks what to run, and runs it. */
export function StartRunDialog({ fixed, onClose }: { fixed: StartRun; onClose: () => void }) {
  const formId = useId();
  const [form, setForm] = useState(emptyRunForm);
  const start = useStartRun();
  const set = (part: Partial<RunForm>): void => setForm((known) => ({ ...known, ...part }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(runFormProblems(form)).length === 0)
      start.mutate({ ...runWish(form), ...fixed }, { onSuccess: onClose });
  };
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" form={formId} variant="primary" isBusy={start.isPending}>
        Run
      </Button>
    </>
  );
  return (
    <Dialog title="New run" isOpen onClose={onClose} actions={actions}>
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4" noValidate>
        <SelectionFields form={form} set={set} hasPaths={fixed.paths === undefined} />
        <LimitFields form={form} set={set} />
        <NameField form={form} set={set} />
        <div className="flex items-center gap-2">
          <Switch label="Run the judge" value={form.isJudged} onChange={(isJudged) => set({ isJudged })} />
          <span aria-hidden>Run the judge of scenarios that have one</span>
        </div>
        {start.isError && <ErrorView error={start.error} />}
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly form: RunForm;
  readonly set: (part: Partial<RunForm>) => void;
}

/** Which scenarios run. */
function SelectionFields({ form, set, hasPaths }: FieldsProps & { hasPaths: boolean }) {
  return (
    <>
      {hasPaths && (
        <Field label="Files or folders" hint="Separated by commas; everything in the project where this is empty">
          {(id, describedBy) => (
            <TextInput id={id} aria-describedby={describedBy} value={form.paths} onChange={(paths) => set({ paths })} />
          )}
        </Field>
      )}
      <Field label="Tags" hint="Only scenarios with one of these, separated by commas">
        {(id, describedBy) => (
          <TextInput id={id} aria-describedby={describedBy} value={form.tags} onChange={(tags) => set({ tags })} />
        )}
      </Field>
    </>
  );
}

const limits = [
  { key: 'repeat', label: 'Repeats' },
  { key: 'concurrency', label: 'Concurrency' },
  { key: 'maxUsd', label: 'At most, in USD' },
] as const;

/** How often, how many at a time, and for how much money. */
function LimitFields({ form, set }: FieldsProps) {
  const problems = runFormProblems(form);
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {limits.map(({ key, label }) => (
        <Field key={key} label={label} error={problems[key]}>
          {(id, describedBy) => (
            <NumberInput
              id={id}
              aria-describedby={describedBy}
              value={form[key]}
              onChange={(value) => set({ [key]: value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function NameField({ form, set }: FieldsProps) {
  return (
    <Field label="Name" hint="To find it again">
      {(id, describedBy) => (
        <TextInput
          id={id}
          aria-describedby={describedBy}
          maxLength={200}
          value={form.name}
          onChange={(name) => set({ name })}
        />
      )}
    </Field>
  );
}
