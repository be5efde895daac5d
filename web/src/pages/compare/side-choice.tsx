import { Combobox } from '@base-ui/react/combobox';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Check, ChevronsUpDown } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import type { CompareSearch } from '../../app/search-params.ts';
import { runListQuery, runQuery } from '../../data/queries.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Tabs } from '../../kit/disclosure.tsx';
import { When } from '../../kit/figures.tsx';
import { Card } from '../../kit/page.tsx';
import { popupItemLook, popupLook } from '../../kit/popup-look.ts';
import { Select } from '../../kit/select.tsx';
import { inputLook } from '../../kit/text-input.tsx';
import { variantChoices, withoutAnswer } from './compare-request.ts';

interface RunPickerProps {
  readonly label: string;
  readonly runId: string | undefined;
  readonly onChange: (runId: string) => void;
}

/** Chooses a run; by its name, its id or a scenario. */
function RunPicker({ label, runId, onChange }: RunPickerProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim());
  const { data, isFetching } = useInfiniteQuery(runListQuery(wanted === '' ? {} : { text: wanted }));
  const chosen = useQuery({ ...runQuery(runId ?? ''), enabled: runId !== undefined }).data;
  const runs = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Combobox.Root
      items={runs}
      filter={null}
      value={runs.find((run) => run.runId === runId) ?? chosen ?? null}
      itemToStringLabel={runName}
      isItemEqualToValue={(run: RunItem, other: RunItem) => run.runId === other.runId}
      onValueChange={(run: RunItem | null) => run && onChange(run.runId)}
      inputValue={text}
      onInputValueChange={setText}
      onOpenChange={() => setText('')}
    >
      <div className="flex min-w-52 flex-1 flex-col gap-1">
        <Combobox.Label className="text-xs text-muted">{label}</Combobox.Label>
        <Combobox.Trigger
          aria-label={label}
          className={classes(inputLook, 'flex h-9 w-full items-center justify-between gap-2 text-left')}
        >
          <span className={classes('truncate', !runId && 'text-muted')}>
            {chosen ? runName(chosen) : (runId ?? 'Choose a run')}
          </span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50 outline-hidden">
          <Combobox.Popup className={classes(popupLook, 'w-96')} aria-label={label} aria-busy={isFetching}>
            <Combobox.Input
              aria-label="Search runs"
              placeholder="Search runs"
              className={classes(inputLook, 'h-9 w-full')}
            />
            <Combobox.Empty className="px-2 text-sm text-muted not-empty:py-3">
              {isFetching ? 'Searching …' : 'No run matches.'}
            </Combobox.Empty>
            <Combobox.List className="mt-1 max-h-[min(22rem,var(--available-height))] overflow-y-auto overscroll-contain">
              {(run: RunItem) => (
                <Combobox.Item key={run.runId} value={run} className={popupItemLook}>
                  <Combobox.ItemIndicator className="col-start-1 row-start-1">
                    <Check size={14} aria-hidden />
                  </Combobox.ItemIndicator>
                  <RunLine run={run} />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function RunLine({ run }: { run: RunItem }) {
  return (
    <span className="col-start-2 min-w-0">
      <span className="flex items-center gap-2">
        <span className="truncate">{runName(run)}</span>
        <OutcomeBadge outcome={run.outcome} />
      </span>
      <span className="block truncate text-xs text-muted">
        <When at={run.startedAt} />, {counted(run.totals.planned, 'trial')}, {run.scenarioNames.join(', ')}
      </span>
    </span>
  );
}

/** The title of a run. */
function runName({ name, runId }: Pick<RunItem, 'name' | 'runId'>): string {
  return name ?? runId;
}

export type ChangeSearch = (part: { readonly [Key in keyof CompareSearch]?: CompareSearch[Key] | undefined }) => void;

interface SideChoiceProps {
  readonly search: CompareSearch;
  readonly onChange: ChangeSearch;
}

/** Chooses what is compared: two runs, or two variants of one. */
export function SideChoice({ search, onChange }: SideChoiceProps) {
  const isOfOneRun = search.by !== undefined || search.tab === 'variants';
  const toTab = (key: string): void => {
    const nothing = { ...withoutAnswer, by: undefined, valueA: undefined, valueB: undefined, b: undefined };
    onChange({ ...nothing, tab: key === 'variants' ? 'variants' : undefined });
  };
  return (
    <Card>
      <Tabs
        label="What is compared"
        tabs={[
          { key: 'runs', label: 'Two runs' },
          { key: 'variants', label: 'Variants of one run' },
        ]}
        value={isOfOneRun ? 'variants' : 'runs'}
        onChange={toTab}
      >
        {isOfOneRun ? (
          <TwoVariants search={search} onChange={onChange} />
        ) : (
          <TwoRuns search={search} onChange={onChange} />
        )}
      </Tabs>
    </Card>
  );
}

function TwoRuns({ search: { a, b }, onChange }: SideChoiceProps) {
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RunPicker label="A, before" runId={a} onChange={(runId) => onChange({ ...withoutAnswer, a: runId })} />
      <Button
        aria-label="Exchange A and B"
        icon={<ArrowLeftRight size={14} aria-hidden />}
        disabled={a === undefined && b === undefined}
        onClick={() => onChange({ ...withoutAnswer, a: b, b: a })}
      />
      <RunPicker label="B, new" runId={b} onChange={(runId) => onChange({ ...withoutAnswer, b: runId })} />
    </div>
  );
}

function TwoVariants({ search: { a, by, valueA, valueB }, onChange }: SideChoiceProps) {
  const { data } = useQuery({ ...runQuery(a ?? ''), enabled: a !== undefined });
  const choices = data ? variantChoices(data.cells) : [];
  const values = choices.find((choice) => choice.by === by)?.values ?? [];
  const options = values.map((value) => ({ value, label: value }));
  const chooseBy = (chosen: string | undefined): void => {
    const choice = choices.find((other) => other.by === chosen);
    if (choice) onChange({ ...withoutAnswer, by: choice.by, ...usualValues(choice.values) });
  };
  const areAll = values.length > 2 && valueA === undefined && valueB === undefined;
  const isOpen = !areAll && (by === undefined || valueA === undefined || valueB === undefined);
  // A link that names a run only, or what to compare it by, shows its variants at once.
  useEffect(() => {
    if (isOpen) chooseBy(by ?? choices[0]?.by);
  });
  const chooseRun = (runId: string): void =>
    onChange({ ...withoutAnswer, a: runId, by: undefined, valueA: undefined, valueB: undefined, tab: 'variants' });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <RunPicker label="Run" runId={a} onChange={chooseRun} />
      {choices.length > 0 && (
        <Labelled label="By">
          <Select
            label="By"
            value={by ?? ''}
            options={[
              { value: '', label: 'Choose' },
              ...choices.map((choice) => ({ value: choice.by, label: choice.by })),
            ]}
            onChange={chooseBy}
          />
        </Labelled>
      )}
      {values.length > 2 && <AllOrTwo areAll={areAll} values={values} onChange={onChange} />}
      {by !== undefined && options.length > 1 && !areAll && (
        <>
          <Labelled label="A, before">
            <Select
              label="A, before"
              value={valueA ?? ''}
              options={options}
              onChange={(value) => onChange({ ...withoutAnswer, valueA: value })}
            />
          </Labelled>
          <Labelled label="B, new">
            <Select
              label="B, new"
              value={valueB ?? ''}
              options={options}
              onChange={(value) => onChange({ ...withoutAnswer, valueB: value })}
            />
          </Labelled>
        </>
      )}
      {data && choices.length === 0 && (
        <p className="w-full text-muted">This run has only one variant: there is nothing to compare within it.</p>
      )}
    </div>
  );
}

interface AllOrTwoProps {
  readonly areAll: boolean;
  readonly values: readonly string[];
  readonly onChange: ChangeSearch;
}

function AllOrTwo({ areAll, values, onChange }: AllOrTwoProps) {
  const change = (): void => onChange({ ...withoutAnswer, ...(areAll ? firstTwo(values) : usualValues(values)) });
  return <Button onClick={change}>{areAll ? 'Compare two' : 'All variants'}</Button>;
}

/** All variants where there are more than two, and else the two. */
function usualValues(values: readonly string[]) {
  return values.length > 2 ? { valueA: undefined, valueB: undefined } : firstTwo(values);
}

function firstTwo([valueA, valueB]: readonly string[]) {
  return { valueA, valueB };
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <span aria-hidden className="text-xs text-muted">
        {label}
      </span>
      {children}
    </div>
  );
}
