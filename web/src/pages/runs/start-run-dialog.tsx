import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ArmChoice } from '../../../../src/domain/arm-choice.ts';
import type { ArmPart } from '../../../../src/domain/arm-parts.ts';
import type { RunOption } from '../../../../src/domain/run-options/run-option.ts';
import type { StartRun } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { namedPartsQuery, scenarioListQuery, settingsQuery } from '../../data/project.ts';
import { runPlanQuery } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { FormDialog } from '../../kit/dialog.tsx';
import { Field, MultiSelect, NumberInput, type SelectOption, Switch, TextInput } from '../../kit/field.tsx';
import {
  armsIn,
  emptyRunForm,
  formOptions,
  partsOf,
  type RunForm,
  runFormProblems,
  runWish,
  trialsInFiles,
  usualFiles,
} from './run-form.ts';
import { RunPlanView } from './run-plan.tsx';
import { useStartRun } from './use-start-run.ts';

interface StartRunDialogProps {
  readonly title?: string;
  /** Fields that are not shown. */
  readonly fixed?: StartRun;
  readonly onClose: () => void;
  /** Saves what is being edited; false keeps the run from starting. */
  readonly beforeRun?: (() => Promise<boolean>) | undefined;
  readonly isUnsaved?: boolean;
}

const none: StartRun = {};

/** Asks what to run and with whom, says what that would take, and runs it. */
export function StartRunDialog(props: StartRunDialogProps) {
  const { title = 'New run', fixed = none, onClose, beforeRun, isUnsaved = false } = props;
  const { data: scenarios, isPending } = useQuery(scenarioListQuery());
  const [typed, setForm] = useState(emptyRunForm);
  const usual = Object.keys(fixed).length === 0 && typed.paths === undefined ? usualFiles(scenarios?.items ?? []) : [];
  const form = usual.length > 0 ? { ...typed, paths: usual } : typed;
  const start = useStartRun();
  const set = (part: Partial<RunForm>): void => setForm((known) => ({ ...known, ...part }));
  const isRight = Object.keys(runFormProblems(form)).length === 0;
  const wish = planOf({ ...runWish(form), ...fixed });
  const plan = useQuery({
    ...runPlanQuery(wish),
    placeholderData: keepPreviousData,
    enabled: isRight && !isPending,
  });
  // A file that is saved first has another plan than the one that is stored.
  const isKnown = isUnsaved || (plan.data !== undefined && !plan.isPlaceholderData);
  const submit = async (): Promise<void> => {
    if (!isRight || !isKnown || (beforeRun && !(await beforeRun()))) return;
    start.mutate({ ...runWish(form), ...fixed }, { onSuccess: onClose });
  };
  const words = isUnsaved ? 'Save and run' : 'Run';
  return (
    <FormDialog
      title={title}
      submit={words}
      onSubmit={() => void submit()}
      onClose={onClose}
      sending={start}
      isReady={isRight && isKnown}
      isWide
    >
      {isRight && (
        <RunPlanView
          plan={plan.isPlaceholderData ? undefined : plan.data}
          error={plan.error}
          inFiles={scenarios && trialsInFiles(scenarios.items, wish)}
        />
      )}
      {usual.length > 0 && (
        <p className="text-xs text-muted">
          {counted(usual.length, 'file')} chosen: not passed last, changed since, or never run.{' '}
          <Button size="sm" onClick={() => set({ paths: [] })}>
            Choose all files
          </Button>
        </p>
      )}
      {isUnsaved && <p className="text-xs text-muted">Counted in the file as it was saved last.</p>}
      <Choices form={form} set={set} fixed={fixed} />
      <OptionFields form={form} set={set} />
    </FormDialog>
  );
}

/** Fields that change neither trials nor their cost are left out, so typing a name counts nothing again. */
function planOf({ name: _name, maxUsd: _maxUsd, judge: _judge, ...wish }: StartRun): StartRun {
  return wish;
}

interface FieldsProps {
  readonly form: RunForm;
  readonly set: (part: Partial<RunForm>) => void;
}

/** Which scenarios run, and with whom; only what the chosen scenarios know. */
function Choices({ form, set, fixed }: FieldsProps & { fixed: StartRun }) {
  const { data: scenarios } = useQuery(scenarioListQuery());
  const items = scenarios?.items ?? [];
  const chosen = runWish(form);
  const wish = { paths: fixed.paths ?? chosen.paths, tags: chosen.tags };
  const { hasAgents, hasConnectors, hasModels } = partsOf(items, wish);
  const files = optionsOf(items.map(({ file }) => file));
  const tags = optionsOf(items.flatMap((item) => item.tags));
  return (
    <div className="grid items-end gap-4 sm:grid-cols-2">
      {fixed.paths === undefined && files.length > 0 && (
        <Choice
          label="Files"
          all="All files"
          options={files}
          value={chosenIn(form.paths)}
          onChange={(chosen) => set({ paths: chosen })}
        />
      )}
      {fixed.scenario === undefined && tags.length > 0 && (
        <Choice
          label="Tags"
          all="Any tag"
          options={tags}
          value={chosenIn(form.tags)}
          onChange={(chosen) => set({ tags: chosen })}
        />
      )}
      {hasAgents && <AgentChoice form={form} set={set} />}
      {hasConnectors && <ConnectorChoice form={form} set={set} />}
      {hasModels && (
        <Field label="Models" hint="Separated by commas; empty: as in the files">
          <TextInput value={String(form.models ?? '')} onChange={(models) => set({ models })} />
        </Field>
      )}
      {armsIn(items, wish).map(({ part, names }) => (
        <Choice
          key={part}
          label={armLabels[part]}
          all="As in the files"
          options={optionsOf(names)}
          value={armsOf(form)[part] ?? []}
          onChange={(chosen) => set({ arms: { ...armsOf(form), [part]: [...chosen] } })}
        />
      ))}
    </div>
  );
}

const armLabels: Readonly<Record<ArmPart, string>> = {
  guidance: 'Guidance',
  skills: 'Skills',
  harness: 'Harnesses',
  persona: 'Personas',
  approvals: 'Policies of approvals',
  description: 'Wordings of tools',
  surface: 'Tool surfaces',
  faults: 'Sets of faults',
};

function AgentChoice({ form, set }: FieldsProps) {
  const { data } = useQuery(settingsQuery());
  const options = (data?.agents ?? []).map(({ id, title, isUsable, detail }) => ({
    value: id,
    label: id,
    hint: isUsable ? title : detail,
  }));
  return (
    <Choice
      label="Agents"
      all="As in the files or the config"
      options={options}
      value={chosenIn(form.agents)}
      onChange={(agents) => set({ agents })}
    />
  );
}

function ConnectorChoice({ form, set }: FieldsProps) {
  const { data } = useQuery(namedPartsQuery('connectors'));
  const options = (data?.items ?? []).map(({ name, value }) => ({
    value: name,
    label: name,
    hint: String(value.type ?? ''),
  }));
  if (options.length === 0) return null;
  return (
    <Choice
      label="Connectors"
      all="As in the files"
      options={options}
      value={chosenIn(form.connectors)}
      onChange={(connectors) => set({ connectors })}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  /** Shown where nothing is chosen. */
  readonly all: string;
  readonly options: readonly SelectOption[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

function Choice({ label, all, options, value, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      <MultiSelect label={label} placeholder={all} options={options} value={value} onChange={onChange} />
    </Field>
  );
}

function optionsOf(names: readonly string[]): SelectOption[] {
  return [...new Set(names)].sort().map((name) => ({ value: name, label: name }));
}

/** Names that were chosen from a list. */
function chosenIn(value: RunForm[keyof RunForm]): readonly string[] {
  return Array.isArray(value) ? value : [];
}

function armsOf({ arms }: RunForm): ArmChoice {
  return typeof arms === 'object' && arms !== null ? arms : {};
}

/** The options whose values are typed or switched; those that are chosen from what the project has come before them. */
function OptionFields({ form, set }: FieldsProps) {
  const problems = runFormProblems(form);
  const typed = formOptions.filter(({ value: { kind } }) => kind === 'integer' || kind === 'number' || kind === 'text');
  const switches = formOptions.filter(({ value: { kind } }) => kind === 'switch');
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        {typed.map((option) => (
          <TypedField key={option.key} option={option} form={form} set={set} problem={problems[option.key]} />
        ))}
      </div>
      {switches.map(({ key, label = key, help }) => (
        <div key={key} className="flex items-center gap-2">
          <Switch
            label={label}
            value={form[key as keyof RunForm] !== false}
            onChange={(isOn) => set({ [key]: isOn ? null : false })}
          />
          <span aria-hidden title={help}>
            {label}
          </span>
        </div>
      ))}
    </>
  );
}

interface TypedFieldProps extends FieldsProps {
  readonly option: RunOption;
  readonly problem: string | undefined;
}

function TypedField({ option, form, set, problem }: TypedFieldProps) {
  const { key, label = key, value: range } = option;
  const value = form[key as keyof RunForm] ?? null;
  return (
    <Field label={label} error={problem}>
      {range.kind === 'text' ? (
        <TextInput
          maxLength={range.longest ?? 1_000}
          value={String(value ?? '')}
          onChange={(text) => set({ [key]: text })}
        />
      ) : (
        <NumberInput value={value === null ? null : Number(value)} onChange={(number) => set({ [key]: number })} />
      )}
    </Field>
  );
}
