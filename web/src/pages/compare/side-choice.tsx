import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import type { CompareSearch } from '../../app/page-search.ts';
import { runQuery } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Select } from '../../kit/select.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { variantChoices, withoutAnswer } from './compare-request.ts';
import { RunPicker } from './run-picker.tsx';

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
  const chooseBy = (chosen: string): void => {
    const choice = choices.find((other) => other.by === chosen);
    if (choice) onChange({ ...withoutAnswer, by: choice.by, valueA: choice.values[0], valueB: choice.values[1] });
  };
  const isOpen = by === undefined || valueA === undefined || valueB === undefined;
  const usual = by ?? choices[0]?.by;
  // A link that names a run only, or what to compare it by, shows the first two variants at once.
  useEffect(() => {
    if (isOpen && usual !== undefined) chooseBy(usual);
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
      {by !== undefined && options.length > 1 && (
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
