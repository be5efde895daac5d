import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Plus, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { CompareSearch } from '../../app/search-params.ts';
import { runQuery } from '../../data/queries.ts';
import { suggestedSidesQuery } from '../../data/trials.ts';
import { Button } from '../../kit/button.tsx';
import { Tabs } from '../../kit/disclosure.tsx';
import { Card } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { compareTab, noSides, runsOf, variantChoices, withoutAnswer } from './compare-request.ts';
import { RunPicker } from './run-picker.tsx';

/** Changes the address; `isFilled`: by the page itself, so going back does not lead there. */
export type ChangeSearch = (
  part: { readonly [Key in keyof CompareSearch]?: CompareSearch[Key] | undefined },
  isFilled?: boolean,
) => void;

interface SideChoiceProps {
  readonly search: CompareSearch;
  readonly onChange: ChangeSearch;
}

/** Chooses what is compared: two runs, several, or variants of one. */
export function SideChoice({ search, onChange }: SideChoiceProps) {
  const tab = compareTab(search);
  const newest = search.b ?? runsOf(search).at(-1) ?? search.a;
  const toTab = (key: string): void => {
    const nothing = { ...withoutAnswer, ...noSides };
    if (key === 'variants') onChange({ ...nothing, a: newest, tab: 'variants' });
    else if (key === 'several')
      onChange({ ...nothing, runs: [search.a, search.b].filter(Boolean).join(',') || undefined, tab: 'several' });
    else onChange({ ...nothing, b: newest });
  };
  return (
    <Card>
      <Tabs
        label="What is compared"
        tabs={[
          { key: 'runs', label: 'Two runs' },
          { key: 'several', label: 'Several runs' },
          { key: 'variants', label: 'Variants of one run' },
        ]}
        value={tab}
        onChange={toTab}
      >
        {tab === 'variants' && <TwoVariants search={search} onChange={onChange} />}
        {tab === 'several' && <SeveralRuns search={search} onChange={onChange} />}
        {tab === 'runs' && <TwoRuns search={search} onChange={onChange} />}
      </Tabs>
    </Card>
  );
}

/** Two runs; what the address leaves open is filled with the newest run and the one before it that is most like it. */
function TwoRuns({ search, onChange }: SideChoiceProps) {
  const { a, b, left } = search;
  const isOpen = a === undefined && left === undefined;
  const { data } = useQuery({ ...suggestedSidesQuery(b), enabled: isOpen });
  useEffect(() => {
    if (isOpen && data && data.a !== null && data.b !== null) onChange({ a: data.a, b: data.b }, true);
  });
  const hasNone = isOpen && b !== undefined && data?.a === null;
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
      {hasNone && <p className="w-full text-muted">No earlier run has a scenario of this one. Choose A.</p>}
    </div>
  );
}

/** Two runs or more; all others are compared with the first. */
function SeveralRuns({ search, onChange }: SideChoiceProps) {
  const runs = runsOf(search);
  const [isAdding, setIsAdding] = useState(false);
  const change = (next: readonly string[]): void => {
    setIsAdding(false);
    onChange({ ...withoutAnswer, tab: 'several', runs: [...new Set(next)].join(',') || undefined });
  };
  const rows = isAdding || runs.length < 2 ? [...runs, undefined] : runs;
  return (
    <div className="flex flex-col gap-2">
      {rows.map((runId, index) => {
        const label = index === 0 ? 'Reference' : `Run ${index + 1}`;
        return (
          <div key={runId ?? 'new'} className="flex items-end gap-2">
            <RunPicker label={label} runId={runId} onChange={(chosen) => change(runs.toSpliced(index, 1, chosen))} />
            {runId !== undefined && (
              <Button
                aria-label={`Remove ${label}`}
                icon={<X size={14} aria-hidden />}
                onClick={() => change(runs.toSpliced(index, 1))}
              />
            )}
          </div>
        );
      })}
      {rows === runs && runs.length < mostRuns && (
        <div>
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={() => setIsAdding(true)}>
            Add run
          </Button>
        </div>
      )}
    </div>
  );
}

const mostRuns = 20;

function TwoVariants({ search: { a, by, valueA, valueB }, onChange }: SideChoiceProps) {
  const { data } = useQuery({ ...runQuery(a ?? ''), enabled: a !== undefined });
  const choices = data ? variantChoices(data.cells) : [];
  const values = choices.find((choice) => choice.by === by)?.values ?? [];
  const options = values.map((value) => ({ value, label: value }));
  const chooseBy = (chosen: string | undefined, isFilled = false): void => {
    const choice = choices.find((other) => other.by === chosen);
    if (choice) onChange({ ...withoutAnswer, by: choice.by, ...usualValues(choice.values) }, isFilled);
  };
  const areAll = values.length > 2 && valueA === undefined && valueB === undefined;
  const isOpen = !areAll && (by === undefined || valueA === undefined || valueB === undefined);
  // A link that names a run only, or what to compare it by, shows its variants at once.
  useEffect(() => {
    if (isOpen) chooseBy(by ?? choices[0]?.by, true);
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
            onChange={(value) => chooseBy(value)}
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
