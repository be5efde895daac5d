import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { ExperimentOutline } from '../../../../src/entry/server/api/runs.ts';
import { armName } from '../../../../src/report/presentation/experiment-text.ts';
import { counted } from '../../../../src/shared/format.ts';
import { experimentPlanQuery } from '../../data/queries.ts';
import { WithCode } from '../../kit/code.tsx';
import { FormDialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, Select, TextInput } from '../../kit/field.tsx';
import { ErrorView, Remark } from '../../kit/page.tsx';
import {
  canNameVariants,
  type ExperimentForm,
  emptyExperimentForm,
  experimentFormProblems,
  experimentWish,
  planWish,
} from './experiment-form.ts';
import { useStartRun } from './use-start-run.ts';

/** A form for an experiment: its question and its limits, with the plan that follows from them. */
export function StartExperimentDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(emptyExperimentForm);
  const [isTried, setIsTried] = useState(false);
  const start = useStartRun();
  const outline = useQuery({
    ...experimentPlanQuery(planWish(useDeferredValue(form))),
    placeholderData: keepPreviousData,
  });
  const set = (part: Partial<ExperimentForm>): void => setForm((known) => ({ ...known, ...part }));
  const problems = experimentFormProblems(form);
  const submit = (): void => {
    setIsTried(true);
    const wish = experimentWish(form);
    if (wish && Object.keys(problems).length === 0) start.mutate(wish, { onSuccess: onClose });
  };
  const reported = isTried ? problems : { ...problems, by: undefined };
  const parts = { form, set, problems: reported, outline: outline.data };
  return (
    <FormDialog title="New experiment" submit="Start" onSubmit={submit} onClose={onClose} sending={start} isWide>
      <p className="text-sm text-muted">
        Runs variants in rounds, compares them after each, and stops as soon as they can be distinguished.
      </p>
      <ScenarioFields {...parts} />
      <VariantFields {...parts} />
      <FigureFields {...parts} />
      <LimitFields {...parts} />
      {outline.isError ? <ErrorView error={outline.error} /> : <PlanText outline={outline.data} />}
    </FormDialog>
  );
}

interface FieldsProps {
  readonly form: ExperimentForm;
  readonly set: (part: Partial<ExperimentForm>) => void;
  readonly problems: Readonly<Record<string, string | undefined>>;
  readonly outline: ExperimentOutline | undefined;
}

function ScenarioFields({ form, set }: FieldsProps) {
  return (
    <div className="grid items-end gap-4 sm:grid-cols-3">
      <TextField label="Files or folders" hint="Empty: all" value={form.paths} onChange={(paths) => set({ paths })} />
      <TextField label="Tags" hint="Any of these" value={form.tags} onChange={(tags) => set({ tags })} />
      <TextField label="Name" hint="To find it again" value={form.name} onChange={(name) => set({ name })} />
    </div>
  );
}

/** The part that is compared, its variants, and the one that the others are compared with. */
function VariantFields({ form, set, problems, outline }: FieldsProps) {
  const parts = partOptions(outline);
  const variants = outline?.parts.find(({ part }) => part === form.by)?.variants ?? [];
  const references = [
    { value: first, label: 'the first' },
    ...variants.map((name) => ({ value: `=${name}`, label: armName(name) })),
  ];
  const choose = (by: string): void => set({ by: by as ExperimentForm['by'], variants: '', reference: null });
  return (
    <div className="grid items-end gap-4 sm:grid-cols-3">
      <Field label="Compare by" error={problems.by}>
        <Select options={parts} value={form.by} onChange={choose} />
      </Field>
      {canNameVariants(form.by) && (
        <TextField
          label="Variants"
          hint="Empty: those of the files"
          value={form.variants}
          onChange={(typed) => set({ variants: typed, reference: null })}
        />
      )}
      <Field label="Reference">
        <Select
          options={references}
          value={form.reference === null ? first : `=${form.reference}`}
          onChange={(value) => set({ reference: value === first ? null : value.slice(1) })}
        />
      </Field>
    </div>
  );
}

const first = '';

function partOptions(outline: ExperimentOutline | undefined) {
  const found = new Map(outline?.parts.map(({ part, variants }) => [part as string, variants.length]));
  const parts = [...new Set([...found.keys(), 'agent', 'model', 'connector'])];
  const options = parts.map((part) => ({
    value: part,
    label: `${part} (${counted(found.get(part) ?? 0, 'variant')})`,
  }));
  return [{ value: '', label: 'Choose …' }, ...options];
}

const directions = [
  { value: 'usual', label: 'as usual for the figure' },
  { value: 'higher', label: 'more is better' },
  { value: 'lower', label: 'less is better' },
];

/** The figure that decides, its direction, and the smallest difference that matters. */
function FigureFields({ form, set, problems }: FieldsProps) {
  return (
    <div className="grid items-end gap-4 sm:grid-cols-3">
      <TextField
        label="Figure"
        hint="Such as pass-rate, tokens, cost-usd"
        error={problems.metric}
        value={form.metric}
        onChange={(metric) => set({ metric })}
      />
      <Field label="Direction">
        <Select
          options={directions}
          value={form.direction}
          onChange={(direction) => set({ direction: direction as ExperimentForm['direction'] })}
        />
      </Field>
      <TextField
        label="Smallest difference that matters"
        hint="Such as 0.05 or 5%"
        error={problems.smallest}
        value={form.smallest}
        onChange={(smallest) => set({ smallest })}
      />
    </div>
  );
}

const limits = [
  { key: 'maxTrials', label: 'At most, in trials', hint: 'Empty: 10 of each case' },
  { key: 'maxUsd', label: 'At most, in USD', hint: 'Empty: no limit' },
] as const;

function LimitFields({ form, set, problems }: FieldsProps) {
  return (
    <div className="grid items-end gap-4 sm:grid-cols-3">
      {limits.map(({ key, label, hint }) => (
        <Field key={key} label={label} hint={hint} error={problems[key]}>
          <NumberInput value={form[key]} onChange={(value) => set({ [key]: value })} />
        </Field>
      ))}
    </div>
  );
}

/** The plan that follows from the form, or why there is none. */
function PlanText({ outline }: { outline: ExperimentOutline | undefined }) {
  if (outline?.problem) {
    return (
      <Remark tone="warn">
        <WithCode text={`${outline.problem.message} ${outline.problem.hint}`} />
      </Remark>
    );
  }
  if (!outline?.plan) return null;
  const { cases, reference, rounds, firstRound, maxTrials, leftOut } = outline.plan;
  return (
    <Remark tone="info">
      {counted(cases, 'case')}, compared with {armName(reference)}: {counted(firstRound, 'trial')} in the first of at
      most {counted(rounds.length, 'round')}, no more than {counted(maxTrials, 'trial')} in all.
      {leftOut > 0 && ` ${counted(leftOut, 'case')} cannot be compared.`}
    </Remark>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextField({ label, hint, error, value, onChange }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <TextInput maxLength={2_000} value={value} onChange={onChange} />
    </Field>
  );
}
